/*
 * Copyright 2026 The netty-ucx Authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package org.nettyucx;

import org.nettyucx.info.Doctor;

/**
 * A program that looks at this machine and tells what UCX would do here, what is wrong and what helps:
 * {@code java -cp ... org.nettyucx.UcxInfo [--json] [--peer HOST]}. Its exit code is 1 if something does not work.
 */
public final class UcxInfo {
    private static final String USAGE = """
            Usage: UcxInfo [--json] [--peer HOST]

            Looks at this machine and tells what UCX would do here, what is wrong, and what helps.

              --json        for programs
              --peer HOST   also tells what this JVM would use to reach HOST, and why
            """;

    private UcxInfo() {
    }

    /** The program. */
    public static void main(String[] args) {
        boolean json = false;
        String peer = null;
        for (int i = 0; i < args.length; i++) {
            if (args[i].equals("--json")) {
                json = true;
            } else if (args[i].equals("--peer") && i + 1 < args.length) {
                peer = args[++i];
            } else {
                boolean help = args[i].equals("--help") || args[i].equals("-h");
                (help ? System.out : System.err).print(USAGE);
                System.exit(help ? 0 : 2);
            }
        }
        try {
            Class.forName("io.netty.channel.epoll.Epoll", false, UcxInfo.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            // As with "java -jar", which knows no other jar.
            System.err.println("Netty is not on the class path, start this as: java -cp 'DIRECTORY/*' " +
                    UcxInfo.class.getName() + ", where DIRECTORY has your application's jars");
            System.exit(1);
        }
        Doctor doctor = Doctor.examine(peer);
        System.out.print(json ? doctor.toJson() : doctor.toText());
        System.exit(doctor.hasFailed() ? 1 : 0);
    }
}

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
package org.nettyucx.example.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.nettyucx.example.ExampleException;

/**
 * Certificates for mutual TLS, in a directory: each side has a key, and trusts the authority that has signed both. The
 * tool of the JDK makes them, so no library is needed.
 */
final class Certificates {

    private static final String AUTHORITY = "authority";
    private static final String ALL = "all";
    private static final String SERVER = "server";
    private static final String CLIENT = "client";

    /** The directory keeps others away; this is here because the format wants one. */
    private static final char[] PASSWORD = "changeit".toCharArray();

    private final Path directory;

    Certificates(Path directory) {
        this.directory = directory;
    }

    /** Makes certificates for as long as this process runs, in a directory that nobody else can read. */
    static Certificates createTemporary() throws ExampleException, InterruptedException {
        Path directory;
        try {
            directory = Files.createTempDirectory("netty-ucx-grpc");
        } catch (IOException e) {
            throw new ExampleException("cannot make a temporary directory", e);
        }
        Certificates certificates = new Certificates(directory);
        // What is named last is deleted first.
        directory.toFile().deleteOnExit();
        for (String name : List.of(ALL, SERVER, CLIENT)) {
            certificates.file(name).toFile().deleteOnExit();
        }
        certificates.create();
        return certificates;
    }

    Path directory() {
        return directory;
    }

    /** Makes certificates that are valid for a day and for this host's loopback addresses. */
    private void create() throws ExampleException, InterruptedException {
        Path all = file(ALL);
        keytool(all, AUTHORITY, "-ext", "bc:critical=ca:true", "-ext", "ku:critical=keyCertSign");
        keytool(all, SERVER, "-signer", AUTHORITY, "-ext", "eku=serverAuth", "-ext",
                "san=dns:localhost,ip:127.0.0.1,ip:0:0:0:0:0:0:0:1");
        keytool(all, CLIENT, "-signer", AUTHORITY, "-ext", "eku=clientAuth");
        try {
            KeyStore source = load(all);
            Files.delete(all);
            store(source, SERVER);
            store(source, CLIENT);
        } catch (GeneralSecurityException | IOException e) {
            throw new ExampleException("cannot write certificates to " + directory, e);
        }
    }

    /** What a server needs to be trusted and to trust; it talks to none who has no certificate. */
    ServerCredentials serverCredentials() throws ExampleException {
        try {
            KeyStore store = load(file(SERVER));
            return TlsServerCredentials.newBuilder().keyManager(keys(store).getKeyManagers())
                    .trustManager(trust(store).getTrustManagers())
                    .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE).build();
        } catch (GeneralSecurityException | IOException e) {
            throw unreadable(e);
        }
    }

    ChannelCredentials clientCredentials() throws ExampleException {
        try {
            KeyStore store = load(file(CLIENT));
            return TlsChannelCredentials.newBuilder().keyManager(keys(store).getKeyManagers())
                    .trustManager(trust(store).getTrustManagers()).build();
        } catch (GeneralSecurityException | IOException e) {
            throw unreadable(e);
        }
    }

    private ExampleException unreadable(Exception cause) {
        return new ExampleException("cannot read the certificates in " + directory, cause);
    }

    private Path file(String name) {
        return directory.resolve(name + ".p12");
    }

    private static KeyManagerFactory keys(KeyStore store) throws GeneralSecurityException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, PASSWORD);
        return factory;
    }

    private static TrustManagerFactory trust(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory;
    }

    private static KeyStore load(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    /** The key of one side, and whom it trusts. */
    private void store(KeyStore source, String side) throws GeneralSecurityException, IOException {
        Key key = source.getKey(side, PASSWORD);
        Certificate[] chain = source.getCertificateChain(side);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry(side, key, PASSWORD, chain);
        store.setCertificateEntry(AUTHORITY, source.getCertificate(AUTHORITY));
        try (OutputStream out = Files.newOutputStream(file(side))) {
            store.store(out, PASSWORD);
        }
    }

    private static void keytool(Path file, String alias, String... options)
            throws ExampleException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + File.separator + "bin" + File.separator + "keytool",
                "-genkeypair", "-alias", alias, "-dname", "CN=" + alias, "-keyalg", "EC", "-groupname", "secp256r1",
                "-validity", "1", "-keystore", file.toString(), "-storetype", "PKCS12",
                "-storepass", new String(PASSWORD)));
        command.addAll(List.of(options));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String printed = new String(process.getInputStream().readAllBytes(), Charset.defaultCharset());
            if (process.waitFor() != 0) {
                throw new ExampleException("keytool could not make a certificate: " + printed.strip());
            }
        } catch (IOException e) {
            throw new ExampleException("cannot run keytool", e);
        }
    }
}

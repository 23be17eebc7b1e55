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

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Reads any {@link FileRegion} through its {@link FileRegion#transferTo}. */
final class FileRegionReader implements WritableByteChannel {
    private ByteBuf target;
    private int limit;

    /** Appends the region's next bytes: at most limit, as many as there is room for; none if it gives none. */
    void read(FileRegion region, ByteBuf target, int limit) throws IOException {
        this.target = target;
        this.limit = Math.min(limit, target.writableBytes());
        try {
            while (this.limit > 0 && region.transferred() < region.count()) {
                long transferred;
                try {
                    transferred = region.transferTo(this, region.transferred());
                } catch (IOException e) {
                    if (target.isReadable()) {
                        // First what could be read; the next call fails again.
                        break;
                    }
                    throw e;
                }
                if (transferred <= 0) {
                    break;
                }
            }
        } finally {
            this.target = null;
        }
    }

    static IOException endedEarly(FileRegion region) {
        String what = region instanceof DefaultFileRegion ? "Underlying file size smaller then requested count"
                : "FileRegion ended early";
        return new IOException(what + " (" + region.transferred() + " of " + region.count() +
                               " bytes could be read)");
    }

    @Override
    public int write(ByteBuffer source) {
        int length = Math.min(source.remaining(), limit);
        if (length > 0) {
            int end = source.limit();
            source.limit(source.position() + length);
            target.writeBytes(source);
            source.limit(end);
            limit -= length;
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}

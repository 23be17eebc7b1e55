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

/**
 * {@code ./run bench}: the driver ({@link org.nettyucx.benchmark.Benchmark}, {@code Session}, {@code Subject}), the
 * processes that it starts for each transport ({@link org.nettyucx.benchmark.Worker}, {@code Load}), and what is made
 * of the figures ({@code Results}, {@code Table}, {@code Chart}).
 */
package org.nettyucx.benchmark;

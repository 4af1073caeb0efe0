# SPDX-License-Identifier: Apache-2.0
# Toolchain for 64-bit ARM on Debian: the cross compiler and arm64 packages of `scripts/setup aarch64`. Test programs run in
# QEMU's emulator of a CPU that has every feature QEMU knows.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-cpu;max)

# Libraries of the host do not link; headers and configurations that are the same for every architecture are in /usr.
list(APPEND CMAKE_IGNORE_PREFIX_PATH /usr/local)
list(APPEND CMAKE_SYSTEM_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/cmake /usr/lib/x86_64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)

# For arm64, from any machine with Debian's cross compiler: cmake --preset arm64. The C library and
# the other libraries are Debian's for arm64, unpacked by test/arm64/run; programs that the build
# runs are run by qemu.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
if(NOT RONDO_SYSROOT)
  if(DEFINED ENV{RONDO_SYSROOT})
    set(RONDO_SYSROOT $ENV{RONDO_SYSROOT})
  elseif(DEFINED ENV{XDG_CACHE_HOME})
    set(RONDO_SYSROOT $ENV{XDG_CACHE_HOME}/rondo/sysroots/arm64)
  else()
    set(RONDO_SYSROOT $ENV{HOME}/.cache/rondo/sysroots/arm64)
  endif()
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RONDO_SYSROOT)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_SYSROOT ${RONDO_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${RONDO_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# pkg-config: only what is for arm64.
set(ENV{PKG_CONFIG_LIBDIR} ${RONDO_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${RONDO_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RONDO_SYSROOT})

# With musl's C library, on a machine with Debian's musl-tools: cmake --preset musl. The kernel's headers
# and liburing's are this machine's; they are put into a folder of their own, without glibc's.

set(RONDO_MUSL_HEADERS ${CMAKE_BINARY_DIR}/kernel-headers)
file(MAKE_DIRECTORY ${RONDO_MUSL_HEADERS})
set(musl_parts linux=/usr/include/linux asm-generic=/usr/include/asm-generic
    asm=/usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/asm liburing.h=/usr/include/liburing.h
    liburing=/usr/include/liburing)
foreach(part ${musl_parts})
  string(REPLACE "=" ";" part ${part})
  list(GET part 0 name)
  list(GET part 1 place)
  if(EXISTS ${place} AND NOT EXISTS ${RONDO_MUSL_HEADERS}/${name})
    file(CREATE_LINK ${place} ${RONDO_MUSL_HEADERS}/${name} SYMBOLIC)
  endif()
endforeach()

set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_C_FLAGS_INIT "-isystem ${RONDO_MUSL_HEADERS}")
set(RONDO_GLIBC_FLOOR "" CACHE STRING "") # another C library

# One build for every glibc from RONDO_GLIBC_FLOOR on. load_on_old_glibc(target) links a target
# against stand-ins of the C library that offer only what was there then (cmake/glibc-floor),
# together with our own versions of what came later (src/system/newer.c). With BARE, without these:
# for an object that exports functions of their names, which the hidden ones would hide.

set(RONDO_GLIBC_FLOOR 2.28 CACHE STRING
    "The oldest glibc that what is built here loads with; empty: this machine's")

set(floor_folder ${PROJECT_BINARY_DIR}/glibc-${RONDO_GLIBC_FLOOR})
set(floor_works OFF)
if(RONDO_GLIBC_FLOOR AND NOT RONDO_SANITIZE)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/glibc-floor ${CMAKE_C_COMPILER}
                          ${CMAKE_OBJDUMP} ${floor_folder} ${RONDO_GLIBC_FLOOR}
    RESULT_VARIABLE floor_result OUTPUT_VARIABLE floor_said ERROR_VARIABLE floor_said)
  if(floor_result EQUAL 0)
    set(floor_works ON)
    add_library(newer OBJECT ${PROJECT_SOURCE_DIR}/src/system/newer.c)
    target_link_libraries(newer PRIVATE rondo_flags)
  else()
    message(NOTICE "What is built here needs this machine's C library or a newer one: ${floor_said}")
  endif()
endif()

# Where the C library isn't glibc: what it lacks is declared before every file, and is part of all.
include(CheckSymbolExists)
check_symbol_exists(__GLIBC__ features.h RONDO_HAS_GLIBC)
if(NOT RONDO_HAS_GLIBC)
  add_compile_options(-D_GNU_SOURCE -include ${PROJECT_SOURCE_DIR}/src/system/musl.h)
  add_library(newer OBJECT ${PROJECT_SOURCE_DIR}/src/system/newer.c)
  target_link_libraries(newer PRIVATE rondo_flags)
endif()

function(load_on_old_glibc target)
  if(NOT RONDO_HAS_GLIBC)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:newer>)
  endif()
  if(NOT floor_works)
    return()
  endif()
  if(NOT "BARE" IN_LIST ARGN)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:newer>)
  endif()
  # Libraries that are linked beside it were made for this machine's C library, and may need
  # what the stand-ins don't have.
  target_link_options(${target} PRIVATE -L${floor_folder} -Wl,--allow-shlib-undefined)
endfunction()

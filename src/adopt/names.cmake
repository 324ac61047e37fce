# cmake -D NM=nm -D LIBRARY=libuv.so.1 -D OUT=names.c -P names.cmake
# Writes down the functions that our library exports, sorted, for adopt.h.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T uv_[a-z0-9_]+" names "${symbols}")
list(SORT names)
set(text "/* Made by names.cmake from libuv.so.1. */\n#include \"adopt.h\"\n\n")
string(APPEND text "const char* const adopt_names[] = {\n")
foreach(name ${names})
  string(REPLACE " T " "" name "${name}")
  string(APPEND text "  \"${name}\",\n")
endforeach()
string(APPEND text "};\n")
string(APPEND text "const size_t adopt_name_count = sizeof(adopt_names) / sizeof(adopt_names[0]);\n")
file(WRITE ${OUT} "${text}")

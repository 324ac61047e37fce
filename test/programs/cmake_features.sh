#!/bin/sh
# CMake and CTest at work: `cmake_features.sh CMAKE REPOSITORY`, in an empty
# directory.  CTest is the part that lives on libuv: it starts the tests, reads
# their output, counts their time.  Prints only what every run prints alike.
set -eu

cmake=$1
ctest=${cmake%cmake}ctest
repository=$2

"$cmake" -S "$repository" -B project -G "${CMAKE_GENERATOR:-Ninja}" >configure.log 2>&1 ||
  { tail -20 configure.log; exit 1; }
"$cmake" --build project --parallel 2 --target uv >build.log 2>&1 || { tail -20 build.log; exit 1; }
echo "this project: configured and built"

mkdir small
cat >small/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(small NONE)
enable_testing()
foreach(number RANGE 1 30)
  add_test(NAME good_${number} COMMAND sh -c "echo ${number}; exit 0")
endforeach()
add_test(NAME bad COMMAND sh -c "echo oops >&2; exit 3")
add_test(NAME slow COMMAND sleep 60)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(NAME crashes COMMAND sh -c "kill -SEGV $$")
add_test(NAME loud COMMAND sh -c "head -c 1000000 /dev/zero | tr '\\0' x")
add_test(NAME missing COMMAND no-such-program-anywhere)
add_test(NAME matched COMMAND echo "the answer is 42")
set_tests_properties(matched PROPERTIES PASS_REGULAR_EXPRESSION "answer is 42")
add_test(NAME after COMMAND true)
set_tests_properties(after PROPERTIES DEPENDS good_1)
execute_process(COMMAND echo one COMMAND tr a-z A-Z OUTPUT_VARIABLE text RESULTS_VARIABLE codes)
message(STATUS "a chain of processes: ${codes} ${text}")
END
"$cmake" -S small -B small/build -G "${CMAKE_GENERATOR:-Ninja}" 2>&1 | grep chain
(cd small/build && "$ctest" --parallel 4 --output-junit results.xml >ctest.log 2>&1) && exit 1
sed -n 's/.*<testcase name="\([a-z_0-9]*\)".*status="\([a-z]*\)".*/\1 \2/p' small/build/results.xml | sort
grep -o '[0-9]*% tests passed, [0-9]* tests failed out of [0-9]*' small/build/ctest.log

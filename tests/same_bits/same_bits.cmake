# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=g++ -DFLAGS="-O3 -march=native" -DINCLUDES=dir;dir -DSOURCE=digest.cpp -DEXPECTED=expected.txt -DPROGRAM=out [-DRUNNER=qemu] -P same_bits.cmake
# Builds the digest program with a compiler and flags of its own and compares what it prints with EXPECTED.
set(includes "")
foreach(directory IN LISTS INCLUDES)
  list(APPEND includes -isystem ${directory})
endforeach()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} -std=c++20 ${flags} ${includes} ${SOURCE} -o ${PROGRAM} RESULT_VARIABLE failed ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "${COMPILER} ${FLAGS} does not build the program:\n${text}")
endif()
execute_process(COMMAND ${RUNNER} ${PROGRAM} RESULT_VARIABLE failed OUTPUT_VARIABLE got)
if(failed)
  message(FATAL_ERROR "the program ends with ${failed}:\n${got}")
endif()
file(READ ${EXPECTED} expected)
if(NOT got STREQUAL expected)
  message(FATAL_ERROR "${COMPILER} ${FLAGS} gives other bits:\n${got}expected:\n${expected}")
endif()

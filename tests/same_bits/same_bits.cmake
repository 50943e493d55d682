# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=g++ -DFLAGS="-O3 -march=native" -DINCLUDES=dir;dir -DSOURCE=digest.cpp -DEXPECTED=expected.txt -DPROGRAM=out [-DRUNNER=qemu] -P same_bits.cmake
# Builds the digest program with a compiler and flags of its own and compares what it prints with EXPECTED.
set(includes "")
foreach(directory IN LISTS INCLUDES)
  list(APPEND includes -isystem ${directory})
endforeach()
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
execute_process(COMMAND ${COMPILER} -std=c++20 -pthread ${flags} ${includes} ${SOURCE} -o ${PROGRAM} RESULT_VARIABLE failed ERROR_VARIABLE text)
if(failed)
  message(FATAL_ERROR "${COMPILER} ${FLAGS} does not build the program:\n${text}")
endif()
file(READ ${EXPECTED} expected)
# By the best instruction set, and by each that the machine has.
foreach(set "" generic avx2 avx512 neon)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env ADAMANT_SIMD=${set} ${RUNNER} ${PROGRAM}
    RESULT_VARIABLE failed OUTPUT_VARIABLE got ERROR_VARIABLE text)
  if(text MATCHES "ADAMANT_SIMD is one that this machine has")
    message(STATUS "${set}: not on this machine")
  elseif(failed)
    message(FATAL_ERROR "the program ends with ${failed} (ADAMANT_SIMD='${set}'):\n${got}${text}")
  elseif(NOT got STREQUAL expected)
    message(FATAL_ERROR "${COMPILER} ${FLAGS} gives other bits (ADAMANT_SIMD='${set}'):\n${got}expected:\n${expected}")
  endif()
endforeach()

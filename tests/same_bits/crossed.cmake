# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=aarch64-linux-gnu-g++ -DSOURCES=a.cpp;b.cpp -DINCLUDES=dir;dir -DPROGRAM=out -DRUNNER=qemu-aarch64 -P crossed.cmake
# Builds a test program for another machine and runs it.
set(includes "")
foreach(directory IN LISTS INCLUDES)
  list(APPEND includes -isystem ${directory})
endforeach()
execute_process(COMMAND ${COMPILER} -std=c++20 -O2 -static -pthread -idirafter /usr/include ${includes} ${SOURCES} -o ${PROGRAM}
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${RUNNER} ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)

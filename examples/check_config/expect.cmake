# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=p -DARGUMENTS=a;b -DCODE=n -DTEXT=text -P expect.cmake
# Runs a program: it must end with CODE and print TEXT, on standard error where CODE is not 0.
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code STREQUAL "${CODE}")
  message(FATAL_ERROR "exit code ${code} instead of ${CODE}:\n${out}${err}")
endif()
if(CODE EQUAL 0)
  set(printed "${out}")
else()
  set(printed "${err}")
endif()
string(FIND "${printed}" "${TEXT}" place)
if(place LESS 0)
  message(FATAL_ERROR "'${TEXT}' is not in:\n${printed}")
endif()

# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=g++ "-DFLAGS=..." -P controls.cmake
# Programs that expect_compile_error.cmake has to refuse, each for its own reason, and one that it accepts.

set(controls
  "as_announced: "
  "compiles: the program compiles"
  "missing: no such program"
  "no_sentence: a program announces one sentence"
  "two_sentences: a program announces one sentence"
  "other_error: another error than announced"
  "longer_sentence: another error than announced"
  "shorter_sentence: another error than announced"
  "two_errors: 2 errors instead of one"
  "missing_include: another error than announced"
  "broken_twin: the twin does not compile"
  "long_winded: lines of diagnostics instead of 10")

set(bad "")
foreach(control IN LISTS controls)
  string(REGEX MATCH "^([a-z_]+): (.*)$" all "${control}")
  set(name ${CMAKE_MATCH_1})
  set(reason "${CMAKE_MATCH_2}")
  execute_process(COMMAND ${CMAKE_COMMAND} "-DCOMPILER=${COMPILER}" "-DFLAGS=${FLAGS}"
                          -DSOURCE=${CMAKE_CURRENT_LIST_DIR}/controls/${name}.cpp
                          -P ${CMAKE_CURRENT_LIST_DIR}/expect_compile_error.cmake
                  RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(FIND "${text}" "${reason}" place)
  if(reason STREQUAL "" AND NOT code EQUAL 0)
    list(APPEND bad "${name}: is to be accepted, got: ${text}")
  elseif(NOT reason STREQUAL "" AND code EQUAL 0)
    list(APPEND bad "${name}: is to be refused, and was accepted")
  elseif(place LESS 0)
    list(APPEND bad "${name}: is to be refused with '${reason}', got: ${text}")
  endif()
endforeach()
if(NOT bad STREQUAL "")
  list(JOIN bad "\n" text)
  message(FATAL_ERROR "${text}")
endif()

# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=readme_tables -DREADME=README.md -DSCRATCH=dir -P control.cmake
# Each row of the tables with another figure, in a copy, has to be refused.
file(STRINGS ${README} lines REGEX "^\\| [^|]* \\| [0-9.]+( \\+ 1/32)? \\|")
file(READ ${README} text)
set(changed 0)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^(\\| [^|]* \\| )([0-9])" "\\19\\2" other "${line}")
  string(REPLACE "${line}" "${other}" broken "${text}")
  if(broken STREQUAL text)
    message(FATAL_ERROR "no other figure for: ${line}")
  endif()
  file(WRITE ${SCRATCH}/broken.md "${broken}")
  execute_process(COMMAND ${PROGRAM} ${SCRATCH}/broken.md RESULT_VARIABLE code OUTPUT_QUIET)
  if(NOT code EQUAL 1)
    message(FATAL_ERROR "accepted (${code}): ${other}")
  endif()
  math(EXPR changed "${changed} + 1")
endforeach()
if(NOT changed EQUAL 21)
  message(FATAL_ERROR "${changed} rows with figures instead of 12 + 9")
endif()

# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMPILER=g++ "-DFLAGS=-std=c++20;-fsyntax-only;-I..." -DSOURCE=rule.cpp -P expect_compile_error.cmake
# The program's twin (-DTWIN) compiles; the program does not, with one error that says what its line
# "// EXPECT-ERROR: <sentence>" announces, no more and no less. The diagnostics have at most 10 lines beside the
# trail of includes, which is as long as the user's own includes make it.

set(most_lines 10)

# CMake's lists are split at semicolons and held together by brackets: both are taken out of what is compared.
function(without_list_marks variable)
  string(REPLACE ";" "," text "${${variable}}")
  string(REPLACE "[" "(" text "${text}")
  string(REPLACE "]" ")" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# refuse(reason, what the compiler said)
function(refuse reason)
  message("${ARGN}")
  message(FATAL_ERROR "${reason}: ${SOURCE}")
endfunction()

# compile(exit code, what the compiler says, arguments...)
function(compile exit_code text)
  set(ENV{LC_ALL} C)
  execute_process(COMMAND "${COMPILER}" ${FLAGS} ${ARGN} "${SOURCE}"
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(${exit_code} "${code}" PARENT_SCOPE)
  set(${text} "${out}" PARENT_SCOPE)
endfunction()

if(NOT EXISTS "${SOURCE}")
  refuse("no such program")
endif()
file(READ "${SOURCE}" program)
without_list_marks(program)
string(REGEX MATCHALL "// EXPECT-ERROR: [^\n]*" announced "${program}")
list(LENGTH announced count)
if(NOT count EQUAL 1)
  refuse("a program announces one sentence")
endif()
string(REPLACE "// EXPECT-ERROR: " "" sentence "${announced}")

compile(code text -DTWIN)
if(NOT code EQUAL 0)
  refuse("the twin does not compile" "${text}")
endif()

compile(code text)
if(code EQUAL 0)
  refuse("the program compiles")
endif()

set(plain "${text}")
without_list_marks(plain)
string(REGEX MATCHALL "[^\n]* error: [^\n]*" errors "${plain}")
list(LENGTH errors count)
if(NOT count EQUAL 1)
  refuse("${count} errors instead of one" "${text}")
endif()

# What the error says begins with "[adamant] " and ends with the line; clang 14 and nvcc put it in quotes.
string(REGEX REPLACE "\"$" "" said "${errors}")
string(FIND "${said}" "(adamant) " begin)
if(begin GREATER_EQUAL 0)
  string(SUBSTRING "${said}" ${begin} -1 said)
endif()
if(NOT said STREQUAL sentence)
  refuse("another error than announced" "${text}")
endif()

string(REGEX REPLACE "(In file included|                ) from [^\n]*\n" "" own "${plain}")
string(REGEX MATCHALL "[^\n]+" lines "${own}")
list(LENGTH lines count)
if(count GREATER most_lines)
  refuse("${count} lines of diagnostics instead of ${most_lines}" "${text}")
endif()

# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
# How dependencies are found: with find_package, and where one is missing the message names the Debian
# package to install.

set(ADAMANT_STATUS "" CACHE INTERNAL "rows of the status table")

function(adamant_note name state)
  set(ADAMANT_STATUS "${ADAMANT_STATUS};${name}|${state}" CACHE INTERNAL "rows of the status table")
endfunction()

# adamant_require(name PACKAGE package [VERSION v] DEBIAN debian-package): a package without which nothing is built.
macro(adamant_require name)
  cmake_parse_arguments(adamant "" "PACKAGE;VERSION;DEBIAN" "" ${ARGN})
  find_package(${adamant_PACKAGE} ${adamant_VERSION} QUIET)
  if(NOT ${adamant_PACKAGE}_FOUND)
    message(FATAL_ERROR "adamant needs ${name} ${adamant_VERSION}: install it with 'apt-get install ${adamant_DEBIAN}'.")
  endif()
  adamant_note(${name} "${${adamant_PACKAGE}_VERSION}")
endmacro()

# adamant_component(name SWITCH option PACKAGE package [VERSION v] DEBIAN debian-package LINK target): the target
# adamant::name for the roof folder include/adamant/name/. AUTO: if the package is there; ON: it must be; OFF: not.
macro(adamant_component name)
  cmake_parse_arguments(adamant "" "SWITCH;PACKAGE;VERSION;DEBIAN;LINK" "" ${ARGN})
  if(NOT ${adamant_SWITCH} MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "${adamant_SWITCH} is '${${adamant_SWITCH}}': write AUTO, ON or OFF.")
  endif()
  if(${adamant_SWITCH} STREQUAL "OFF")
    adamant_note("adamant::${name}" "off")
  else()
    find_package(${adamant_PACKAGE} ${adamant_VERSION} QUIET)
    if(${adamant_PACKAGE}_FOUND)
      add_library(adamant_${name} INTERFACE)
      add_library(adamant::${name} ALIAS adamant_${name})
      set_target_properties(adamant_${name} PROPERTIES EXPORT_NAME ${name})
      target_link_libraries(adamant_${name} INTERFACE adamant ${adamant_LINK})
      list(APPEND ADAMANT_COMPONENTS ${name})
      adamant_note("adamant::${name}" "${adamant_PACKAGE} ${${adamant_PACKAGE}_VERSION}${${adamant_PACKAGE}_CXX_VERSION}")
    elseif(${adamant_SWITCH} STREQUAL "ON")
      message(FATAL_ERROR "${adamant_SWITCH} is ON and ${adamant_PACKAGE} is missing: install it with 'apt-get install ${adamant_DEBIAN}'.")
    else()
      adamant_note("adamant::${name}" "missing: apt-get install ${adamant_DEBIAN}")
    endif()
  endif()
endmacro()

# adamant_want(result PACKAGE package TARGET target DEBIAN debian-package FOR what): a package that tests or examples use.
macro(adamant_want result)
  cmake_parse_arguments(adamant "" "PACKAGE;TARGET;DEBIAN;FOR" "" ${ARGN})
  find_package(${adamant_PACKAGE} QUIET)
  if(TARGET ${adamant_TARGET})
    set(${result} TRUE)
    adamant_note("${adamant_FOR}: ${adamant_PACKAGE}" "${${adamant_PACKAGE}_VERSION}${${adamant_PACKAGE}_VERSION_STRING}")
  else()
    set(${result} FALSE)
    adamant_note("${adamant_FOR}: ${adamant_PACKAGE}" "missing: apt-get install ${adamant_DEBIAN}")
  endif()
endmacro()

function(adamant_status_table)
  message(STATUS "adamant ${PROJECT_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
  foreach(row IN LISTS ADAMANT_STATUS)
    if(row MATCHES "^(.*)\\|(.*)$")
      string(LENGTH "${CMAKE_MATCH_1}" width)
      math(EXPR pad "28 - ${width}")
      string(REPEAT " " ${pad} blanks)
      message(STATUS "  ${CMAKE_MATCH_1}${blanks}${CMAKE_MATCH_2}")
    endif()
  endforeach()
endfunction()

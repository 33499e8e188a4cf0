# SPDX-License-Identifier: MIT
# libweir-explore: runs programs of others under every schedule.
#
# It shares the memory model and the search with the model tests, and takes the
# place of libc and of ThreadSanitizer's runtime in the program (explore/program).
# WEIR_EXPLORE=AUTO means ON where it works: on Linux with glibc, on x86-64,
# and without a sanitizer.

set(WEIR_EXPLORE AUTO CACHE STRING "Build libweir-explore: ON, OFF, AUTO")
set_property(CACHE WEIR_EXPLORE PROPERTY STRINGS AUTO ON OFF)

if(WEIR_EXPLORE STREQUAL AUTO)
  set(WEIR_EXPLORE OFF)
  if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT WEIR_SANITIZE AND NOT WEIR_FUZZ
     AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(WEIR_EXPLORE ON)
  endif()
endif()
if(NOT WEIR_EXPLORE) # neither its header nor its manual pages are installed
  list(FILTER headers EXCLUDE REGEX "/explore\\.h$")
  return()
endif()

file(GLOB explore_sources CONFIGURE_DEPENDS explore/program/*.c explore/page/*.c)
foreach(name coroutine execution known perform search trace weak)
  list(APPEND explore_sources explore/${name}.c)
endforeach()
add_library(weir-explore SHARED ${explore_sources})
add_library(weir::weir-explore ALIAS weir-explore)
# The search switches between stacks with longjmp(), which _FORTIFY_SOURCE takes
# for an error.
set_property(SOURCE explore/coroutine.c APPEND PROPERTY
             COMPILE_OPTIONS -U_FORTIFY_SOURCE)
# The assembler includes the page.
set_source_files_properties(explore/page/page.c PROPERTIES
  OBJECT_DEPENDS ${PROJECT_SOURCE_DIR}/explore/page/page.html
  COMPILE_DEFINITIONS
    WEIR_EXPLORE_PAGE="${PROJECT_SOURCE_DIR}/explore/page/page.html")
target_include_directories(weir-explore
  PRIVATE explore/program explore src
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_definitions(weir-explore PRIVATE
  WEIR_MODEL WEIR_EXPLORE_LOCATIONS=256 WEIR_EXPLORE_STACK_KIB=8192)
# What takes the place of another function is declared where that is, or by
# nobody, as the functions that the compiler calls.
target_compile_options(weir-explore PRIVATE -Wno-missing-prototypes)
target_link_libraries(weir-explore PRIVATE ${CMAKE_DL_LIBS})
# For the programs that are explored: instrumented, but linked without
# ThreadSanitizer's runtime.
target_compile_options(weir-explore INTERFACE
  -fsanitize=thread -gdwarf-4 -fno-optimize-sibling-calls)
target_link_options(weir-explore INTERFACE -Wl,-z,now)
set_target_properties(weir-explore PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
configure_file(explore/program/weir-explore.in weir-explore @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
                   GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

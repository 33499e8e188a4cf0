# SPDX-License-Identifier: MIT
# The HTTP parser llhttp: the target `llhttp`, objects of libweir-net.
#
# The source is WEIR_LLHTTP_DIR, or what tools/fetch-source has put into
# .llhttp/.  Sets llhttp_found.  Its lenient flags are never set: see
# net/http/parser.c.

set(WEIR_LLHTTP_DIR "$ENV{WEIR_LLHTTP_DIR}" CACHE PATH
    "Source of llhttp; empty: what tools/fetch-source has fetched")
set(llhttp_source ${WEIR_LLHTTP_DIR})
# A glob, so that the build notices when it has been fetched.
file(GLOB fetched_file CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/.llhttp/llhttp/src/llhttp.c)
if(NOT llhttp_source AND fetched_file)
  set(llhttp_source ${PROJECT_SOURCE_DIR}/.llhttp/llhttp)
endif()
set(llhttp_found OFF)
if(llhttp_source AND EXISTS ${llhttp_source}/include/llhttp.h)
  set(llhttp_found ON)
endif()

# Build it like the rest, with sanitizers if they are on, but without weir's
# warning options.
function(llhttp_build)
  set(files api http llhttp)
  list(TRANSFORM files PREPEND ${llhttp_source}/src/)
  list(TRANSFORM files APPEND .c)
  add_library(llhttp OBJECT ${files})
  target_compile_options(llhttp PRIVATE -w)
  target_include_directories(llhttp SYSTEM PUBLIC ${llhttp_source}/include)
  set_target_properties(llhttp PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

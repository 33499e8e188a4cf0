# SPDX-License-Identifier: MIT
# libweir-jobs: jobs that survive the process.
#
# It knows libweir by its public headers only.  WEIR_JOBS=AUTO means ON if SQLite
# is installed (tools/setup run sees to that), on Linux.

set(WEIR_JOBS AUTO CACHE STRING "Build libweir-jobs: ON, OFF, AUTO")
set_property(CACHE WEIR_JOBS PROPERTY STRINGS AUTO ON OFF)

find_library(JOBS_sqlite3_LIBRARY sqlite3)
find_path(JOBS_sqlite3_HEADER sqlite3.h)
if(WEIR_JOBS STREQUAL AUTO)
  set(WEIR_JOBS OFF)
  if(JOBS_sqlite3_LIBRARY AND JOBS_sqlite3_HEADER AND NOT WEIR_FUZZ AND
     CMAKE_SYSTEM_NAME STREQUAL Linux)
    set(WEIR_JOBS ON)
  endif()
endif()
if(NOT WEIR_JOBS) # neither its header nor its manual pages are installed
  list(FILTER headers EXCLUDE REGEX "/jobs\\.h$")
  return()
endif()
if(NOT JOBS_sqlite3_LIBRARY OR NOT JOBS_sqlite3_HEADER)
  message(FATAL_ERROR "libweir-jobs needs libsqlite3-dev: run tools/setup run, "
    "or set WEIR_JOBS=OFF.")
endif()

# What is installed finds it by name, wherever it is.
set(jobs_libraries $<BUILD_INTERFACE:${JOBS_sqlite3_LIBRARY}>
                   $<INSTALL_INTERFACE:sqlite3> ${CMAKE_DL_LIBS})
file(GLOB jobs_sources CONFIGURE_DEPENDS jobs/*/*.c)

# PostgreSQL's client library is loaded when it is needed (jobs/postgres/libpq.h):
# only its header is needed here, and without it the engine says so.
find_path(JOBS_libpq_HEADER libpq-fe.h PATH_SUFFIXES postgresql)
if(JOBS_libpq_HEADER)
  list(FILTER jobs_sources EXCLUDE REGEX "/postgres/absent\\.c$")
  set(script jobs/postgres/version-1.sql)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  file(READ ${script} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(CONFIGURE OUTPUT jobs/postgres/scripts.h CONTENT
    "static const char weir__script_1[] = {@bytes@0};\n" @ONLY)
else()
  list(FILTER jobs_sources EXCLUDE REGEX
       "/postgres/(libpq|link|list|ops|row|schedule|setup|store|watch)\\.c$")
endif()

add_library(weir-jobs-objects OBJECT ${jobs_sources})
target_include_directories(weir-jobs-objects PRIVATE jobs include)
target_include_directories(weir-jobs-objects SYSTEM PRIVATE
                           ${JOBS_sqlite3_HEADER}
                           $<$<BOOL:${JOBS_libpq_HEADER}>:${JOBS_libpq_HEADER}>)
target_include_directories(weir-jobs-objects PRIVATE ${PROJECT_BINARY_DIR}/jobs)
target_compile_options(weir-jobs-objects PRIVATE -fno-semantic-interposition)
set_target_properties(weir-jobs-objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

add_library(weir-jobs SHARED $<TARGET_OBJECTS:weir-jobs-objects>)
add_library(weir-jobs-static STATIC $<TARGET_OBJECTS:weir-jobs-objects>)
add_library(weir::weir-jobs ALIAS weir-jobs)
add_library(weir::weir-jobs-static ALIAS weir-jobs-static)
target_link_libraries(weir-jobs PUBLIC weir PRIVATE ${jobs_libraries})
target_link_libraries(weir-jobs-static PUBLIC weir-static ${jobs_libraries})
set_target_properties(weir-jobs-static PROPERTIES OUTPUT_NAME weir-jobs)
target_link_options(weir-jobs PRIVATE -Wl,--version-script=${map})
set_target_properties(weir-jobs PROPERTIES LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

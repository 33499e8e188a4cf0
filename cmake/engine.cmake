# SPDX-License-Identifier: MIT
# The JavaScript engine, quickjs-ng: the target `engine`.
#
# It is built from source if possible, so that it is built like the rest, with
# sanitizers if they are on.  The source is WEIR_QUICKJS_DIR, or what
# tools/fetch-source has put into .engine/.  Otherwise an installed libqjs-dev
# is used.  WEIR_JS=AUTO means ON if one of them is available, libweir-net is
# built and SQLite is installed, both of which libweir-js needs.
#
# The source is copied into the build directory and patched there with
# js/engine/*.patch (docs/decisions/engine.md explains why).  An installed
# library cannot be patched: with it, terminating a worker or reaching a memory
# limit during compilation can crash the process.

set(oldest 0.17.0)
set(fetched ${PROJECT_SOURCE_DIR}/.engine/quickjs-ng)
set(WEIR_QUICKJS_DIR "$ENV{WEIR_QUICKJS_DIR}" CACHE PATH
    "Source of quickjs-ng; empty: what tools/fetch-source has fetched")

# Get the version that quickjs.h declares.
function(engine_version directory variable)
  set(number "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS ${directory}/quickjs.h line
         REGEX "define QJS_VERSION_${part} +[0-9]+")
    string(REGEX MATCH "[0-9]+$" value "${line}")
    list(APPEND number "${value}")
  endforeach()
  list(JOIN number "." number)
  set(${variable} ${number} PARENT_SCOPE)
endfunction()

function(engine_check directory)
  engine_version(${directory} version)
  if(version VERSION_LESS oldest)
    message(FATAL_ERROR
      "quickjs-ng in ${directory} is ${version}; weir needs ${oldest}")
  endif()
endfunction()

# Copy the source, patch the copy, and return its directory.  Does nothing if
# neither source nor patches have changed, to avoid recompiling.
function(engine_patch directory variable)
  find_program(PATCH patch)
  set(target ${PROJECT_BINARY_DIR}/engine-source)
  file(GLOB files ${directory}/*.c ${directory}/*.h)
  file(GLOB patches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/js/engine/*.patch)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${directory}/quickjs.c ${directory}/quickjs.h ${patches})
  set(sums "")
  foreach(file IN LISTS files patches)
    file(SHA256 ${file} sum)
    string(APPEND sums "${sum} ${file}\n")
  endforeach()
  set(old "")
  if(EXISTS ${target}/sums)
    file(READ ${target}/sums old)
  endif()
  if(NOT old STREQUAL sums)
    file(REMOVE_RECURSE ${target})
    file(COPY ${files} DESTINATION ${target})
    if(NOT PATCH)
      message(FATAL_ERROR "The engine has to be patched: install patch.")
    endif()
    foreach(patch IN LISTS patches)
      execute_process(
        COMMAND ${PATCH} --strip=1 --fuzz=0 --forward --batch --silent
                --directory=${target} --input=${patch}
        RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
      if(NOT status EQUAL 0)
        engine_version(${directory} version)
        message(FATAL_ERROR "${patch} does not apply to quickjs-ng ${version} "
          "in ${directory}:\n${said}"
          "It was made for ${oldest}; docs/decisions/engine.md tells how to "
          "make it anew.")
      endif()
    endforeach()
    file(WRITE ${target}/sums "${sums}")
  endif()
  set(${variable} ${target} PARENT_SCOPE)
endfunction()

# Build the engine, without weir's warning options.
function(engine_from_source directory)
  engine_check(${directory})
  engine_patch(${directory} directory)
  add_library(engine STATIC
    ${directory}/dtoa.c ${directory}/libregexp.c ${directory}/libunicode.c
    ${directory}/quickjs.c)
  # -O3 inlines its bytecode readers: a tenth fewer instructions at startup.
  # With a sanitizer, -O2 takes twice as long to compile as -O1.
  if(WEIR_SANITIZE)
    set(optimize -O1)
  else()
    set(optimize $<$<CONFIG:Release,RelWithDebInfo>:-O3>)
  endif()
  # The checks for undefined behaviour double that again: `make verify` has them.
  if(WEIR_SANITIZE MATCHES undefined AND NOT WEIR_ENGINE_UBSAN)
    list(APPEND optimize -fno-sanitize=undefined)
  endif()
  # Lines, but not variables: describing those takes a fifth of the time.
  target_compile_options(engine PRIVATE -w ${optimize}
                         $<$<CONFIG:RelWithDebInfo>:-g1>)
  target_compile_definitions(engine PRIVATE QUICKJS_NG_BUILD)
  target_include_directories(engine SYSTEM INTERFACE ${directory})
  target_link_libraries(engine PUBLIC m Threads::Threads)
  set_target_properties(engine PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
endfunction()

function(engine_installed)
  engine_check(${ENGINE_INCLUDE})
  message(WARNING "The installed libqjs has not been patched by js/engine: it "
    "can crash when it compiles and memory runs out.")
  add_library(engine INTERFACE)
  target_include_directories(engine SYSTEM INTERFACE ${ENGINE_INCLUDE})
  target_link_libraries(engine INTERFACE ${ENGINE_LIBRARY} m Threads::Threads)
endfunction()

find_path(ENGINE_INCLUDE quickjs.h)
find_library(ENGINE_LIBRARY qjs)
set(source ${WEIR_QUICKJS_DIR})
# A glob, so that the build notices when it has been fetched.
file(GLOB fetched_file CONFIGURE_DEPENDS ${fetched}/quickjs.c)
if(NOT source AND fetched_file)
  set(source ${fetched})
endif()
if(source OR (ENGINE_INCLUDE AND ENGINE_LIBRARY))
  set(engine_found ON)
else()
  set(engine_found OFF)
endif()

set(WEIR_JS AUTO CACHE STRING
    "Build libweir-js and the program weir: ON, OFF, AUTO")
set_property(CACHE WEIR_JS PROPERTY STRINGS AUTO ON OFF)
if(WEIR_JS STREQUAL AUTO)
  set(WEIR_JS OFF)
  if(engine_found AND WEIR_NET AND SQLITE_LIBRARY AND SQLITE_HEADER)
    set(WEIR_JS ON)
  endif()
endif()
if(WEIR_JS AND NOT WEIR_NET)
  message(FATAL_ERROR "libweir-js needs libweir-net: set WEIR_NET=ON, or "
    "WEIR_JS=OFF.")
endif()
if(WEIR_JS AND NOT (SQLITE_LIBRARY AND SQLITE_HEADER))
  message(FATAL_ERROR "libweir-js needs libsqlite3-dev: run tools/setup run, "
    "or set WEIR_JS=OFF.")
endif()
if(WEIR_JS AND NOT engine_found)
  message(FATAL_ERROR "There is no JavaScript engine: run tools/fetch-source "
    "quickjs, set WEIR_QUICKJS_DIR, install libqjs-dev, or set WEIR_JS=OFF.")
elseif(WEIR_JS AND source)
  engine_from_source(${source})
elseif(WEIR_JS)
  engine_installed()
endif()

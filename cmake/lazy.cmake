# SPDX-License-Identifier: MIT
# The program weir loads SQLite and the libraries of libweir-net when they are
# needed (cli/lazy.c).  Where there are no stubs for the processor, and with
# sanitizers, which want to see every library at the start, it is linked with them.

file(GLOB cli_sources CONFIGURE_DEPENDS cli/*.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cli/types.d.ts)
file(READ cli/types.d.ts types HEX)
string(REGEX REPLACE "(..)" "0x\\1," types "${types}")
file(CONFIGURE OUTPUT cli/types.inc CONTENT "@types@\n" @ONLY)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64 AND CMAKE_SIZEOF_VOID_P EQUAL 8
   AND NOT WEIR_SANITIZE)
  set(lazy_libraries ${SQLITE_LIBRARY})
  foreach(name IN LISTS net_names)
    list(APPEND lazy_libraries ${NET_${name}_LIBRARY})
  endforeach()
  if(WEIR_INTL)
    list(APPEND lazy_libraries ${ICU_i18n_LIBRARY} ${ICU_uc_LIBRARY})
  endif()
  set(lazy_archives weir-net-static weir-js-static)
  if(WEIR_JOBS)
    list(PREPEND lazy_archives weir-jobs-static)
  endif()
  list(TRANSFORM lazy_archives REPLACE "(.+)" "$<TARGET_FILE:\\1>"
       OUTPUT_VARIABLE lazy_files)
  add_custom_command(OUTPUT lazy.h
    COMMAND ${PROJECT_SOURCE_DIR}/tools/make-lazy ${lazy_files} --
            ${lazy_libraries} > lazy.h
    DEPENDS ${lazy_archives} tools/make-lazy VERBATIM)
  add_executable(weir-program ${cli_sources} ${PROJECT_BINARY_DIR}/lazy.h)
  target_compile_definitions(weir-program PRIVATE
    LAZY_FUNCTIONS="${PROJECT_BINARY_DIR}/lazy.h")
  # By its file, because the target would bring its libraries along.
  add_dependencies(weir-program ${lazy_archives})
  set(lazy_jobs "")
  if(WEIR_JOBS)
    set(lazy_jobs $<TARGET_FILE:weir-jobs-static>)
  endif()
  target_link_libraries(weir-program PRIVATE
    $<TARGET_FILE:weir-js-static> ${lazy_jobs} engine
    $<TARGET_FILE:weir-net-static> weir-static ${CMAKE_DL_LIBS})
  target_include_directories(weir-program PRIVATE include)
else()
  list(FILTER cli_sources EXCLUDE REGEX "/lazy\\.c$")
  add_executable(weir-program ${cli_sources})
  target_link_libraries(weir-program PRIVATE weir-js-static)
endif()

target_compile_definitions(weir-program PRIVATE
  TYPES_TEXT="${PROJECT_BINARY_DIR}/cli/types.inc")

# Pack the relocations, of which there are thousands: they are applied faster,
# and a hundred kilobytes of them need not be read.  Old C libraries cannot.
if(NOT WEIR_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  include(CheckCSourceRuns)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -pie LINKER:-z,pack-relative-relocs)
  check_c_source_runs(
    "static int a; int *const volatile p = &a; int main(void) { return *p; }"
    HAS_PACKED_RELOCATIONS)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
endif()
if(HAS_PACKED_RELOCATIONS)
  target_link_options(weir-program PRIVATE LINKER:-z,pack-relative-relocs)
endif()

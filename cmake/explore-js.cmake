# SPDX-License-Identifier: MIT
# weir-explore-js, which `weir explore` starts: the program weir under a scheduler
# of its own (explore/javascript).
#
# The linker puts the scheduler between the host and the system: a call of a
# function in this list goes to __wrap_FUNCTION in explore/javascript.

set(wrapped
  weir_js_run weir_live_start weir__js_new weir__js_join_time weir_loop_post
  weir_thread_start weir__js_work_start weir__js_pool_enter
  weir__js_builtins_drop weir__js_drop_libs weir__js_heap_weigh_anchor JS_FreeContext JS_FreeRuntime JS_FreeValue
  weir__futex_wait weir__futex_wake_one weir__futex_wake_all
  weir__thread_yield weir__thread_cores weir__clock_real weir__tsc_is_clock
  pthread_create pthread_join epoll_pwait2 poll write nanosleep
  clock_gettime gettimeofday time getrandom getpid getppid getloadavg sysconf
  open fopen statx chmod chown ftruncate link mkdir mkdtemp rename rmdir symlink
  unlink utimensat socket clone kill
  chdir setpriority sigaction setuid seteuid setgid setegid setgroups
  initgroups)

# An engine of its own, which reports plain accesses to shared memory.
get_target_property(engine_sources engine SOURCES)
get_target_property(engine_options engine COMPILE_OPTIONS)
list(GET engine_sources 0 engine_directory)
get_filename_component(engine_directory ${engine_directory} DIRECTORY)
set(explore_engine ${PROJECT_BINARY_DIR}/engine-explore)
set(explore_patch ${PROJECT_SOURCE_DIR}/js/engine/explore/plain-accesses.patch)
add_custom_command(OUTPUT ${explore_engine}/quickjs.c
  COMMAND ${CMAKE_COMMAND} -E make_directory ${explore_engine}
  COMMAND ${CMAKE_COMMAND} -E copy ${engine_directory}/quickjs.c ${explore_engine}
  COMMAND ${PATCH} --strip=1 --fuzz=0 --forward --batch --silent
          --directory=${explore_engine} --input=${explore_patch}
  DEPENDS ${explore_patch} ${engine_directory}/quickjs.c VERBATIM)
add_library(engine-explore STATIC ${explore_engine}/quickjs.c
  ${engine_directory}/dtoa.c ${engine_directory}/libregexp.c
  ${engine_directory}/libunicode.c)
target_compile_options(engine-explore PRIVATE ${engine_options})
target_compile_definitions(engine-explore PRIVATE QUICKJS_NG_BUILD)
target_include_directories(engine-explore SYSTEM
  PRIVATE ${engine_directory} INTERFACE ${engine_directory})
target_link_libraries(engine-explore PUBLIC m Threads::Threads)
set_target_properties(engine-explore PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

file(GLOB explore_js_sources CONFIGURE_DEPENDS explore/javascript/*.c)
# main() of the program is called by the explorer's.
add_library(explore-js-program OBJECT cli/main.c)
target_compile_definitions(explore-js-program PRIVATE
  main=run_weir WEIR_EXPLORED)
target_compile_options(explore-js-program PRIVATE -Wno-missing-prototypes)
target_include_directories(explore-js-program PRIVATE include)
set(explore_js_cli ${cli_sources})
list(FILTER explore_js_cli EXCLUDE REGEX "/main\\.c$")
add_executable(weir-explore-js ${explore_js_sources} ${explore_js_cli}
  explore/page/page.c $<TARGET_OBJECTS:explore-js-program>)
if(DEFINED lazy_libraries) # as the program weir
  target_sources(weir-explore-js PRIVATE ${PROJECT_BINARY_DIR}/lazy.h)
  target_compile_definitions(weir-explore-js PRIVATE
    LAZY_FUNCTIONS="${PROJECT_BINARY_DIR}/lazy.h")
  set(explore_js_jobs ${lazy_jobs})
  set(explore_js_libraries "")
else()
  set(explore_js_jobs "")
  if(WEIR_JOBS)
    set(explore_js_jobs $<TARGET_FILE:weir-jobs-static>)
  endif()
  set(explore_js_libraries ${SQLITE_LIBRARY})
  if(WEIR_INTL)
    list(APPEND explore_js_libraries ${ICU_i18n_LIBRARY} ${ICU_uc_LIBRARY})
  endif()
  foreach(name IN LISTS net_names)
    list(APPEND explore_js_libraries ${NET_${name}_LIBRARY})
  endforeach()
endif()
add_dependencies(weir-explore-js weir-program)
target_compile_definitions(weir-explore-js PRIVATE
  TYPES_TEXT="${PROJECT_BINARY_DIR}/cli/types.inc")
target_include_directories(weir-explore-js PRIVATE
  explore/javascript explore js src include)
target_link_libraries(weir-explore-js PRIVATE
  $<TARGET_FILE:weir-js-static> ${explore_js_jobs} engine-explore
  $<TARGET_FILE:weir-net-static>
  weir-static ${explore_js_libraries} ${CMAKE_DL_LIBS})
install(TARGETS weir-explore-js DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir)
# __wrap_FUNCTION is declared by nobody.
target_compile_options(weir-explore-js PRIVATE -Wno-missing-prototypes)
foreach(function IN LISTS wrapped)
  target_link_options(weir-explore-js PRIVATE LINKER:--wrap=${function})
endforeach()

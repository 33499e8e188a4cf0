# SPDX-License-Identifier: MIT
# The network benchmarks: bench/net/run, its clients, and the servers that are
# not packages.  bench/run finds them as one program, build/bench/net, and
# bench/page.py as build/bench/page.

file(GLOB net_programs CONFIGURE_DEPENDS bench/net/*.c)
list(FILTER net_programs EXCLUDE REGEX "/(echo_uv|http_epoll)\\.c$")
weir_programs(bench/net.programs "${net_programs}"
              weir-net-static Threads::Threads)
target_include_directories(bench_net_codec_c PRIVATE net)
find_path(BENCH_UV_HEADER uv.h)
find_library(BENCH_NET_UV NAMES libuv_a.a libuv.a uv)
if(BENCH_UV_HEADER AND BENCH_NET_UV)
  weir_programs(bench/net.programs ${PROJECT_SOURCE_DIR}/bench/net/echo_uv.c
                ${BENCH_NET_UV} Threads::Threads ${CMAKE_DL_LIBS})
endif()
if(TARGET llhttp)
  weir_programs(bench/net.programs ${PROJECT_SOURCE_DIR}/bench/net/http_epoll.c
                llhttp)
endif()
foreach(name net page)
  set(script ${PROJECT_SOURCE_DIR}/bench/net/run)
  if(name STREQUAL "page")
    set(script ${PROJECT_SOURCE_DIR}/bench/page.py)
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/bench/${name}
    "#!/bin/sh\n"
    "exec ${script} --build ${PROJECT_BINARY_DIR} \"$@\"\n")
  file(CHMOD ${PROJECT_BINARY_DIR}/bench/${name} PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
endforeach()

# SPDX-License-Identifier: MIT
# The libraries of libweir-net.  WEIR_NET=AUTO means ON if all of them are
# installed and the source of llhttp is there (tools/setup run sees to that).

set(WEIR_NET AUTO CACHE STRING "Build libweir-net: ON, OFF, AUTO")
set_property(CACHE WEIR_NET PROPERTY STRINGS AUTO ON OFF)

set(net_libraries "")
set(net_names "")
set(net_missing "")
foreach(library ssl:openssl/ssl.h crypto:openssl/evp.h z:zlib.h
                brotlidec:brotli/decode.h brotlienc:brotli/encode.h
                zstd:zstd.h deflate:libdeflate.h
                cares:ares.h)
  string(REGEX MATCH "^[^:]+" name ${library})
  string(REGEX MATCH "[^:]+$" header ${library})
  find_library(NET_${name}_LIBRARY ${name})
  find_path(NET_${name}_HEADER ${header})
  if(NET_${name}_LIBRARY AND NET_${name}_HEADER)
    # What is installed finds them by name, wherever they are.
    list(APPEND net_libraries $<BUILD_INTERFACE:${NET_${name}_LIBRARY}>
                              $<INSTALL_INTERFACE:${name}>)
    list(APPEND net_names ${name})
  else()
    list(APPEND net_missing ${name})
  endif()
endforeach()

include(cmake/llhttp.cmake)
if(NOT llhttp_found)
  list(APPEND net_missing "the source of llhttp (tools/fetch-source llhttp)")
endif()

if(WEIR_NET STREQUAL AUTO)
  set(WEIR_NET ON)
  if(net_missing)
    set(WEIR_NET OFF)
  endif()
endif()
if(NOT WEIR_NET) # neither its headers nor its manual pages are installed
  set(net_headers "")
  list(FILTER headers EXCLUDE REGEX "/(process|watch)\\.h$")
  list(FILTER host_headers EXCLUDE REGEX "/(http|parser)\\.h$")
elseif(net_missing)
  list(JOIN net_missing ", " net_missing)
  message(FATAL_ERROR "libweir-net needs ${net_missing}: run tools/setup run, "
    "or set WEIR_NET=OFF.")
endif()

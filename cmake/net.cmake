# SPDX-License-Identifier: MIT
# libweir-net: streams, listeners, names, processes, TLS, HTTP and WebSocket.
#
# It knows libweir by its public headers only.  The libraries that it uses do no
# I/O of their own: they are given bytes and give bytes.  WEIR_NET=AUTO means ON
# if all of them are installed and the source of llhttp is there (tools/setup run
# sees to that).

set(WEIR_NET AUTO CACHE STRING "Build libweir-net: ON, OFF, AUTO")
set_property(CACHE WEIR_NET PROPERTY STRINGS AUTO ON OFF)

set(net_libraries "")
set(net_names "")
set(net_missing "")
foreach(library ssl:openssl/ssl.h crypto:openssl/evp.h z:zlib.h
                brotlidec:brotli/decode.h zstd:zstd.h
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
  return()
endif()
if(net_missing)
  list(JOIN net_missing ", " net_missing)
  message(FATAL_ERROR "libweir-net needs ${net_missing}: run tools/setup run, "
    "or set WEIR_NET=OFF.")
endif()

llhttp_build()
file(GLOB net_sources CONFIGURE_DEPENDS net/*/*.c)
add_library(weir-net-objects OBJECT ${net_sources})
target_include_directories(weir-net-objects PRIVATE net include)
target_include_directories(weir-net-objects SYSTEM PRIVATE
  $<TARGET_PROPERTY:llhttp,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_options(weir-net-objects PRIVATE -fno-semantic-interposition)
set_target_properties(weir-net-objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

add_library(weir-net SHARED $<TARGET_OBJECTS:weir-net-objects>
                            $<TARGET_OBJECTS:llhttp>)
add_library(weir-net-static STATIC $<TARGET_OBJECTS:weir-net-objects>
                                   $<TARGET_OBJECTS:llhttp>)
add_library(weir::weir-net ALIAS weir-net)
add_library(weir::weir-net-static ALIAS weir-net-static)
target_link_libraries(weir-net PUBLIC weir PRIVATE ${net_libraries})
target_link_libraries(weir-net-static PUBLIC weir-static ${net_libraries})
set_target_properties(weir-net-static PROPERTIES OUTPUT_NAME weir-net)
target_link_options(weir-net PRIVATE -Wl,--version-script=${map})
set_target_properties(weir-net PROPERTIES LINK_DEPENDS ${map}
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# SPDX-License-Identifier: MIT
# libweir-net: streams, listeners, names, processes, TLS, HTTP and WebSocket.
#
# It knows libweir by its public headers only.  The libraries that it uses do no
# I/O of their own: they are given bytes and give bytes.

if(NOT WEIR_NET)
  return()
endif()

llhttp_build()
file(GLOB net_sources CONFIGURE_DEPENDS net/*/*.c)
include(cmake/page.cmake)
list(APPEND net_sources ${page_source})
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

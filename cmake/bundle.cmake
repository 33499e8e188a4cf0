# SPDX-License-Identifier: MIT
# Packages of npm that are part of libweir-js: `bundles`, files for js-compile.
#
# tools/setup installs them, and esbuild, from js/bundle/package-lock.json.
# Without them there is no URL: using it is a ReferenceError; and of a CommonJS
# module that is imported only the default export.

set(packages "")
set(bundle ${PROJECT_SOURCE_DIR}/js/bundle)
set(bundles "")
# A glob: the build notices when they have come.
file(GLOB installed CONFIGURE_DEPENDS
     ${bundle}/node_modules/esbuild/package.json)
find_program(NODE NAMES node nodejs)
if(installed AND NODE)
  file(GLOB entries CONFIGURE_DEPENDS ${bundle}/*.js ${bundle}/*.mjs)
  foreach(package whatwg-url tr46 cjs-module-lexer)
    file(GLOB found CONFIGURE_DEPENDS
         ${bundle}/node_modules/${package}/package.json)
    if(found)
      list(APPEND packages ${package})
      list(APPEND bundles ${PROJECT_BINARY_DIR}/bundle/${package}.js)
    endif()
  endforeach()
  add_custom_command(OUTPUT ${bundles} ${PROJECT_BINARY_DIR}/bundle/NOTICE
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bundle
    COMMAND ${NODE} ${bundle}/bundle.js ${PROJECT_BINARY_DIR}/bundle ${packages}
    DEPENDS ${entries} ${bundle}/package-lock.json VERBATIM)
else()
  message(STATUS "Without URL: tools/setup installs its parser.")
endif()

# SPDX-License-Identifier: MIT
# npm packages that are part of libweir-js.  Sets `bundles`, the files for
# js-compile.
#
# tools/setup installs them and esbuild from js/bundle/package-lock.json.
# Without them, using URL is a ReferenceError, importing a CommonJS module yields
# only its default export, TextDecoder knows no legacy encoding but windows-1252,
# TypeScript is refused, and so are patterns of file names (fs.glob).

set(packages "")
set(bundle ${PROJECT_SOURCE_DIR}/js/bundle)
set(bundles "")
# A glob, so that the build notices when they are installed.
file(GLOB installed CONFIGURE_DEPENDS
     ${bundle}/node_modules/esbuild/package.json)
find_program(NODE NAMES node nodejs)
if(installed AND NODE)
  file(GLOB entries CONFIGURE_DEPENDS ${bundle}/*.js ${bundle}/*.mjs)
  foreach(package whatwg-url tr46 cjs-module-lexer readable-stream sucrase
                  minimatch)
    file(GLOB found CONFIGURE_DEPENDS
         ${bundle}/node_modules/${package}/package.json)
    if(found)
      list(APPEND packages ${package})
      list(APPEND bundles ${PROJECT_BINARY_DIR}/bundle/${package}.js)
    endif()
  endforeach()
  if(readable-stream IN_LIST packages) # in two parts
    list(APPEND packages stream-more)
    list(APPEND bundles ${PROJECT_BINARY_DIR}/bundle/stream-more.js)
  endif()
  file(GLOB found CONFIGURE_DEPENDS
       ${bundle}/node_modules/@exodus/bytes/package.json)
  if(found)
    list(APPEND packages legacy-encodings)
    list(APPEND bundles ${PROJECT_BINARY_DIR}/bundle/legacy-encodings.js)
  endif()
  add_custom_command(OUTPUT ${bundles} ${PROJECT_BINARY_DIR}/bundle/NOTICE
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bundle
    COMMAND ${NODE} ${bundle}/bundle.js ${PROJECT_BINARY_DIR}/bundle ${packages}
    DEPENDS ${entries} ${bundle}/package-lock.json VERBATIM)
else()
  message(STATUS "Without URL: tools/setup installs its parser.")
endif()

# SPDX-License-Identifier: MIT
# The files of the monitor's page as arrays in C: page_source becomes the name of
# the source.

set(page_source ${PROJECT_BINARY_DIR}/page.c)
set(page_rows "")
set(page_text "#include \"monitor/page.h\"\n")
foreach(row "index.html|/|text/html" "live.js|/live.js|text/javascript"
            "live.css|/live.css|text/css")
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 name)
  list(GET row 1 path)
  list(GET row 2 type)
  set(file ${PROJECT_SOURCE_DIR}/net/monitor/page/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes
         "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(MAKE_C_IDENTIFIER ${name} id)
  string(APPEND page_text "static const unsigned char ${id}[] = {\n${bytes}};\n")
  string(APPEND page_rows "    {\"${path}\", \"${type}; charset=utf-8\", ${id}, "
                          "sizeof(${id})},\n")
endforeach()
string(APPEND page_text
       "const struct weir__page_file weir__page_files[WEIR__PAGE_FILES] = {\n"
       "${page_rows}};\n")
file(CONFIGURE OUTPUT ${page_source} CONTENT "${page_text}" @ONLY)

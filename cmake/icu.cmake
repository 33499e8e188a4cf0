# SPDX-License-Identifier: MIT
# ICU, which js/intl uses for Intl.  WEIR_INTL=AUTO means ON if it is installed.

find_library(ICU_i18n_LIBRARY icui18n)
find_library(ICU_uc_LIBRARY icuuc)
find_path(ICU_HEADER unicode/unumberrangeformatter.h)
set(WEIR_INTL AUTO CACHE STRING "Build Intl with ICU: ON, OFF, AUTO")
set_property(CACHE WEIR_INTL PROPERTY STRINGS AUTO ON OFF)
if(ICU_i18n_LIBRARY AND ICU_uc_LIBRARY AND ICU_HEADER)
  set(icu_found ON)
else()
  set(icu_found OFF)
endif()
if(WEIR_INTL STREQUAL AUTO)
  set(WEIR_INTL ${icu_found})
elseif(WEIR_INTL AND NOT icu_found)
  message(FATAL_ERROR "WEIR_INTL needs ICU: install libicu-dev, or set "
    "WEIR_INTL=OFF.")
endif()
set(icu_libraries "")
set(icu_header "")
if(WEIR_INTL)
  set(icu_header ${ICU_HEADER})
  # What is installed finds them by name, wherever they are.
  set(icu_libraries $<BUILD_INTERFACE:${ICU_i18n_LIBRARY}>
                    $<BUILD_INTERFACE:${ICU_uc_LIBRARY}>
                    $<INSTALL_INTERFACE:icui18n> $<INSTALL_INTERFACE:icuuc>)
endif()

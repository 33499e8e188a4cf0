# SPDX-License-Identifier: MIT
# What makes a memory error harder to exploit, for all that is compiled here: in
# builds that are optimised, since those are installed, and since
# _FORTIFY_SOURCE needs an optimiser.  Debug builds and sanitizers have better.
#
# test/api/install.sh looks for each of these in what `make install` leaves.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)

set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)

function(harden_compiler)
  set(CMAKE_REQUIRED_FLAGS -Werror) # clang warns of what it does not know
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER HAS${flag} has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      add_compile_options($<${optimised}:${flag}>)
    endif()
  endforeach()
endfunction()

function(harden_linker)
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER HAS${flag} has)
    check_linker_flag(C ${flag} ${has})
    if(${has})
      add_link_options($<${optimised}:${flag}>)
    endif()
  endforeach()
endfunction()

if(WEIR_HARDENING AND NOT WEIR_SANITIZE AND NOT WEIR_MODEL)
  harden_compiler(-fstack-protector-strong -fstack-clash-protection
                  -fcf-protection -mbranch-protection=standard)
  harden_linker(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # Some compilers define it themselves; what the user gives counts.
  if(NOT "${CMAKE_C_FLAGS} $ENV{CPPFLAGS}" MATCHES "_FORTIFY_SOURCE")
    add_compile_options($<${optimised}:-U_FORTIFY_SOURCE>
                        $<${optimised}:-D_FORTIFY_SOURCE=2>)
  endif()
  # Programs that can be anywhere in memory, as libraries can.
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  if(CMAKE_C_LINK_PIE_SUPPORTED)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  endif()
endif()

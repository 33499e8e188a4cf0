# SPDX-License-Identifier: MIT
# Options that make memory errors harder to exploit, for everything compiled
# here.  They apply to optimised builds only: those are the ones installed, and
# _FORTIFY_SOURCE needs optimisation.  Debug builds and sanitizers have better
# checks.
#
# test/api/install.sh checks for each of these in what `make install` installs.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)

set(optimised $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)

function(harden_compiler)
  set(CMAKE_REQUIRED_FLAGS -Werror) # clang only warns about unknown options
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
  # Some compilers define it by default; the user's setting takes precedence.
  if(NOT "${CMAKE_C_FLAGS} $ENV{CPPFLAGS}" MATCHES "_FORTIFY_SOURCE")
    add_compile_options($<${optimised}:-U_FORTIFY_SOURCE>
                        $<${optimised}:-D_FORTIFY_SOURCE=2>)
  endif()
  # Position-independent executables.
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  if(CMAKE_C_LINK_PIE_SUPPORTED)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  endif()
endif()

/* SPDX-License-Identifier: MIT */
/*
 * os/dladdr -- format a code address as text for addr2line.
 *
 * Tested by  test/unit/base/origin.c
 */
#include "base/origin.h"

#if WEIR__ORIGINS

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

/* `from` is a return address; the call is just before it. */
void weir__origin_name(const void *from, char *text, size_t size)
{
    uintptr_t call = (uintptr_t)from - 1;
    Dl_info info;

    if (dladdr((void *)call, &info) != 0 && info.dli_fname != NULL)
        snprintf(text, size, "%s+0x%" PRIxPTR, info.dli_fname,
                 call - (uintptr_t)info.dli_fbase);
    else
        snprintf(text, size, "0x%" PRIxPTR, call);
}

#endif /* WEIR__ORIGINS */

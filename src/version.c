/* SPDX-License-Identifier: MIT */
/*
 * version -- the version of the library, as opposed to the header's.
 */
#include "weir/version.h"

const char *weir_version(void)
{
    return WEIR_VERSION;
}

/* SPDX-License-Identifier: MIT */
/*
 * version -- the version of the library, which may differ from the header's.
 */
#include "weir/version.h"

const char *weir_version(void)
{
    return WEIR_VERSION;
}

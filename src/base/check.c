/* SPDX-License-Identifier: MIT */
/*
 * check -- how a failed check ends the process.
 */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void weir__check_failed(const char *file, int line, const char *text)
{
    fprintf(stderr, "weir: %s:%d: %s\n", file, line, text);
    abort();
}

/* SPDX-License-Identifier: MIT */
/*
 * overflow -- One byte too many, depending on who comes first.
 *
 * correct: nothing found
 * broken: crash
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

enum { SIZE = 2 };
static char *text;
static atomic_int length;

static void *append(void *argument)
{
#ifdef BROKEN
    if (atomic_load(&length) < SIZE)
        text[atomic_fetch_add(&length, 1)] = 'x';
#else
    int at = atomic_fetch_add(&length, 1);

    if (at < SIZE)
        text[at] = 'x';
#endif
    return argument;
}

int main(void)
{
    text = malloc(SIZE);
    START(append, append, append);
    free(text);
}

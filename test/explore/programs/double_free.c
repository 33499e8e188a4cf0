/* SPDX-License-Identifier: MIT */
/*
 * double_free -- Two threads close, and both of them free.
 *
 * correct: nothing found
 * broken: use after free
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

static char *buffer;
static atomic_int is_closed;

static void *close_it(void *argument)
{
#ifdef BROKEN /* looks, then acts */
    if (!atomic_load(&is_closed)) {
        atomic_store(&is_closed, 1);
        free(buffer);
    }
#else
    if (!atomic_exchange(&is_closed, 1))
        free(buffer);
#endif
    return argument;
}

int main(void)
{
    buffer = malloc(10);
    START(close_it, close_it);
}

/* SPDX-License-Identifier: MIT */
/*
 * publication -- A pointer that is published, as in RCU.
 *
 * correct: nothing found
 * broken: data race
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "start.h"

#ifdef BROKEN
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif

struct config {
    int limit, timeout;
};

static _Atomic(struct config *) current;

static void *publish(void *argument)
{
    struct config *config = malloc(sizeof(*config));

    config->limit = 10;
    config->timeout = 20;
    atomic_store_explicit(&current, config, RELEASE);
    return argument;
}

static void *use(void *argument)
{
    struct config *config =
        atomic_load_explicit(&current, memory_order_consume);

    if (config != NULL)
        assert(config->limit == 10 && config->timeout == 20);
    return argument;
}

int main(void)
{
    START(publish, use, use);
    free(atomic_load(&current));
}

/* SPDX-License-Identifier: MIT */
/*
 * local -- values that libraries attach to a loop.
 *
 * Shape     A list of keys and values.  There are as many as there are libraries
 *           on the loop, so a search takes a few steps.
 * Roles     set, get   the loop's thread
 *           fini       the thread that frees the loop
 *
 * Tested by  test/unit/loop/local.c
 */
#include <errno.h>
#include <stddef.h>

#include "base/memory.h"
#include "loop/loop.h"
#include "weir/host/loop.h"

struct weir__local {
    struct weir__local *next;
    const void *key;
    void *value;
    void (*destroy)(void *value);
};

static struct weir__local *find(const weir_loop *loop, const void *key)
{
    struct weir__local *local = loop->locals;

    while (local != NULL && local->key != key)
        local = local->next;
    return local;
}

int weir_loop_set_local(weir_loop *loop, const void *key, void *value,
                        void (*destroy)(void *value))
{
    struct weir__local *local;

    if (loop == NULL || key == NULL || destroy == NULL)
        return -EINVAL;
    local = find(loop, key);
    if (local != NULL) {
        local->destroy(local->value);
        local->value = value;
        local->destroy = destroy;
        return 0;
    }
    local = weir__memory_alloc(sizeof(*local), _Alignof(struct weir__local));
    if (local == NULL)
        return -ENOMEM;
    *local = (struct weir__local){loop->locals, key, value, destroy};
    loop->locals = local;
    return 0;
}

void *weir_loop_local(const weir_loop *loop, const void *key)
{
    struct weir__local *local = loop == NULL ? NULL : find(loop, key);

    return local == NULL ? NULL : local->value;
}

void weir__locals_fini(weir_loop *loop)
{
    while (loop->locals != NULL) {
        struct weir__local *local = loop->locals;

        loop->locals = local->next;
        local->destroy(local->value);
        weir__memory_free(local, sizeof(*local));
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * orphan -- see orphan.h.
 *
 * An orphan is a child that no loop watches.  Whenever a child is spawned, on
 * any loop's thread, the orphans of this process that have exited are reaped,
 * under a lock.  So zombies do not accumulate.  When this process exits, init
 * takes over.
 */
#include "process/orphan.h"

#include <stddef.h>

#include "os/socket.h"
#include "os/spawn.h"
#include "weir/host/lock.h"
#include "weir/host/memory.h"

struct weir__orphan {
    struct weir__orphan *next;
    int pidfd;
};

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static struct weir__orphan *orphans; /* under the lock */

struct weir__orphan *weir__orphan_new(void)
{
    return weir_memory_alloc(sizeof(struct weir__orphan));
}

void weir__orphan_free(struct weir__orphan *orphan)
{
    weir_memory_free(orphan, sizeof(*orphan));
}

void weir__orphan_leave(struct weir__orphan *orphan, int pidfd)
{
    orphan->pidfd = pidfd;
    weir_global_lock_acquire(&lock);
    orphan->next = orphans;
    orphans = orphan;
    weir_global_lock_release(&lock);
}

/* Take those out of the list that have exited. */
static struct weir__orphan *take_exited(void)
{
    struct weir__orphan **place = &orphans, *exited = NULL;
    weir_process_result result;

    while (*place != NULL) {
        struct weir__orphan *orphan = *place;

        if (weir__spawn_reap(orphan->pidfd, &result) == 0) {
            place = &orphan->next;
            continue;
        }
        *place = orphan->next;
        orphan->next = exited;
        exited = orphan;
    }
    return exited;
}

void weir__orphan_reap(void)
{
    struct weir__orphan *exited;

    weir_global_lock_acquire(&lock);
    exited = take_exited();
    weir_global_lock_release(&lock);
    while (exited != NULL) {
        struct weir__orphan *next = exited->next;

        weir__socket_close(exited->pidfd);
        weir__orphan_free(exited);
        exited = next;
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * sync -- see sync.h.
 */
#include "sync.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "hash.h"
#include "shadow.h"
#include "site.h"

enum { OBJECTS = 512 };

static struct objects {
    unsigned count, last;
    struct sync sync[OBJECTS];
} * objects;

void sync_reset(void)
{
    if (objects == NULL) {
        objects = calloc(1, sizeof(*objects));
        if (objects == NULL)
            abort();
    }
    objects->count = 0;
    objects->last = 0;
}

static struct sync *find(const void *object)
{
    if (objects->last < objects->count &&
        objects->sync[objects->last].object == object)
        return &objects->sync[objects->last];
    for (unsigned i = 0; i < objects->count; i++) {
        if (objects->sync[i].object == object) {
            objects->last = i;
            return &objects->sync[i];
        }
    }
    return NULL;
}

struct sync *sync_get(const void *object)
{
    struct sync *sync = find(object);

    if (sync != NULL)
        return sync;
    if (objects->count == OBJECTS)
        program_refuse("more than 512 mutexes and the like", 0);
    sync = &objects->sync[objects->count++];
    memset(sync, 0, sizeof(*sync));
    sync->object = object;
    sync->owner = -1;
    return sync;
}

void sync_forget(const void *object)
{
    struct sync *sync = find(object);

    if (sync == NULL)
        return;
    memset(sync, 0, sizeof(*sync));
    sync->object = object;
    sync->owner = -1;
}

const struct op *sync_ask(const struct verb *verb, const void *object,
                          struct op op, uintptr_t pc)
{
    const struct op *result;

    op.kind = OP_SYNC;
    op.verb = verb;
    op.word = object;
    op.site = site_get(site_of(pc));
    if (op.is_timed)
        op.also = the_clock; /* it may reach its deadline */
    if (sync_get(object)->is_destroyed)
        execution_fail(MODEL_ASSERTION, "%s: %s of what was destroyed",
                       execution->self->name, verb->name);
    result = program_ask(&op);
    shadow_atomic(object, 1, true, pc);
    program_wipe_stack();
    return result;
}

void sync_write(const void *object, size_t size, uintptr_t pc)
{
    shadow_plain(object, size, true, pc);
    program_wipe_stack();
}

unsigned sync_index(const struct actor *actor)
{
    return (unsigned)(actor - execution->actor);
}

void sync_acquire(struct actor *actor, const struct view *view)
{
    weak_join(&execution->weak, &actor->view, view);
}

void sync_release(struct actor *actor, struct view *view)
{
    weak_join(&execution->weak, view, &actor->view);
}

void sync_misuse(const struct actor *actor, const char *what)
{
    execution_fail(MODEL_ASSERTION, "%s %s", actor->name, what);
}

static uint64_t hash_sync(const struct sync *sync,
                          const struct weak_floor *floor, uint64_t seed)
{
    const struct weak *weak = &execution->weak;
    uint64_t hash = hash_mix(seed, (uintptr_t)sync->object);

    hash = hash_mix(hash, (uint64_t)(sync->owner + 1) << 48 |
                              (uint64_t)sync->count << 24 |
                              (uint64_t)sync->waiting << 16 |
                              (uint64_t)sync->woken << 8 | sync->is_destroyed);
    hash = hash_mix(hash, (uint64_t)sync->value << 32 | (sync->missed != 0));
    hash = hash_bytes(hash, sync->readers, sizeof(sync->readers));
    hash = hash_mix(hash, weak_hash_view(weak, &sync->view, floor, seed));
    return hash_mix(hash,
                    weak_hash_view(weak, &sync->readers_view, floor, seed));
}

uint64_t sync_hash(const struct weak_floor *floor, uint64_t seed)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < objects->count; i++)
        sum += hash_sync(&objects->sync[i], floor, seed);
    return sum;
}

/* SPDX-License-Identifier: MIT */
/*
 * sync -- the objects that threads synchronise by, as the explorer knows them.
 *
 * The content of a pthread_mutex_t belongs to libc; only the kind of a mutex is
 * read there.  Its holder, its waiters and the view of its last holder are kept
 * here, by the address of the object.
 */
#ifndef WEIR_EXPLORE_SYNC_H
#define WEIR_EXPLORE_SYNC_H

#include "program.h"

struct sync {
    const void *object;
    bool is_destroyed;
    int owner;               /* of a mutex, the writer of a rwlock; -1: none */
    unsigned count;          /* how often the owner has it; a barrier's limit */
    uint8_t readers[ACTORS]; /* how often each thread has it for reading */
    uint8_t waiting, woken;  /* threads that wait; that may go on */
    unsigned value;          /* of a semaphore, of once, arrived at a barrier */
    unsigned missed;         /* signals that nobody waited for */
    struct view view;        /* what was released into it */
    struct view readers_view; /* ... by readers; at a barrier, for leaving */
};

/* The object at an address; a new one has no owner and no value. */
struct sync *sync_get(const void *object);

/* Forgets the object, if it is there, for a new one at the same address. */
void sync_forget(const void *object);

/* Makes the operation on the object, and returns what it came to. */
const struct op *sync_ask(const struct verb *verb, const void *object,
                          struct op op, uintptr_t pc);

/* The object is initialised or destroyed: a plain write of it. */
void sync_write(const void *object, size_t size, uintptr_t pc);

/* In act(): what the thread receives, and hands on. */
void sync_acquire(struct actor *actor, const struct view *view);
void sync_release(struct actor *actor, struct view *view);

/* In act(): the call is wrong, and C does not say what happens. */
void sync_misuse(const struct actor *actor, const char *what);

unsigned sync_index(const struct actor *actor);

void sync_reset(void);
uint64_t sync_hash(const struct weak_floor *floor, uint64_t seed);

#endif /* WEIR_EXPLORE_SYNC_H */

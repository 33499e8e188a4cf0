/* SPDX-License-Identifier: MIT */
/*
 * race -- data races on shared memory, by vector clocks.
 *
 * Two accesses race if they overlap, at least one writes, at least one is plain,
 * and neither happens before the other.  What happens before what is defined by
 * ECMA-262 and HTML:
 *
 *   the order of one thread;
 *   an atomic write, before an atomic read that returns its value;
 *   Atomics.wait and notify on an element, in the order in which they are made;
 *   sending, before receiving: a message, the end of a port, a task of a pool, a
 *   notification of waitAsync;
 *   what a thread does before it starts another one, before that one begins;
 *   everything that a thread does, before another one has joined it;
 *   transitions of a weir:service, in their order.
 *
 * The scheduler runs one thread at a time, but that does not order accesses.
 * So a race is found in whichever order the two accesses come, and no thread
 * has to be preempted between them.
 *
 * Shape     Each thread has a clock, and so has each object that orders threads
 *           (Lamport, Mattern; the epochs are those of FastTrack).  Each eight
 *           bytes of shared memory have a list of the accesses that a later one
 *           can race with.
 */
#ifndef WEIR_EXPLORE_RACE_H
#define WEIR_EXPLORE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MORE_TYPES = -1 }; /* of a struct race_access: several elements */

struct race_access {
    const void *address;
    size_t size;
    bool reads, writes, is_atomic;
    int type;          /* JSTypedArrayEnum, or MORE_TYPES */
    uint64_t value;    /* the first eight bytes of it */
    const char *where; /* NULL: not asked for; else it must stay */
};

/* An earlier access of another thread. */
struct race_other {
    unsigned thread;
    struct race_access access;
};

/* Notes an access of the thread.  True: it races with another one. */
bool race_note(unsigned self, const struct race_access *access,
               struct race_other *other);

/* What orders threads: see above.  An object is known by its address. */
void race_send(unsigned self, const void *object);
void race_receive(unsigned self, const void *object);
void race_synchronize(unsigned self, const void *object);
void race_start(unsigned self, unsigned other);
void race_join(unsigned self, unsigned other);

/* The memory is new: what was there before is forgotten. */
void race_forget(const void *address, size_t size);

/* Everything is, for tests. */
void race_reset(void);

#endif /* WEIR_EXPLORE_RACE_H */

/* SPDX-License-Identifier: MIT */
/*
 * weak -- memory as C11 describes it, for one execution.
 *
 * Shape     Each location keeps all the stores to it, as messages, in
 *           modification order.  Each thread has a view: for each location
 *           the oldest message that it may still read.  Reading or writing a
 *           message advances the view to it.  A release puts the thread's view
 *           into the message; an acquire that reads the message joins it into
 *           the reader's.  That is happens-before, for atomic
 *           and for plain memory alike.
 *
 * What an operation may do
 *   load    read any message that is not older than the view
 *   store   take any place in modification order after the view, except
 *           between a read-modify-write and the message that it read
 *   rmw     read any message not older than the view that no other rmw has
 *           read, and take the place right after it.  It continues the release
 *           sequence: its message carries the view of the one it read.
 *   seq_cst the one order S of these operations is the order in which they
 *           are executed.  For each location the newest message that an
 *           earlier one read or wrote is the bound for the later ones, as for
 *           one more view that they all share.
 *   fence   a release fence puts the thread's view into the messages that it
 *           writes later; an acquire fence joins the views of the messages
 *           that it has read.  A seq_cst fence does both, and takes its place
 *           in S: what the thread knows bounds the later seq_cst operations
 *           and fences of all, and what earlier ones know bounds the thread.
 *           It orders atomic accesses only.
 *   light, heavy   the asymmetric fences (src/base/membarrier.h): a heavy fence
 *           receives what every thread knew at its last light fence, and hands
 *           all it knows to each thread's next light fence.  They order atomic
 *           accesses only; plain memory must be handed over by release and
 *           acquire.
 *
 * As in C++20 and C23, a later relaxed store of the same thread does not
 * continue a release sequence; C11 let it.  What holds here holds there.
 *
 * Not explored      Load buffering: a load never reads a store that has not
 *           been executed yet.  And S always agrees with happens-before, as in
 *           C11; C++20 lets it differ where seq_cst and weaker operations are
 *           mixed on one location.
 *
 * The caller asks what is possible (weak_readable, ...), picks one, and says
 * so (weak_read, ...).  Nothing here chooses.
 */
#ifndef WEIR_MODEL_WEAK_H
#define WEIR_MODEL_WEAK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

#ifndef WEIR_EXPLORE_LOCATIONS
#define WEIR_EXPLORE_LOCATIONS 144
#endif
enum {
    LOCATIONS = WEIR_EXPLORE_LOCATIONS,
    MESSAGES = 255,
    POOL = 4096,
    GUESSES = 64
};

typedef uint16_t message_id; /* 0: the location's first value */

struct view {
    message_id at[LOCATIONS];
    uint8_t reads[LOCATIONS]; /* plain: which threads' reads are known */
    uint16_t clock[MODEL_THREADS + 1]; /* how many steps of each thread are
                                          known to be over, for heap.h */
};

/* What a thread's fences hand on and receive. */
struct fences {
    bool is_used;         /* by a program that may have fences at all */
    struct view released; /* as it was at the last release fence */
    struct view pending;  /* of the messages read, for an acquire fence */
};

struct message {
    uint64_t value;
    uint16_t rank;    /* its place in modification order */
    uint16_t step;    /* which step wrote it, from 1; 0: it was there */
    bool is_glued;    /* the next message is an rmw that read this one */
    struct view view; /* what an acquire of it receives */
};

struct location {
    const void *word;
    size_t size;
    const struct model_site *site; /* of the first access */
    bool is_plain;
    bool is_dirty; /* a plain write is under way (weak_refresh) */
    uint8_t
        readers;    /* plain: the threads that have read since the last write */
    uint16_t count; /* messages */
    message_id order[MESSAGES];
    message_id latest;   /* the one that was added last, wherever it stands */
    message_id unshared; /* the last set_unshared; must be known */
    message_id newest_sc;
};

struct weak {
    unsigned locations;
    unsigned messages;
    bool has_dirty;          /* a location is dirty */
    uint16_t guess[GUESSES]; /* where to look for an address first */
    struct view heavy;       /* what heavy fences have handed on */
    struct location location[LOCATIONS];
    struct message message[POOL];
};

/* An array of the explorer is too small: does not return.  NULL: prints that,
 * and exits with status 3. */
extern void (*weak_on_limit)(const char *what);
_Noreturn void weak_limit(const char *what);

/* Forgets everything: the start of an execution. */
void weak_reset(struct weak *weak);

/* The location of an address; a new one begins with what is in memory. */
unsigned weak_locate(struct weak *weak, const void *word, size_t size,
                     const struct model_site *site, bool is_plain);

/* The messages that a load, an rmw, a store-after may take, newest first. */
unsigned weak_readable(const struct weak *weak, unsigned location,
                       const struct view *view, int order, message_id *out);
unsigned weak_unglued(const struct weak *weak, unsigned location,
                      const struct view *view, int order, message_id *out);

/* How many messages the location of `word` has; 1 if it was never met. */
unsigned weak_count(const struct weak *weak, const void *word);

/* The one message that a load must still be tried with, if others were written
 * while it was about to be made (perform.h). */
message_id weak_latest(const struct weak *weak, unsigned location,
                       const struct view *view);

uint64_t weak_value(const struct weak *weak, unsigned location, message_id id);
message_id weak_newest(const struct weak *weak, unsigned location);

/* Reads a message; writes one after another; both, as one step. */
void weak_read(struct weak *weak, unsigned location, struct view *view,
               struct fences *fences, message_id from, int order);
void weak_write(struct weak *weak, unsigned location, struct view *view,
                const struct fences *fences, message_id after, uint64_t value,
                int order);
void weak_rmw(struct weak *weak, unsigned location, struct view *view,
              struct fences *fences, message_id from, uint64_t value,
              int order);

/* A fence of this order. */
void weak_fence(struct weak *weak, struct view *view, struct fences *fences,
                int order);

/* A plain write of a word that atomic operations use, too, by a thread that
 * knows all of them.  The value comes with the write itself: when the thread
 * has stopped, weak_refresh() takes it from memory. */
void weak_overwrite(struct weak *weak, unsigned location, struct view *view);
void weak_refresh(struct weak *weak);

/* A new beginning of a word that nobody else uses.  False: somebody does. */
bool weak_unshared(struct weak *weak, unsigned location, struct view *view,
                   uint64_t value);
/* Whether the view has the word's beginning. */
bool weak_is_known(const struct weak *weak, unsigned location,
                   const struct view *view);

/* Plain accesses of thread `self`.  False: a race. */
bool weak_plain_read(struct weak *weak, unsigned location, struct view *view,
                     unsigned self);
bool weak_plain_write(struct weak *weak, unsigned location, struct view *view);

void weak_join(const struct weak *weak, struct view *view,
               const struct view *other);
void weak_join_atomics(const struct weak *weak, struct view *view,
                       const struct view *other);

/* For comparing states.  Messages that nobody can read any more, and how far
 * back they lie, make no difference.  The floor begins above everything; each
 * thread that can still read lowers it to its view.  A thread about to make an
 * rmw of a word (`rmw`, or NULL) will not read what is glued there, and one
 * that can read only the latest of `late` will not read what is older. */
struct weak_floor {
    uint16_t rank[LOCATIONS];
};
void weak_floor_begin(const struct weak *weak, struct weak_floor *floor);
void weak_floor_lower(const struct weak *weak, struct weak_floor *floor,
                      const struct view *view, const void *rmw,
                      const void *late);
uint64_t weak_hash_view(const struct weak *weak, const struct view *view,
                        const struct weak_floor *floor, uint64_t seed);
uint64_t weak_hash(const struct weak *weak, const struct weak_floor *floor,
                   uint64_t seed);

#endif /* WEIR_MODEL_WEAK_H */

/* SPDX-License-Identifier: MIT */
/*
 * place -- where in the program something was submitted; debug builds only.
 *
 *     int weir_pool_post(weir_pool *pool, weir_job *job)
 *     {
 *         weir__place_begin();            who called us, until we return
 *         ...
 *         weir__place_note(job, pool, NULL);      right before the push
 *
 *     weir__place_take(job)                       right before it runs
 *
 * A place is a return address: that costs the caller nothing, works for callers
 * in any language, and adds no macro to the public headers.  It is kept beside
 * the jobs and tasks, not in them: their structs are the same in debug and
 * release builds, so the two can be exchanged.  Without debug checks (NDEBUG)
 * all of this is nothing.
 */
#ifndef WEIR_SRC_PLACE_H
#define WEIR_SRC_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(NDEBUG) && !defined(WEIR_MODEL)
#define WEIR__PLACES 1
#else
#define WEIR__PLACES 0
#endif

#if WEIR__PLACES
/* For the rest of the calling function: it was called from here, unless a
 * function of weir's has called it. */
#define weir__place_begin()                                                    \
    const void *place_ __attribute__((cleanup(weir__place_end), unused)) =     \
        weir__place_enter(__builtin_return_address(0))
const void *weir__place_enter(const void *address);
void weir__place_end(const void *const *entered);

/* The item is about to be queued at its owner; name as the report will show it.
 * If the table is full there, it is not noted.  False: it is queued already.
 * Thread: any. */
bool weir__place_note(const void *item, const void *owner, const char *name);

/* Nothing of this owner's will be taken.  Thread: alone. */
void weir__place_forget(const void *owner);

/* Where the item comes from, or NULL; take: and it is no longer queued.
 * Thread: who has the item. */
const void *weir__place_look(const void *item);
const void *weir__place_take(const void *item);

/* Calls tell for each item that its owner has queued.  Thread: any. */
typedef void weir__place_fn(void *arg, const void *from, const char *name);
void weir__place_each(const void *owner, weir__place_fn *tell, void *arg);

/* "PROGRAM+0x1234", as addr2line takes it (os/dladdr.c).  Thread: any. */
void weir__place_name(const void *from, char *text, size_t size);
#else
#define weir__place_begin() (void)0

static inline bool weir__place_note(const void *item, const void *owner,
                                    const char *name)
{
    (void)item, (void)owner, (void)name;
    return true;
}

static inline void weir__place_forget(const void *owner)
{
    (void)owner;
}

static inline const void *weir__place_look(const void *item)
{
    (void)item;
    return NULL;
}

static inline const void *weir__place_take(const void *item)
{
    (void)item;
    return NULL;
}
#endif

#endif /* WEIR_SRC_PLACE_H */

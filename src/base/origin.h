/* SPDX-License-Identifier: MIT */
/*
 * origin -- where in the program something was submitted; debug builds only.
 *
 *     int weir_pool_post(weir_pool *pool, weir_job *job)
 *     {
 *         weir__origin_begin();           our caller, until we return
 *         ...
 *         weir__origin_note(job, pool, NULL);     right before the push
 *
 *     weir__origin_take(job)                      right before it runs
 *
 * An origin is a return address.  That costs the caller nothing, works for
 * callers in any language, and adds no macro to the public headers.  Origins
 * are stored beside jobs and tasks, not inside them, so the structs of debug
 * and release builds are the same and the libraries are interchangeable.
 * Without debug checks (NDEBUG) all of this compiles to nothing.
 */
#ifndef WEIR_SRC_ORIGIN_H
#define WEIR_SRC_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(NDEBUG) && !defined(WEIR_MODEL)
#define WEIR__ORIGINS 1
#else
#define WEIR__ORIGINS 0
#endif

#if WEIR__ORIGINS
/* Record the return address of the calling function until it returns, unless
 * another function of weir has called it. */
#define weir__origin_begin()                                                   \
    const void *origin_ __attribute__((cleanup(weir__origin_end), unused)) =   \
        weir__origin_enter(__builtin_return_address(0))
const void *weir__origin_enter(const void *address);
void weir__origin_end(const void *const *entered);

/* Record where an item is submitted, just before its owner queues it; reports
 * show `name`.  The item is not recorded if its part of the table is full.
 * Returns false if the item is queued already.  Thread: any. */
bool weir__origin_note(const void *item, const void *owner, const char *name);

/* Remove all items of an owner that will never run them.  Thread: any, while no
 * other uses the owner. */
void weir__origin_forget(const void *owner);

/* Return where the item was submitted, or NULL. take also removes the item.
 * Thread: the one that has the item. */
const void *weir__origin_look(const void *item);
const void *weir__origin_take(const void *item);

/* Call tell for each item that the owner has queued.  Thread: any. */
typedef void weir__origin_fn(void *arg, const void *from, const char *name);
void weir__origin_each(const void *owner, weir__origin_fn *tell, void *arg);

/* Format an origin as "PROGRAM+0x1234", for addr2line (os/dladdr.c).  Thread:
 * any. */
void weir__origin_name(const void *from, char *text, size_t size);
#else
#define weir__origin_begin() (void)0

static inline bool weir__origin_note(const void *item, const void *owner,
                                     const char *name)
{
    return true;
}

static inline void weir__origin_forget(const void *owner)
{
}

static inline const void *weir__origin_look(const void *item)
{
    return NULL;
}

static inline const void *weir__origin_take(const void *item)
{
    return NULL;
}
#endif

#endif /* WEIR_SRC_ORIGIN_H */

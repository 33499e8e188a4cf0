/* SPDX-License-Identifier: MIT */
/*
 * threads -- the threads that the lookups of all loops share.
 *
 * They are one pool of the process, because getaddrinfo cannot be interrupted:
 * a pool that belonged to a loop could not be freed when the loop ends while a
 * thread of it is stuck.  The pool is made by the first lookup and remains
 * until weir_lookup_end_threads, or until the process ends.
 *
 * `lock` protects `pool`.  A job is posted under it, so that no thread frees
 * the pool meanwhile; posting neither waits nor makes a callback.
 *
 * A child of fork() has none of the threads.  It notices when it posts, frees
 * the memory of its parent's pool, and makes its own.
 */
#include "names/threads.h"

#include <errno.h>

#include "weir/host/lock.h"
#include "weir/net/lookup.h"
#include "weir/pool.h"

/* Enough for the lookups of most programs; growth costs a thread each. */
enum { WORKERS = 4 };

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static weir_pool *pool; /* under the lock; NULL: none yet */

/* Under the lock. */
static int make_pool(void)
{
    weir_pool_options options = {.size = sizeof(options),
                                 .name = "lookups",
                                 .workers = WORKERS,
                                 .max_workers = WEIR_LOOKUP_THREADS};

    return pool != NULL ? 0 : weir_pool_new(&pool, &options);
}

/* Under the lock. */
static int post(weir_job *job)
{
    int err = make_pool();

    if (err == 0)
        err = weir_pool_post(pool, job);
    if (err != WEIR_EFORKED)
        return err;
    weir_pool_free(pool);
    pool = NULL;
    err = make_pool();
    return err == 0 ? weir_pool_post(pool, job) : err;
}

int weir__threads_post(weir_job *job)
{
    int err;

    weir_global_lock_acquire(&lock);
    err = post(job);
    weir_global_lock_release(&lock);
    return err;
}

int weir_lookup_end_threads(void)
{
    weir_pool *ended;

    if (weir_loop_current() != NULL)
        return -EDEADLK;
    weir_global_lock_acquire(&lock);
    ended = pool;
    pool = NULL;
    weir_global_lock_release(&lock);
    return weir_pool_free(ended);
}

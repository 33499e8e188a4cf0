/* SPDX-License-Identifier: MIT */
/*
 * pool -- the same work on weir's pool and on others.
 */
#ifndef WEIR_BENCH_PEERS_POOL_H
#define WEIR_BENCH_PEERS_POOL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { POOL_THREADS = 2, POOL_DEPTH = 1000 };

/* One way to do the work.  A title of NULL: the library is not there. */
struct pool_kind {
    const char *title;
    void (*open)(uint64_t count); /* with room for so many empty jobs */
    /* fib(n), each call but the leaves gives one of its two to the pool. */
    uint64_t (*fib)(int n);
    /* That many jobs that do nothing, from this thread; returns when all were
     * called. */
    void (*empty)(uint64_t count);
    /* That many jobs that do nothing, of one of the two threads, which takes
     * none of them: the other one steals all.  Returns when all were called. */
    void (*steal)(uint64_t count);
    /* That many jobs that do nothing, from a loop, and the outcome of each back
     * to it; POOL_DEPTH of them are always under way.  Returns when all are
     * back. */
    void (*trip)(uint64_t count);
    void (*close)(void);
};

/* calloc, with the memory touched; or bench_fail(). */
void *pool_calloc(uint64_t count, size_t size);

extern const struct pool_kind pool_weir_post, pool_weir_submit;
extern const struct pool_kind pool_weir_promisify;
extern const struct pool_kind pool_uv, pool_glib, pool_openmp;
#ifdef BENCH_TBB
extern const struct pool_kind pool_tbb;
#endif

#ifdef __cplusplus
}
#endif
#endif /* WEIR_BENCH_PEERS_POOL_H */

/* SPDX-License-Identifier: MIT */
/*
 * weir/net/lookup.h -- the addresses of a host, as the system resolves them.
 *
 *     static void on_found(void *arg, int status,
 *                          const weir_lookup_result *result)
 *     {
 *         if (status != 0)
 *             fprintf(stderr, "%s\n", result->reason);
 *         for (size_t i = 0; i < result->count; i++)
 *             ... &result->addresses[i]
 *     }
 *
 *     weir_lookup_start(loop, NULL, "example.org", 443, on_found, NULL, NULL);
 *
 * A lookup calls getaddrinfo(3), so it follows /etc/hosts, nsswitch.conf and
 * resolv.conf as other programs do.  getaddrinfo blocks, so it runs on threads
 * that all loops of the process share and that do nothing else.  Lookups that
 * hang never delay files or other blocking work, and other work never delays
 * lookups.  The first lookup starts the threads.  More are started while most
 * of them hang, up to WEIR_LOOKUP_THREADS.
 *
 * For the records of DNS servers, see weir/net/query.h.
 *
 * A lookup that was started calls its function exactly once, on the loop's
 * thread, and never before weir_lookup_start has returned.  It keeps
 * weir_loop_run running until then.  A cancel, a timeout and the end of the
 * loop are reported at once, although getaddrinfo cannot be interrupted.  Its
 * thread continues without access to the loop or the caller, and discards its
 * result.
 */
#ifndef WEIR_NET_LOOKUP_H
#define WEIR_NET_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/address.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_lookup weir_lookup;

/* The most threads that lookups without a pool in their options use. */
#define WEIR_LOOKUP_THREADS 32

/* What a lookup has found.  Later versions may append members. */
typedef struct weir_lookup_result {
    /* In the order in which they should be tried (RFC 6724). */
    const weir_address *addresses;
    size_t count;
    const char *canonical_name; /* NULL unless WEIR_LOOKUP_CANONICAL */
    /* Why there are no addresses: the name of the error, such as "EAI_NONAME"
     * or "ETIMEDOUT", and an English sentence.  Both are static, and NULL if
     * there are addresses. */
    const char *error;
    const char *reason;
} weir_lookup_result;

/* A lookup is over.  status is
 *
 *     0                 there is at least one address
 *     WEIR_ENAME        the name does not exist, or has no such address
 *     -EAGAIN           no server has answered; the same lookup may succeed
 *                       later
 *     -EIO              a server has failed, or refuses to answer
 *     -ETIMEDOUT        the time of options.timeout_ns is over
 *     WEIR_ECANCELED    weir_lookup_cancel, the end of the loop, or of the pool
 *     -ENOMEM, or another -errno
 *
 * The result is valid during the call, unless weir_lookup_result_take keeps
 * it. */
typedef void weir_lookup_fn(void *arg, int status,
                            const weir_lookup_result *result);

/* Flags of a lookup.  They are those of getaddrinfo. */
enum weir_lookup_flags {
    WEIR_LOOKUP_CONFIGURED = 1, /* only families this host has an address of */
    WEIR_LOOKUP_V4MAPPED = 2,   /* IPv4 as IPv6, if there is no IPv6 */
    WEIR_LOOKUP_ALL = 4,        /* with V4MAPPED: even if there is IPv6 */
    WEIR_LOOKUP_CANONICAL = 8,  /* find the canonical name, too */
    WEIR_LOOKUP_NUMERIC = 16,   /* accept only numeric addresses: "::1" */
};

/* Every member except size may be left 0. */
typedef struct weir_lookup_options {
    size_t size;                /* sizeof(weir_lookup_options) */
    weir_address_family family; /* WEIR_ADDRESS_NONE: both */
    unsigned flags;             /* of enum weir_lookup_flags */
    int64_t timeout_ns;         /* 0: no limit except the system's own */
    /* Where getaddrinfo runs, instead of on the shared threads.  The pool must
     * exist until the lookup is over.  The lane limits how many run at once. */
    weir_pool *pool;
    weir_lane *lane;
} weir_lookup_options;

/**
 * Look up the addresses of a host.  Each address gets `port`.  A numeric
 * address, such as "127.0.0.1" or "fe80::1%eth0", needs no thread.
 *
 * Thread   loop
 * Owns     host is copied; arg is the caller's; *lookup (or NULL) is valid
 *          until fn is called
 * Returns  0, -EINVAL (NULL, an empty host, an invalid option, or a lane
 *          without its pool), -ENAMETOOLONG (the host has more than 1024
 *          bytes), -E2BIG (an option that this library does not know), -ENOMEM,
 *          -EAGAIN (no thread can be created), WEIR_ECLOSED (the loop or the
 *          pool no longer admits work), WEIR_EFORKED, or an error of
 *          weir_timer_start
 */
WEIR_API WEIR_CHECKED int weir_lookup_start(weir_loop *loop,
                                            weir_lookup **lookup,
                                            const char *host, uint16_t port,
                                            weir_lookup_fn *fn, void *arg,
                                            const weir_lookup_options *options);

/**
 * Cancel a lookup.  Its function is still called once, after this call has
 * returned.
 *
 * Thread   loop, before fn is called
 * Returns  0 (fn is called as cancelled), -EALREADY (it is over: fn gets
 *          its outcome), -EINVAL (NULL)
 */
WEIR_API int weir_lookup_cancel(weir_lookup *lookup);

/**
 * Keep the result of a lookup after its function has returned.
 *
 * Thread   loop, inside a weir_lookup_fn, at most once
 * Owns     the result is the caller's until weir_lookup_result_free
 * Returns  the result, or NULL if the lookup has found nothing
 */
WEIR_API const weir_lookup_result *
weir_lookup_result_take(const weir_lookup_result *result);

/**
 * Free a result that weir_lookup_result_take has returned.  Passing NULL has no
 * effect.
 *
 * Thread   any
 */
WEIR_API void weir_lookup_result_free(const weir_lookup_result *result);

/**
 * End the threads that lookups share.  The call waits until they have ended, so
 * it blocks as long as getaddrinfo does.  Lookups that have not begun are
 * called with WEIR_ECANCELED.  A later lookup starts the threads again.
 *
 * A program need not call this before it exits.  Call it in a plug-in before it
 * is unloaded, and in a program that is checked for leaks.
 *
 * Thread   any except a loop's
 * Returns  0, -EDEADLK (on a loop's thread; nothing has changed)
 */
WEIR_API WEIR_CHECKED int weir_lookup_end_threads(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_LOOKUP_H */

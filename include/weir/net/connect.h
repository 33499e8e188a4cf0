/* SPDX-License-Identifier: MIT */
/*
 * weir/net/connect.h -- make a stream to a host or an address.
 *
 *     static void on_connect(void *arg, int status, weir_stream *stream)
 *     {
 *         if (status == 0)
 *             weir_stream_read(stream, on_read, NULL);
 *     }
 *
 *     weir_connect(loop, NULL, "example.org", 80, on_connect, NULL, NULL);
 *
 * A host usually has several addresses, and some may not answer.  They are
 * tried as RFC 8305 (happy eyeballs) describes: IPv6 and IPv4 in turn, the next
 * one when an attempt has failed or after 250 ms, and the first that succeeds
 * wins.
 */
#ifndef WEIR_NET_CONNECT_H
#define WEIR_NET_CONNECT_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/address.h"
#include "weir/net/lookup.h"
#include "weir/net/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_connecting weir_connecting;

/* Called once.  status is 0, and the stream belongs to this function; or status
 * is the reason why there is no stream: the error of the lookup or of the last
 * attempt, -ETIMEDOUT, or WEIR_ECANCELED. */
typedef void weir_connect_fn(void *arg, int status, weir_stream *stream);

#define WEIR_CONNECT_TIMEOUT_NS WEIR_S(30)
#define WEIR_CONNECT_DELAY_NS WEIR_MS(250)

/* Every member except size may be left 0. */
typedef struct weir_connect_options {
    size_t size; /* sizeof(weir_connect_options) */
    /* For the lookup and all attempts together.  0: WEIR_CONNECT_TIMEOUT_NS;
     * negative: no limit. */
    int64_t timeout_ns;
    int64_t delay_ns;   /* before the next attempt; 0: WEIR_CONNECT_DELAY_NS */
    weir_address local; /* bind to this first, with or without a port */
    const weir_lookup_options *lookup; /* NULL: the defaults; copied */
    const weir_stream_options *stream; /* NULL: the defaults; copied */
} weir_connect_options;

/**
 * Connect to a host by its name, or to an address or a path as in
 * weir_address_parse.  A port in `host` takes precedence over `port`.
 *
 * Thread   loop
 * Owns     host is copied; *connecting (or NULL) is valid until fn is called
 * Returns  0, -EINVAL (NULL, an empty host, or an invalid option), -E2BIG (an
 *          option that this library does not know), -ENOMEM, or an error of
 *          weir_lookup_start
 */
WEIR_API WEIR_CHECKED int weir_connect(weir_loop *loop,
                                       weir_connecting **connecting,
                                       const char *host, uint16_t port,
                                       weir_connect_fn *fn, void *arg,
                                       const weir_connect_options *options);

/**
 * Connect to the first of several addresses that answers.
 *
 * Thread   loop
 * Owns     the addresses are copied; *connecting (or NULL) is valid until fn is
 *          called
 * Returns  0, -EINVAL (NULL, no address, or an invalid option), -E2BIG (an
 *          option that this library does not know), -ENOMEM, WEIR_ECLOSED (the
 *          loop no longer admits work)
 */
WEIR_API WEIR_CHECKED int
weir_connect_addresses(weir_loop *loop, weir_connecting **connecting,
                       const weir_address *addresses, size_t count,
                       weir_connect_fn *fn, void *arg,
                       const weir_connect_options *options);

/**
 * Cancel an attempt to connect.  Its function is called with WEIR_ECANCELED,
 * after this call has returned.
 *
 * Thread   loop, before fn is called
 */
WEIR_API void weir_connect_cancel(weir_connecting *connecting);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_CONNECT_H */

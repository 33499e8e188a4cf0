/* SPDX-License-Identifier: MIT */
/*
 * weir/net/serve.h -- serve connections as a part of a service.
 *
 *     static void on_stream(void *arg, weir_stream *stream)
 *     {
 *         weir_stream_read(stream, on_read, NULL);
 *     }
 *
 *     weir_serve_options options = {.size = sizeof(options),
 *                                   .on_stream = on_stream};
 *     weir_service_new(&service, NULL);
 *     weir_serve(service, "127.0.0.1:7777", &options, NULL);
 *     weir_service_start(service);
 *     return weir_service_wait(service, -1) == 0 ? 0 : 1;
 *
 * When the service drains, the listener accepts what the kernel has queued, and
 * closes.  on_drain is called for each open stream, and for each stream that is
 * accepted meanwhile.  The service waits until all of them are closed, or until
 * its deadline.  Without on_drain the streams are finished.  If a peer stops
 * receiving before it has everything that a finished stream has written, the
 * service ends with WEIR_EFORCED.
 *
 * If the listener cannot be opened when the service starts, or stops because of
 * an error, the service drains and ends with that error, because it could not
 * serve any client.
 */
#ifndef WEIR_NET_SERVE_H
#define WEIR_NET_SERVE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/net/address.h"
#include "weir/net/listener.h"
#include "weir/net/stream.h"
#include "weir/service.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_SERVE_LINGER_NS WEIR_S(2)

/* size and on_stream must be set.  Every other member may be left 0. */
typedef struct weir_serve_options {
    size_t size; /* sizeof(weir_serve_options) */
    /* A connection was accepted.  Called on the loop of the stream.  The stream
     * belongs to the function that is called. */
    void (*on_stream)(void *arg, weir_stream *stream);
    /* The service drains: close the stream, now or after its last response.
     * arg is that of weir_stream_set_arg.  NULL: the stream is finished, as by
     * weir_stream_finish without a callback. */
    void (*on_drain)(void *arg, weir_stream *stream);
    void *arg;         /* for on_stream, and on_error of the listener */
    int64_t linger_ns; /* if on_drain is NULL.  0: WEIR_SERVE_LINGER_NS */
    weir_loop *loop;   /* of the service.  NULL: the service gets a new one */
    /* How to listen.  The address, on_stream, arg and loops are ignored.  NULL:
     * the defaults.  Copied, with its stream options.  With on_error, a
     * listener that stops does not end the service. */
    const weir_listener_options *listener;
} weir_serve_options;

/**
 * Serve connections at an address, which is a string as for weir_address_parse.
 * The socket is bound when the call returns; connections are accepted when the
 * service has started.  *bound (unless it is NULL) is set to the address with
 * its port.
 *
 * Thread   any, before weir_service_start
 * Owns     everything belongs to the service
 * Returns  0, -EINVAL (NULL, no on_stream, not an address, a negative time, or
 *          a loop of another service), -E2BIG (an option that this library does
 *          not know), -EALREADY (the service was started), -ENOMEM, or an error
 *          of weir_listener_open or weir_service_add_loop
 */
WEIR_API WEIR_CHECKED int weir_serve(weir_service *service, const char *address,
                                     const weir_serve_options *options,
                                     weir_address *bound);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_SERVE_H */

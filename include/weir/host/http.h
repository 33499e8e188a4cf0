/* SPDX-License-Identifier: MIT */
/*
 * weir/host/http.h -- an HTTP server on a loop that already runs.
 *
 * A server of weir/net/http.h is part of a service, which owns its loops and
 * is started once.  A host of a language has a loop of its own and serves at
 * any time.  It opens a server there as a guest:
 *
 *     weir_http_guest_options guest = {.size = sizeof(guest),
 *                                      .control = control,
 *                                      .on_end = on_end};
 *     weir_http_server_open(&server, loop, &options, &guest);
 *     weir_http_server_listen(server, "127.0.0.1:8080", NULL);
 *     ...
 *     weir_http_server_drain(server, WEIR_S(10));    any thread
 *
 * The drain is the one of weir/net/http.h.  It is driven by the thread of the
 * control loop, so a callback that blocks the server's loop delays neither the
 * phases of the drain nor its deadline.  weir_service_loop gives such a loop.
 */
#ifndef WEIR_HOST_HTTP_H
#define WEIR_HOST_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/net/http.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_http_guest_options {
    size_t size; /* sizeof(weir_http_guest_options) */
    /* Must outlive the server, and its loop if that ends first. */
    weir_loop *control;
    void *arg; /* for the callbacks below */
    /* The server has ended.  Called exactly once, on the server's loop: with 0
     * after a drain that cut nothing off, with WEIR_EFORCED if the deadline cut
     * requests or connections off, or with WEIR_ECANCELED if the loop ends
     * first.  In the last case requests that are open end after this call. */
    void (*on_end)(void *arg, weir_http_server *server, int status);
    /* The deadline of the drain has passed, and what was left is being cut
     * off.  Called at most once, on the thread of the control loop; it must
     * not block.  A host can interrupt code here that keeps the server's loop
     * busy.  May be NULL. */
    void (*on_deadline)(void *arg, weir_http_server *server);
} weir_http_guest_options;

/**
 * Open a server on a loop that may already run and that the server does not
 * own.  It has one loop, so `loops` and `threads` of the options are not used.
 * weir_http_server_listen opens its listeners at once, on the loop's thread.
 *
 * Thread   loop
 * Owns     *server is the caller's until weir_http_server_free, which may be
 *          called from on_end on
 * Returns  0, -EINVAL (NULL, no on_request, no control, no on_end, or an
 *          option is invalid), -E2BIG (an option that this library does not
 *          know), -ENOMEM, WEIR_ECLOSED (the loop has ended)
 */
WEIR_API WEIR_CHECKED int
weir_http_server_open(weir_http_server **server, weir_loop *loop,
                      const weir_http_server_options *options,
                      const weir_http_guest_options *guest);

/**
 * Begin the drain of a server that was opened as a guest, or bring its deadline
 * forward.  deadline_ns counts from now.  With 0, everything is cut off at
 * once.  A negative value means drain_deadline_ns of the server's options.  A
 * later deadline than that of an earlier call has no effect.  The drain keeps
 * the loop running until on_end.
 *
 * Thread   any, until weir_http_server_free
 * Returns  0, -EINVAL (NULL, or the server is part of a service), -EALREADY
 *          (the server has ended)
 */
WEIR_API int weir_http_server_drain(weir_http_server *server,
                                    int64_t deadline_ns);

/**
 * Test whether the drain of a server that was opened as a guest has begun.
 *
 * Thread   any
 */
WEIR_API bool weir_http_server_is_draining(const weir_http_server *server);

/**
 * Make the listeners of a server that was opened as a guest keep weir_loop_run
 * running, or stop them from doing so.  New listeners do as the last call says.
 *
 * Thread   loop
 */
WEIR_API void weir_http_server_set_ref(weir_http_server *server, bool is_ref);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_HTTP_H */

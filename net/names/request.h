/* SPDX-License-Identifier: MIT */
/*
 * request -- something that is asked once and answered once: the part that
 * lookups and queries have in common.
 */
#ifndef WEIR_NET_NAMES_REQUEST_H
#define WEIR_NET_NAMES_REQUEST_H

#include <stdint.h>

#include "weir/error.h"
#include "weir/loop.h"
#include "weir/promise.h"
#include "weir/timer.h"

struct weir__request;

/* The request is over: status is 0 and value is that of the promise, or value
 * is the reason of a rejection.  The request has no promise and no timer any
 * more, and may be freed. */
typedef void weir__request_fn(struct weir__request *request, int status,
                              const weir_value *value);

/* Embedded first in the struct of a request.  Loop only. */
struct weir__request {
    weir_loop *loop;
    weir_promise *promise; /* another thread may settle it, too */
    weir__request_fn *finish;
    weir_timer timer; /* 0: none */
};

/* Open a request.  From now on finish is called exactly once, on the loop's
 * thread and never inside another call of this file, and the loop runs until
 * then.  Returns 0, -ENOMEM, WEIR_ECLOSED or WEIR_EFORKED. */
WEIR_CHECKED int weir__request_open(struct weir__request *request,
                                    weir_loop *loop, weir__request_fn *finish);

/* End the request with -ETIMEDOUT after a time; 0: never.  Returns 0, or an
 * error of weir_timer_start. */
WEIR_CHECKED int weir__request_set_timeout(struct weir__request *request,
                                           int64_t timeout_ns);

/* End the request with an error.  `data` says more about it, to finish.
 * Returns 0, or -EALREADY. */
int weir__request_fail(struct weir__request *request, int status,
                       intptr_t data);

/* The reason with which weir__request_fail rejects the promise. */
static inline weir_value weir__request_reason(int status, intptr_t data)
{
    return (weir_value){.data = (void *)data, .code = status};
}

#endif /* WEIR_NET_NAMES_REQUEST_H */

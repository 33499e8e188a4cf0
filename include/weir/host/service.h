/* SPDX-License-Identifier: MIT */
/*
 * weir/host/service.h -- functions for servers that are part of a service.
 *
 * A server opens its listeners when the service starts, and drives its drain
 * from the service's thread, which no user callback can block.
 *
 *     weir_service_on_start(service, loop, open_listener, server);
 *     weir_service_on_drain(service, weir_service_loop(service), stop, server);
 */
#ifndef WEIR_HOST_SERVICE_H
#define WEIR_HOST_SERVICE_H

#include "weir/error.h"
#include "weir/export.h"
#include "weir/service.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Get the loop that runs on the service's own thread.  Its callbacks must be
 * short and must never block: signals and deadlines are handled there.
 * weir_service_on_drain accepts this loop, too.
 *
 * Thread   any
 * Owns     the loop belongs to the service
 */
WEIR_API weir_loop *weir_service_loop(weir_service *service);

/**
 * Add a function that runs on a loop of the service when the service has
 * started.  If another thread stops the service at that moment, the functions
 * of weir_service_on_drain may run first.
 *
 * fn is called exactly once: with status 0, or with WEIR_ECANCELED if the loop
 * ends before that.
 *
 * Thread   any, before weir_service_start
 * Owns     arg is the caller's until fn is called
 * Returns  0, -EINVAL (NULL, or loop is not one of the service's), -EALREADY
 *          (the service was started), -ENOMEM, WEIR_ECLOSED (the loop has
 *          ended), WEIR_EFORKED
 * Orders   everything before weir_service_start happens-before fn
 */
WEIR_API WEIR_CHECKED int weir_service_on_start(weir_service *service,
                                                weir_loop *loop, weir_fn *fn,
                                                void *arg);

/**
 * Drain a service because a part of it cannot do its work.  The service ends
 * with err, unless another part has failed before or the end is forced.
 *
 * Thread   any
 */
WEIR_API void weir_service_fail(weir_service *service, int err);

/**
 * Record that work of a service was cut off.  The service ends as it would
 * otherwise, but weir_service_wait returns WEIR_EFORCED instead of 0.
 *
 * Thread   any
 */
WEIR_API void weir_service_set_cut(weir_service *service);

/**
 * Call on_report of a service, or print the report if there is none, because a
 * part of the service is about to cut work off.
 *
 * Thread   the service's, in a callback of weir_service_loop
 */
WEIR_API void weir_service_call_report(weir_service *service);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_SERVICE_H */

/* SPDX-License-Identifier: MIT */
/*
 * weir/profile.h -- where JavaScript spends its time.
 *
 *     weir_js_profile_start(js, 1000000);          before the program runs
 *     weir_js_run(js, &program, &code);
 *     weir_js_profile_write(js, write, file);      a .cpuprofile, as V8's
 *     weir_js_profile_stop(js);
 *
 * A sample is taken where the engine looks for interrupts, which is after some
 * thousand calls or jumps, if the interval has passed since the last one.  So
 * samples are biased towards functions that call and loop.  A builtin that takes
 * long, such as a sort, is counted for the function that runs after it.
 */
#ifndef WEIR_PROFILE_H
#define WEIR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/js.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Start to take samples of the JavaScript of a host, until
 * weir_js_profile_stop, or until the host is freed.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL, or interval_ns is not positive), -EPERM,
 *          -EALREADY (it was started), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_profile_start(weir_js *js,
                                                int64_t interval_ns);

/* Called with the next part of a profile.  Returns 0, or an error that ends
 * it. */
typedef int weir_js_profile_fn(void *arg, const char *text, size_t size);

/**
 * Write the samples so far in the format of V8's CPU profiles (JSON), which
 * browsers' developer tools, speedscope and others read.  Samples for which
 * there was no memory are missing.  With an engine that weir has not patched,
 * there are none.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EPERM, -ENOENT (it was not started), or an error
 *          of `write`
 */
WEIR_API WEIR_CHECKED int
weir_js_profile_write(weir_js *js, weir_js_profile_fn *write, void *arg);

/**
 * Stop taking samples, and forget those that were taken.  It can be started
 * again.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL), -EPERM, -ENOENT (it was not started)
 */
WEIR_API WEIR_CHECKED int weir_js_profile_stop(weir_js *js);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_PROFILE_H */

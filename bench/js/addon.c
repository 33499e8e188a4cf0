/* SPDX-License-Identifier: MIT */
/*
 * addon -- post.c on Node: four threads call a JavaScript function through a
 * thread-safe function, which is Node-API's way to do that.  Its queue has no
 * bound, so that no producer waits, as with weir.
 *
 *     run(function, done)     done(nanoseconds for one call)
 */
#include <node_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "post.h"

static struct {
    napi_env env;
    napi_threadsafe_function function;
    napi_ref done;
    pthread_t producer[POST_PRODUCERS];
    uint64_t began_ns;
    int left;
} desk;

static void must(napi_status status)
{
    if (status == napi_ok)
        return;
    fprintf(stderr, "addon: status %d\n", status);
    abort();
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *produce(void *arg)
{
    for (intptr_t i = 0; i < POST_EACH; i++)
        must(napi_call_threadsafe_function(desk.function, (void *)i,
                                           napi_tsfn_nonblocking));
    must(napi_release_threadsafe_function(desk.function, napi_tsfn_release));
    return arg;
}

static void tell(napi_env env)
{
    double ns = (double)(now_ns() - desk.began_ns) / POST_EACH / POST_PRODUCERS;
    napi_value done, undefined, argument;

    for (int i = 0; i < POST_PRODUCERS; i++)
        pthread_join(desk.producer[i], NULL);
    must(napi_get_reference_value(env, desk.done, &done));
    must(napi_get_undefined(env, &undefined));
    must(napi_create_double(env, ns, &argument));
    must(napi_call_function(env, undefined, done, 1, &argument, NULL));
}

/* On Node's thread, once for each call of a producer. */
static void call(napi_env env, napi_value function, void *context, void *data)
{
    napi_value undefined, number;

    must(napi_get_undefined(env, &undefined));
    must(napi_create_double(env, (double)(intptr_t)data, &number));
    must(napi_call_function(env, undefined, function, 1, &number, NULL));
    if (--desk.left == 0)
        tell(env);
}

static napi_value run(napi_env env, napi_callback_info info)
{
    napi_value args[2], name;
    size_t count = 2;

    must(napi_get_cb_info(env, info, &count, args, NULL, NULL));
    must(napi_create_reference(env, args[1], 1, &desk.done));
    must(napi_create_string_utf8(env, "bench", NAPI_AUTO_LENGTH, &name));
    must(napi_create_threadsafe_function(env, args[0], NULL, name, 0,
                                         POST_PRODUCERS, NULL, NULL, NULL, call,
                                         &desk.function));
    desk.left = POST_EACH * POST_PRODUCERS;
    desk.began_ns = now_ns();
    for (int i = 0; i < POST_PRODUCERS; i++)
        if (pthread_create(&desk.producer[i], NULL, produce, NULL) != 0)
            abort();
    return NULL;
}

NAPI_MODULE_INIT()
{
    napi_value function;

    must(napi_create_function(env, "run", NAPI_AUTO_LENGTH, run, NULL,
                              &function));
    must(napi_set_named_property(env, exports, "run", function));
    return exports;
}

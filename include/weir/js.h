/* SPDX-License-Identifier: MIT */
/*
 * weir/js.h -- JavaScript on a loop.  In libweir-js, not in libweir.
 *
 * A host is one JavaScript world, with its own memory, on one loop.  Its code
 * runs on the thread that runs the loop, and on no other.
 *
 *     weir_js *js;
 *     if (weir_js_new(&js, loop, NULL) != 0) ...
 *     weir_js_define(js, NULL, "greet", greet, NULL);      a function in C
 *     weir_js_eval(js, "greet('world')", 14, "hello.js", WEIR_JS_SCRIPT, NULL);
 *     weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);            promises, timers
 *     weir_js_free(js);
 *
 * Contracts are those of weir/loop.h; "Thread loop" means here: on the loop's
 * thread, also between two steps, or while no thread runs the loop.  From another
 * thread such a call returns -EPERM and touches nothing.
 *
 * Promise jobs are microtasks of the loop, one each: they keep their order with
 * the loop's own, and its budget counts them.  What is evaluated or called
 * while no thread runs the loop leaves its jobs for the next run or step.
 *
 * weir_raise must not be used in a function that JavaScript has called: it
 * would leave the engine's frames behind.  Use weir_js_throw.
 */
#ifndef WEIR_JS_H
#define WEIR_JS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

struct JSContext; /* the engine's, quickjs.h */

typedef struct weir_js weir_js;
typedef struct weir_js_handle weir_js_handle;

/* ---- values ---- */

typedef enum weir_js_type {
    WEIR_JS_UNDEFINED = 0,
    WEIR_JS_NULL,
    WEIR_JS_BOOL,
    WEIR_JS_NUMBER,
    WEIR_JS_STRING,
    WEIR_JS_OBJECT,
    WEIR_JS_FUNCTION,
    WEIR_JS_OTHER, /* a symbol or a BigInt */
    /* C gives it: a new Uint8Array.  Async functions get it for buffers and
     * their views; elsewhere those come as objects. */
    WEIR_JS_BYTES,
} weir_js_type;

/* One value.  What is given to weir is copied before the call returns.  What
 * comes from weir holds storage, until weir_js_release; {0} is undefined. */
typedef struct weir_js_value {
    weir_js_type type;
    bool boolean;
    double number;
    const char *text; /* UTF-8, or bytes; what comes from weir has a NUL behind
                         it, that length does not count */
    size_t length;
    weir_js_handle *handle; /* of weir's: strings, objects and the like */
} weir_js_value;

static inline weir_js_value weir_js_undefined(void)
{
    weir_js_value value = {WEIR_JS_UNDEFINED, false, 0, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_boolean(bool boolean)
{
    weir_js_value value = {WEIR_JS_BOOL, boolean, 0, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_number(double number)
{
    weir_js_value value = {WEIR_JS_NUMBER, false, number, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_string(const char *text, size_t length)
{
    weir_js_value value = {WEIR_JS_STRING, false, 0, text, length, NULL};

    return value;
}

static inline weir_js_value weir_js_bytes(const void *bytes, size_t length)
{
    weir_js_value value = {WEIR_JS_BYTES,       false,  0,
                           (const char *)bytes, length, NULL};

    return value;
}

/* ---- errors ---- */

typedef enum weir_js_failure {
    WEIR_JS_THROWN,     /* an exception nobody caught */
    WEIR_JS_REJECTED,   /* a rejected promise without a handler */
    WEIR_JS_TERMINATED, /* weir_js_terminate */
    WEIR_JS_TIMED_OUT,  /* the time limit */
} weir_js_failure;

/* Valid until the next call that takes the host. */
typedef struct weir_js_error {
    weir_js_failure kind;
    const char *text;  /* "TypeError: x is not a function" */
    const char *stack; /* "    at f (a.js:1:2)\n" for each frame; may be "" */
    const char *file;  /* of the innermost frame with a place; may be NULL */
    int line;          /* from 1; 0: not known */
    int column;        /* from 1; 0: not known */
    /* In weir_js_run: all of it, with its properties and its cause, as
     * console.error prints it.  Else, or if that throws, NULL. */
    const char *report;
} weir_js_error;

/* ---- hosts ---- */

/* All may be left 0. */
typedef struct weir_js_options {
    size_t size; /* sizeof(weir_js_options) */
    /* For the host and its workers together: their JavaScript heaps,
     * SharedArrayBuffers, messages under way, the text of programs and modules,
     * and files that are being read or written.  0: no limit. */
    size_t memory_limit_bytes;
    size_t stack_size_bytes; /* for JavaScript, here and in each worker; 0:
                                  1 MiB here, 4 MiB in workers */
    int64_t time_limit_ns;   /* as weir_js_set_time_limit */
    bool allow_blocking;     /* Atomics.wait may block this loop */
    weir_pool *pool;         /* for async functions and files; outlives the
                                  host.  NULL: they fail with -ENOTSUP.  Make it
                                  with the signals blocked that programs may
                                  listen to, or its threads get them */
    void *arg;               /* of the two below */
    /* Instead of pool: asked for one when it is first needed, on the thread of
     * this host or of one of its workers; NULL: there is none. */
    weir_pool *(*get_pool)(void *arg);
    /* An exception left a callback, or a promise was rejected and has no
     * handler at the end of the checkpoint.  On the loop's thread; the host is
     * entered, so it cannot be freed here.  NULL: text and stack on stderr. */
    void (*on_uncaught)(void *arg, weir_js *js, const weir_js_error *error);
} weir_js_options;

/**
 * Make a host on a loop.
 *
 * Thread   loop
 * Owns     *js is the caller's until weir_js_free; the loop must outlive that
 * Returns  0, -EINVAL (NULL, or an option makes no sense), -ENOMEM, -EPERM,
 *          WEIR_ECLOSED (the loop is TERMINATED)
 */
WEIR_API WEIR_CHECKED int weir_js_new(weir_js **js, weir_loop *loop,
                                      const weir_js_options *options);

/**
 * End the host: nothing of it runs any more, and all its memory goes.  Calls
 * that were posted and have not run are told WEIR_ECANCELED.  What it gave out
 * and nobody released is released.  NULL is nothing.
 *
 * Thread   loop; without a post that may still begin
 * Owns     the pointer, and each value of the host, is no longer the caller's
 * Returns  0, -EPERM, WEIR_EREENTRANT (JavaScript has called; in on_uncaught)
 */
WEIR_API int weir_js_free(weir_js *js);

/**
 * Stop the JavaScript of this host for ever, also an endless loop.  What runs
 * ends with an error that it cannot catch; nothing else begins.  process.exit
 * does the same, and to no other host, unless weir_js_run runs the program.
 *
 * Thread   any
 */
WEIR_API void weir_js_terminate(weir_js *js);

/**
 * Let each entry into JavaScript (a callback, a job, a call from C) take
 * limit_ns at the most; it then ends with an error that it cannot catch, and
 * the host goes on.  0: no limit.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL or negative), -EPERM
 */
WEIR_API WEIR_CHECKED int weir_js_set_time_limit(weir_js *js, int64_t limit_ns);

/**
 * The loop's budget of microtasks is used up: for weir_loop_options.on_breach.
 * One warning of the process names the function that is busy; it is the one
 * that runs when the engine looks up next.
 *
 * Thread   loop
 */
WEIR_API void weir_js_breach(weir_js *js);

/* ---- code ---- */

typedef enum weir_js_source {
    WEIR_JS_SCRIPT = 0, /* the result is the value of its last statement */
    WEIR_JS_MODULE,     /* the result is a promise, settled when it has run */
} weir_js_source;

/**
 * Evaluate source text.  source[length] must be a NUL.  file is for messages, and
 * imports begin at it; a path, from the working directory, or a file: URL.
 *
 * Thread   loop
 * Owns     source and file are the caller's; a result (or NULL) must be
 *          released
 * Returns  0, -EINVAL (NULL, kind), -EPERM, WEIR_ETHROWN (weir_js_last_error
 *          says what), -ETIMEDOUT (the time limit), WEIR_ECANCELED
 *          (terminated), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_eval(weir_js *js, const char *source,
                                       size_t length, const char *file,
                                       weir_js_source kind,
                                       weir_js_value *result);

/**
 * Call a function, with an undefined `this`.
 *
 * Thread   loop
 * Owns     as weir_js_eval
 * Returns  0, -EINVAL (NULL, no function, a value of another host), -EPERM,
 *          WEIR_ETHROWN, -ETIMEDOUT, WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_call(weir_js *js,
                                       const weir_js_value *function,
                                       const weir_js_value *args, size_t count,
                                       weir_js_value *result);

/**
 * Read a property of an object, or a global variable (object is NULL): a var or
 * a function.  What let, const and class declare is no property of anything.
 *
 * Thread   loop
 * Owns     the result must be released
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (a getter), -ETIMEDOUT,
 *          WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_get(weir_js *js, const weir_js_value *object,
                                      const char *name, weir_js_value *result);

/**
 * Define a property of an object, or a global variable (object is NULL).
 * Setters are not called.
 *
 * Thread   loop
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (a frozen object), WEIR_ECANCELED
 */
WEIR_API WEIR_CHECKED int weir_js_set(weir_js *js, const weir_js_value *object,
                                      const char *name,
                                      const weir_js_value *value);

/* A function in C.  args are weir's, until it returns.  It returns 0 and may
 * fill *result with one of them, with a value of its own, or with a kept one,
 * which weir takes; or it returns what weir_js_throw returned; or another error,
 * which becomes an Error with its name as `code`. */
typedef int weir_js_fn(weir_js *js, void *arg, const weir_js_value *args,
                       size_t count, weir_js_value *result);

/**
 * Define a function in C, on an object or globally (object is NULL).
 *
 * Thread   loop
 * Owns     arg is the caller's and must outlive the host
 * Returns  as weir_js_set, and -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_define(weir_js *js,
                                         const weir_js_value *object,
                                         const char *name, weir_js_fn *fn,
                                         void *arg);

/* What an async function has come to: a plain value (undefined at first), and
 * what frees its text when that was copied; NULL: nothing must. */
typedef struct weir_js_result {
    weir_js_value value;
    void (*free)(void *text);
} weir_js_result;

/* Runs on a worker of the pool, may block, and knows nothing of the host.  args
 * are copies, until it returns.  0: the promise is fulfilled with the value.
 * Else it is rejected with an Error with that error's name as `code`; if the
 * value is a string, that is its message. */
typedef int weir_js_async_fn(void *arg, const weir_js_value *args, size_t count,
                             weir_js_result *result);

/**
 * Define an async function in C, on an object or globally (object is NULL): it
 * returns a promise, does its work on the host's pool, and holds the loop until
 * the promise is settled.  Its arguments must be plain: no objects but buffers
 * and views of them.  Once the host or the loop has ended the outcome is
 * dropped: weir_loop_shutdown does not wait for the work.
 *
 * Thread   loop
 * Owns     arg and name are the caller's and must outlive the pool
 * Returns  as weir_js_set, and -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_define_async(weir_js *js,
                                               const weir_js_value *object,
                                               const char *name,
                                               weir_js_async_fn *fn, void *arg);

typedef enum weir_js_throwable {
    WEIR_JS_ERROR = 0,
    WEIR_JS_TYPE_ERROR,
    WEIR_JS_RANGE_ERROR,
} weir_js_throwable;

/**
 * Throw, from a function in C that JavaScript has called: return the result.
 *
 * Thread   loop
 * Returns  WEIR_ETHROWN
 */
WEIR_API WEIR_CHECKED int weir_js_throw(weir_js *js, weir_js_throwable type,
                                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * What the last call that returned WEIR_ETHROWN, -ETIMEDOUT or WEIR_ECANCELED
 * failed with; its texts are empty before there was one.
 *
 * Thread   loop
 * Owns     the host's, until the next call that takes it
 */
WEIR_API const weir_js_error *weir_js_last_error(const weir_js *js);

/**
 * A second hold on a value, for instance on an argument that shall outlive
 * its call.
 *
 * Thread   loop
 * Owns     *kept must be released
 * Returns  0, -EINVAL, -EPERM, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_keep(weir_js *js, const weir_js_value *value,
                                       weir_js_value *kept);

/**
 * Give back a value; it is undefined then.  Calls that were posted to it still
 * come.  NULL is nothing.
 *
 * Thread   loop
 */
WEIR_API void weir_js_release(weir_js *js, weir_js_value *value);

/* ---- programs ---- */

typedef enum weir_js_program_kind {
    WEIR_JS_PROGRAM_FILE = 0, /* text is its path */
    WEIR_JS_PROGRAM_EVAL,     /* text is the code itself ... */
    WEIR_JS_PROGRAM_PRINT,    /* ... and its value is printed */
    WEIR_JS_PROGRAM_STDIN,    /* text is the code, read by the caller */
    WEIR_JS_PROGRAM_REPL,     /* a person types it; text is "" */
} weir_js_program_kind;

typedef struct weir_js_program {
    size_t size; /* sizeof(weir_js_program) */
    weir_js_program_kind kind;
    const char *text;
    int argc; /* process.argv, from its second element on */
    const char *const *argv;
} weir_js_program;

/**
 * Run a program from its first line to its exit code, and the loop with it:
 * until the loop is idle, process.exit, or an error that nobody catches, which
 * on_uncaught hears of first.  In the last two cases the loop is shut down.
 *
 * Thread   loop, but not inside a callback; once for a host
 * Owns     program, text and argv are the caller's, until it returns
 * Returns  0 (exit_code is set), -EINVAL (NULL, an unknown kind, a second
 *          time), -EPERM, WEIR_EREENTRANT, WEIR_ECLOSED (the loop has ended),
 *          -ENOMEM, or the error of the poller's wait
 */
WEIR_API WEIR_CHECKED int
weir_js_run(weir_js *js, const weir_js_program *program, int *exit_code);

/* ---- from any thread ---- */

/* The end of a posted call, on the loop's thread.  status is 0, WEIR_ETHROWN,
 * -ETIMEDOUT, or WEIR_ECANCELED: the loop or the host ended first.  result is
 * weir's; undefined unless status is 0. */
typedef void weir_js_done_fn(void *arg, int status,
                             const weir_js_value *result);

/**
 * Call a function on the loop's thread, in the order in which this thread posts
 * to the loop.  Without `done` an exception is the host's, as that of any
 * callback.
 *
 * Thread   any
 * Owns     the function must not be released before this returns; the
 *          arguments are copied
 * Returns  0, -EINVAL (NULL, no function, an argument that is not plain),
 *          WEIR_ECLOSED (the loop no longer admits work), -ENOMEM
 * Orders   everything before the call happens-before the function and done()
 */
WEIR_API WEIR_CHECKED int weir_js_post(weir_js *js,
                                       const weir_js_value *function,
                                       const weir_js_value *args, size_t count,
                                       weir_js_done_fn *done, void *arg);

/* ---- looking ---- */

/**
 * The engine's context, for what is not here.  Enter it only from functions
 * that JavaScript has called: jobs are looked for when those return.
 *
 * Thread   loop
 * Owns     the host's
 */
WEIR_API struct JSContext *weir_js_context(const weir_js *js);

/**
 * The loop it lives on.
 *
 * Thread   any
 */
WEIR_API weir_loop *weir_js_loop(const weir_js *js);

/**
 * "0.17.0".
 *
 * Thread   any
 * Owns     a static string
 */
WEIR_API const char *weir_js_engine_version(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_JS_H */

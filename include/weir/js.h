/* SPDX-License-Identifier: MIT */
/*
 * weir/js.h -- JavaScript on a loop.  In libweir-js, not in libweir.
 *
 * A host is one JavaScript environment with its own memory, on one loop.  Its
 * code runs on the thread that runs the loop, and on no other.
 *
 *     weir_js *js;
 *     if (weir_js_new(&js, loop, NULL) != 0) ...
 *     weir_js_define(js, NULL, "greet", greet, NULL);      a function in C
 *     weir_js_eval(js, "greet('world')", 14, "hello.js",
 *                  WEIR_JS_SOURCE_SCRIPT, NULL);
 *     weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);            promises, timers
 *     weir_js_free(js);
 *
 * The contracts have the form that weir/loop.h explains.  Here "Thread loop"
 * means on the loop's thread, even between two steps, or while no thread runs
 * the loop.  Such a call returns -EPERM on any other thread and has no effect.
 *
 * Each promise job is one microtask of the loop, so promise jobs keep their
 * order relative to the loop's own microtasks and count towards its budget.
 * Code that is evaluated or called while no thread runs the loop leaves its
 * jobs for the next run or step.
 *
 * A function that JavaScript has called must not use weir_raise, which would
 * skip the engine's stack frames.  Use weir_js_throw instead.
 */
#ifndef WEIR_JS_H
#define WEIR_JS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/live.h"
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
    WEIR_JS_TYPE_UNDEFINED = 0,
    WEIR_JS_TYPE_NULL,
    WEIR_JS_TYPE_BOOL,
    WEIR_JS_TYPE_NUMBER,
    WEIR_JS_TYPE_STRING,
    WEIR_JS_TYPE_OBJECT,
    WEIR_JS_TYPE_FUNCTION,
    WEIR_JS_TYPE_OTHER, /* a symbol or a BigInt */
    /* From C to JavaScript: a new Uint8Array.  Async functions receive buffers
     * and their views as this type; elsewhere they arrive as objects. */
    WEIR_JS_TYPE_BYTES,
} weir_js_type;

/* A JavaScript value.  A value passed to weir is copied before the call
 * returns.  A value received from weir holds storage until weir_js_release.
 * {0} is undefined. */
typedef struct weir_js_value {
    weir_js_type type;
    bool boolean;
    double number;
    const char *text; /* UTF-8, or bytes; text received from weir is followed by
                         a NUL that length does not count */
    size_t length;
    weir_js_handle *handle; /* weir's, for strings, objects and the like */
} weir_js_value;

static inline weir_js_value weir_js_undefined(void)
{
    weir_js_value value = {WEIR_JS_TYPE_UNDEFINED, false, 0, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_boolean(bool boolean)
{
    weir_js_value value = {WEIR_JS_TYPE_BOOL, boolean, 0, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_number(double number)
{
    weir_js_value value = {WEIR_JS_TYPE_NUMBER, false, number, NULL, 0, NULL};

    return value;
}

static inline weir_js_value weir_js_string(const char *text, size_t length)
{
    weir_js_value value = {WEIR_JS_TYPE_STRING, false, 0, text, length, NULL};

    return value;
}

static inline weir_js_value weir_js_bytes(const void *bytes, size_t length)
{
    weir_js_value value = {WEIR_JS_TYPE_BYTES,  false,  0,
                           (const char *)bytes, length, NULL};

    return value;
}

/* ---- errors ---- */

typedef enum weir_js_failure {
    WEIR_JS_FAILURE_THROWN,     /* an uncaught exception */
    WEIR_JS_FAILURE_REJECTED,   /* a rejected promise without a handler */
    WEIR_JS_FAILURE_TERMINATED, /* weir_js_terminate */
    WEIR_JS_FAILURE_TIMED_OUT,  /* the time limit */
} weir_js_failure;

/* A failure of JavaScript code.  Valid until the next call that takes the
 * host. */
typedef struct weir_js_error {
    weir_js_failure kind;
    const char *text;  /* "TypeError: x is not a function" */
    const char *stack; /* "    at f (a.js:1:2)\n" for each frame; may be "" */
    const char *file;  /* of the innermost frame with a location; may be NULL */
    int line;          /* from 1; 0: unknown */
    int column;        /* from 1; 0: unknown */
    /* In weir_js_run: the whole error with its properties and its cause, as
     * console.error prints it.  Otherwise, or if printing throws: NULL. */
    const char *report;
} weir_js_error;

/* ---- hosts ---- */

/* Every member except size may be left 0. */
typedef struct weir_js_options {
    size_t size; /* sizeof(weir_js_options) */
    /* For the host and its workers together: their JavaScript heaps,
     * SharedArrayBuffers, messages in flight, the text of programs and modules,
     * and files that are being read or written.  0: no limit. */
    size_t memory_limit_bytes;
    size_t stack_size_bytes; /* for JavaScript, in the host and in each worker;
                                0: 1 MiB in the host, 4 MiB in workers */
    int64_t time_limit_ns;   /* as for weir_js_set_time_limit */
    bool allow_blocking;     /* let Atomics.wait block this loop */
    weir_pool *pool;         /* for async functions and files; must outlive the
                                host.  NULL: they fail with -ENOTSUP.  Block the
                                signals that programs may listen to while
                                creating it, or its threads receive them */
    void *arg;               /* for the two callbacks below */
    /* Returns a pool, in place of `pool`.  Called when a pool is first needed,
     * on the thread of this host or of one of its workers.  It may return NULL
     * if there is none. */
    weir_pool *(*get_pool)(void *arg);
    /* Called when an exception leaves a callback, or when a rejected promise
     * has no handler at the end of the checkpoint.  Runs on the loop's thread,
     * inside the host, so the host cannot be freed here.  NULL: print text and
     * stack on stderr. */
    void (*on_uncaught)(void *arg, weir_js *js, const weir_js_error *error);
} weir_js_options;

/* What JavaScript may reach.  A list ends with a NULL; NULL is an empty one. */
typedef struct weir_js_permissions {
    size_t size; /* sizeof(weir_js_permissions) */
    /* Paths.  "*" is every file; a directory is granted with all that is in it;
     * "/tmp/a*" is each path that begins like this. */
    const char *const *fs_read;
    const char *const *fs_write;
    const char *const *net; /* "*": the network */
    /* Names of variables; "*" is each of them, "A_*" those that begin so. */
    const char *const *env;
    bool child;  /* start processes, which are not confined */
    bool worker; /* start workers, which are */
} weir_js_permissions;

/**
 * Deny the JavaScript of this process everything that is not listed: files,
 * the network, processes, workers, variables of the environment.  What is
 * denied throws an error with the code ERR_ACCESS_DENIED.  Passing NULL grants
 * nothing.  Functions in C that the program defines are not confined.
 *
 * Thread   any; no host may exist yet
 * Owns     everything is copied
 * Returns  0, -EINVAL (an entry is empty, too long, not allowed in its list, or
 *          leads to no file that has a name), -E2BIG (an option that this
 *          library does not know), -EALREADY (the process is confined),
 *          -ENOMEM, or the -errno of the working directory
 */
WEIR_API WEIR_CHECKED int
weir_js_confine(const weir_js_permissions *permissions);

/**
 * Create a JavaScript host on a loop.
 *
 * Thread   loop
 * Owns     *js is the caller's until weir_js_free; the loop must outlive the
 *          host
 * Returns  0, -EINVAL (NULL, or an option is invalid), -E2BIG (an option that
 *          this library does not know), -ENOMEM, -EPERM (another thread runs
 *          the loop), WEIR_ECLOSED (the loop is TERMINATED)
 */
WEIR_API WEIR_CHECKED int weir_js_new(weir_js **js, weir_loop *loop,
                                      const weir_js_options *options);

/**
 * Free a JavaScript host.  None of its code runs any more, and all of its
 * memory is freed.  Posted calls that have not run end with WEIR_ECANCELED.
 * Values that were not released are released.  Passing NULL has no effect.
 *
 * Thread   loop; no weir_js_post may still begin
 * Owns     the host and each of its values are no longer the caller's to use
 * Returns  0, -EPERM, WEIR_EREENTRANT (called from JavaScript, or in
 *          on_uncaught)
 */
WEIR_API int weir_js_free(weir_js *js);

/**
 * Stop the JavaScript of a host forever, even in an endless loop.  The running
 * code ends with an error that it cannot catch, and no other code begins.
 * In a program that weir_js_run does not run, process.exit has the same effect,
 * on its own host only.
 *
 * Thread   any
 */
WEIR_API void weir_js_terminate(weir_js *js);

/**
 * Limit each entry into JavaScript to limit_ns.  An entry is a callback, a job
 * or a call from C.  An entry that exceeds the limit ends with an error that it
 * cannot catch, and the host continues.  A limit of 0 means no limit.
 *
 * Thread   loop
 * Returns  0, -EINVAL (NULL or negative), -EPERM
 */
WEIR_API WEIR_CHECKED int weir_js_set_time_limit(weir_js *js, int64_t limit_ns);

/**
 * Report that the loop's microtask budget is used up.  Call it from
 * weir_loop_options.on_breach.  A single process warning names the busy
 * function: the one that is running at the engine's next interrupt check.
 *
 * Thread   loop
 */
WEIR_API void weir_js_breach(weir_js *js);

/**
 * Tell the program what the watchdog has found (weir/live.h).  process emits
 * 'blocked' on the loop's thread, and the channel 'weir:blocked' of
 * diagnostics_channel publishes the same object.  Call it from
 * weir_live_options.on_block.  Without effect if there is no memory, or if the
 * host or its loop is ending.
 *
 * Thread   any; the host must not be freed meanwhile
 * Owns     the block is copied
 */
WEIR_API void weir_js_tell_block(weir_js *js, const weir_block *block);

/**
 * Let the host show something on the page of weir/net/monitor.h, as soon as its
 * loop has time: "heap" for what its objects take; "profile-start" and
 * "profile-stop" for a CPU profile, which ends by itself after a minute and is
 * then offered as the file "profile"; "jobs" for the stores of weir:jobs.  A text
 * that is not known has no effect.  Call it from weir_monitor_options.on_ask.
 * Without effect if there is no memory, or if the host or its loop is ending.
 *
 * Thread   any; the host must not be freed meanwhile
 * Owns     the text is copied
 */
WEIR_API void weir_js_ask(weir_js *js, const char *what);

/* A pool of weir:pool at one moment.  Later versions may append members. */
typedef struct weir_js_pool {
    uint32_t number;     /* of the pools of this process, from 1 */
    uint32_t workers;    /* the size of the pool */
    uint64_t queued;     /* tasks that wait for a worker */
    uint64_t taken;      /* tasks that have begun */
    uint64_t stolen;     /* tasks that went from one worker to another */
    uint64_t waited_ns;  /* the total time in the queue of those that have
                            begun */
    uint64_t longest_ns; /* and the longest */
} weir_js_pool;

/**
 * Report the pools of weir:pool of this process, the newest first.
 *
 * Thread   any
 * Owns     fills rows[0 .. capacity - 1]; size is sizeof(weir_js_pool)
 * Returns  the number of pools, which may exceed capacity
 */
WEIR_API size_t weir_js_pools(weir_js_pool *rows, size_t capacity, size_t size);

/* ---- code ---- */

typedef enum weir_js_source {
    /* The result is the value of the last statement. */
    WEIR_JS_SOURCE_SCRIPT = 0,
    /* The result is a promise, settled after the module has run. */
    WEIR_JS_SOURCE_MODULE,
} weir_js_source;

/**
 * Evaluate source text.  source[length] must be a NUL.  file is the name shown
 * in messages and the base for imports; it is a path, relative to the working
 * directory, or a file: URL.
 *
 * Thread   loop
 * Owns     source and file are the caller's; result may be NULL, and otherwise
 *          must be released
 * Returns  0, -EINVAL (NULL, or an unknown kind), -EPERM, WEIR_ETHROWN
 *          (weir_js_last_error describes the error), -ETIMEDOUT (the time
 *          limit), WEIR_ECANCELED (terminated), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_eval(weir_js *js, const char *source,
                                       size_t length, const char *file,
                                       weir_js_source kind,
                                       weir_js_value *result);

/**
 * Call a JavaScript function with `this` undefined.
 *
 * Thread   loop
 * Owns     function and args are the caller's; result may be NULL, and
 *          otherwise must be released
 * Returns  0, -EINVAL (NULL, not a function, or a value of another host),
 *          -EPERM, WEIR_ETHROWN, -ETIMEDOUT, WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_call(weir_js *js,
                                       const weir_js_value *function,
                                       const weir_js_value *args, size_t count,
                                       weir_js_value *result);

/**
 * Read a property of an object, or a global variable if object is NULL.  Global
 * variables are those declared with var and function.  Names declared with let,
 * const and class are not properties of any object.
 *
 * Thread   loop
 * Owns     the result must be released
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (by a getter), -ETIMEDOUT,
 *          WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_get(weir_js *js, const weir_js_value *object,
                                      const char *name, weir_js_value *result);

/**
 * Define a property of an object, or a global variable if object is NULL.
 * Setters are not called.
 *
 * Thread   loop
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (a frozen object, a proxy's trap,
 *          or no memory), -ETIMEDOUT (a proxy's trap), WEIR_ECANCELED
 */
WEIR_API WEIR_CHECKED int weir_js_set(weir_js *js, const weir_js_value *object,
                                      const char *name,
                                      const weir_js_value *value);

/* A function in C that JavaScript can call.  args belong to weir and are valid
 * until the function returns.  On success it returns 0 and may fill *result
 * with one of args, with its own value, or with a kept value, which weir then
 * owns.
 * On failure it returns the result of weir_js_throw, or another error, which
 * becomes an Error with the error's name as `code`. */
typedef int weir_js_fn(weir_js *js, void *arg, const weir_js_value *args,
                       size_t count, weir_js_value *result);

/**
 * Define a function in C as a property of an object, or as a global variable if
 * object is NULL.
 *
 * Thread   loop
 * Owns     arg is the caller's and must outlive the host
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (a frozen object, a proxy's trap,
 *          or no memory), -ETIMEDOUT (a proxy's trap), WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_define(weir_js *js,
                                         const weir_js_value *object,
                                         const char *name, weir_js_fn *fn,
                                         void *arg);

/* The result of an async function: a plain value (undefined at first), and the
 * function that frees its text after it was copied.  free is NULL if there is
 * nothing to free. */
typedef struct weir_js_result {
    weir_js_value value;
    void (*free)(void *text);
} weir_js_result;

/* An async function in C.  It runs on a worker of the pool, may block, and has
 * no access to the host.  args are copies that are valid until it returns.  If
 * it returns 0, the promise is fulfilled with the value.  If it returns an
 * error, the promise is rejected with an Error that has the error's name as
 * `code`, and the value as its message if that is a string. */
typedef int weir_js_async_fn(void *arg, const weir_js_value *args, size_t count,
                             weir_js_result *result);

/**
 * Define an async function in C as a property of an object, or as a global
 * variable if object is NULL.  The function returns a promise, does its work on
 * the host's pool, and keeps the loop running until the promise is settled.
 * Its arguments must be plain: the only objects allowed are buffers and views
 * of them.  The outcome is discarded once the host or the loop has ended,
 * because weir_loop_shutdown does not wait for the work.
 *
 * Thread   loop
 * Owns     arg and name are the caller's and must outlive the pool
 * Returns  0, -EINVAL, -EPERM, WEIR_ETHROWN (a frozen object, a proxy's trap,
 *          or no memory), -ETIMEDOUT (a proxy's trap), WEIR_ECANCELED, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_define_async(weir_js *js,
                                               const weir_js_value *object,
                                               const char *name,
                                               weir_js_async_fn *fn, void *arg);

typedef enum weir_js_throwable {
    WEIR_JS_THROW_ERROR = 0,
    WEIR_JS_THROW_TYPE_ERROR,
    WEIR_JS_THROW_RANGE_ERROR,
} weir_js_throwable;

/**
 * Throw an exception from a C function that JavaScript has called.  The
 * function must return the result of this call.
 *
 * Thread   loop
 * Returns  WEIR_ETHROWN
 */
WEIR_API WEIR_CHECKED int weir_js_throw(weir_js *js, weir_js_throwable type,
                                        const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/**
 * Return the error of the last call that returned WEIR_ETHROWN, -ETIMEDOUT or
 * WEIR_ECANCELED.  Its texts are empty if there was no such call.
 *
 * Thread   loop
 * Owns     the host's, until the next call that takes the host
 */
WEIR_API const weir_js_error *weir_js_last_error(const weir_js *js);

/**
 * Take another reference to a value, for instance to an argument that must
 * outlive its call.
 *
 * Thread   loop
 * Owns     *kept must be released
 * Returns  0, -EINVAL, -EPERM, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_js_keep(weir_js *js, const weir_js_value *value,
                                       weir_js_value *kept);

/**
 * Release a value and set it to undefined.  Calls that were posted to the value
 * still run.  Passing NULL has no effect.
 *
 * Thread   loop
 */
WEIR_API void weir_js_release(weir_js *js, weir_js_value *value);

/* ---- programs ---- */

typedef enum weir_js_program_kind {
    WEIR_JS_PROGRAM_FILE = 0, /* text is the path of the file */
    WEIR_JS_PROGRAM_EVAL,     /* text is the code itself */
    WEIR_JS_PROGRAM_PRINT,    /* text is the code; its value is printed */
    WEIR_JS_PROGRAM_STDIN,    /* text is the code, read by the caller */
    WEIR_JS_PROGRAM_REPL,     /* a person types the code; text is "" */
    WEIR_JS_PROGRAM_TEST, /* run the tests in the files of argv; text is "" */
    WEIR_JS_PROGRAM_TOP,  /* show the process whose number is in argv; text is
                             "" */
    WEIR_JS_PROGRAM_JOBS, /* carry out the command of `weir jobs` in argv; text
                             is "" */
} weir_js_program_kind;

typedef struct weir_js_program {
    size_t size; /* sizeof(weir_js_program) */
    weir_js_program_kind kind;
    const char *text;
    int argc; /* of argv: process.argv, from its second element on */
    const char *const *argv;
    int exec_argc; /* of exec_argv: process.execArgv, the options of the host */
    const char *const *exec_argv;
} weir_js_program;

/**
 * Run a program together with its loop, and set its exit code.  The program
 * ends when the loop is idle, at process.exit, or at an uncaught error, which
 * is reported to on_uncaught first.  In the last two cases the loop is shut
 * down.
 *
 * Thread   loop, but not inside a callback; once for each host
 * Owns     program, text, argv and exec_argv are the caller's; they must stay
 *          valid until the call returns
 * Returns  0 (exit_code is set), -EINVAL (NULL, an unknown kind, or a second
 *          call), -E2BIG (program has a member that this library does not
 *          know), -EPERM, WEIR_EREENTRANT, WEIR_ECLOSED (the loop has ended),
 *          -ENOMEM, or the error of the poller's wait
 */
WEIR_API WEIR_CHECKED int
weir_js_run(weir_js *js, const weir_js_program *program, int *exit_code);

/* ---- from any thread ---- */

/* Called on the loop's thread when a posted call has ended.  status is 0,
 * WEIR_ETHROWN, -ETIMEDOUT, or WEIR_ECANCELED if the loop or the host ended
 * first.  result belongs to weir, and is undefined unless status is 0. */
typedef void weir_js_done_fn(void *arg, int status,
                             const weir_js_value *result);

/**
 * Call a JavaScript function on the loop's thread, from any thread.  Calls keep
 * the order in which the calling thread posts to the loop.  Without `done`, an
 * exception goes to the host, as for any callback.
 *
 * Thread   any
 * Owns     the function must not be released before this call returns; the
 *          arguments are copied
 * Returns  0, -EINVAL (NULL, not a function, or an argument that is not plain),
 *          WEIR_ECLOSED (the loop no longer admits work, or the host is
 *          ending), -ENOMEM, WEIR_EFORKED
 * Orders   everything before the call happens-before the function and done()
 */
WEIR_API WEIR_CHECKED int weir_js_post(weir_js *js,
                                       const weir_js_value *function,
                                       const weir_js_value *args, size_t count,
                                       weir_js_done_fn *done, void *arg);

/* ---- inspection ---- */

/**
 * Return the engine's context, for features that this header does not offer.
 * Enter it only from functions that JavaScript has called: the host looks for
 * new promise jobs when such a function returns.
 *
 * Thread   loop
 * Owns     the host's
 */
WEIR_API struct JSContext *weir_js_context(const weir_js *js);

/**
 * Return the loop that a host runs on.
 *
 * Thread   any
 */
WEIR_API weir_loop *weir_js_loop(const weir_js *js);

/**
 * Return the version of the JavaScript engine, such as "0.17.0".
 *
 * Thread   any
 * Returns  a static string
 */
WEIR_API const char *weir_js_engine_version(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_JS_H */

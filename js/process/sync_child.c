/* SPDX-License-Identifier: MIT */
/*
 * sync_child -- a child process that JavaScript waits for (spawnSync).
 *
 * Data      A run on the stack: the child, and for each entry of its stdio
 *           table the end that is ours, with what is to be written and what was
 *           read.
 * Thread    The caller's, which runs a separate loop until the child has
 *           exited and every end is closed.  No JavaScript runs meanwhile.
 *
 * When the time is up, or an output exceeds its limit, the child gets the kill
 * signal and all ends are closed, so that processes which the child has left
 * behind do not delay the caller.
 *
 * Tested by  test/js/process/child-sync.js, child.c
 */
#include <errno.h>
#include <stdlib.h>

#include "bytes/block.h"
#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/permission.h"
#include "process/child.h"
#include "weir/timer.h"

struct end {
    struct run *run;
    weir_stream *stream; /* NULL: none, or closed */
    weir_bytes input;
    struct weir__js_block output;
};

struct run {
    weir_loop *loop;
    weir_process *process;
    size_t limit; /* of each output */
    int kill_signal;
    weir_timer timer; /* 0: none */
    bool has_exited;
    int error; /* the first that matters, or 0 */
    weir_process_result result;
    size_t count;
    struct end ends[];
};

static void close_end(struct end *end)
{
    if (end->stream != NULL)
        weir_stream_close(end->stream, NULL, NULL);
    end->stream = NULL;
}

/* Give up: signal the child to end, and read its output no longer. */
static void give_up(struct run *run, int error)
{
    if (run->error == 0)
        run->error = error;
    if (!run->has_exited)
        (void)!weir_process_kill(run->process, run->kill_signal);
    for (size_t i = 0; i < run->count; i++)
        close_end(&run->ends[i]);
}

static void stop_timer(struct run *run)
{
    if (run->timer != 0)
        (void)!weir_timer_cancel(run->loop, run->timer);
    run->timer = 0;
}

static void on_timeout(void *arg, int status)
{
    struct run *run = arg;

    run->timer = 0;
    if (status == 0)
        give_up(run, -ETIMEDOUT);
}

static void on_sync_exit(void *arg, weir_process *process, int status,
                         const weir_process_result *result)
{
    struct run *run = arg;

    run->has_exited = true;
    run->result = *result;
    stop_timer(run);
    if (status != 0 && run->error == 0)
        run->error = status == WEIR_ECANCELED ? -ECANCELED : status;
}

static void on_output(void *arg, weir_stream *stream, int status,
                      weir_bytes bytes)
{
    struct end *end = arg;
    struct run *run = end->run;
    size_t room = run->limit - end->output.size;
    size_t size = bytes.size < room ? bytes.size : room;

    if (status != 0) {
        if (status != WEIR_EEOF && run->error == 0)
            run->error = status; /* the rest of the output is lost */
        close_end(end);
        return;
    }
    if (weir__js_block_append(&end->output, bytes.data, size) != 0)
        give_up(run, -ENOMEM);
    else if (size < bytes.size)
        give_up(run, -ENOBUFS);
}

/* The child has all of its input, or does not want it. */
static void on_input(void *arg, weir_stream *stream, int status)
{
    struct end *end = arg;

    if (status != 0 && status != WEIR_ECANCELED && end->run->error == 0)
        end->run->error = status;
    close_end(end);
}

/* A socket is for both directions. */
static int start_end(struct run *run, size_t index, weir_stdio_kind kind)
{
    struct end *end = &run->ends[index];
    int err = 0;

    if (kind != WEIR_STDIO_PIPE_IN && kind != WEIR_STDIO_PIPE_OUT)
        return 0;
    err = weir_process_open_stream(run->process, index, &end->stream, NULL);
    if (err == 0 && kind == WEIR_STDIO_PIPE_OUT)
        return weir_stream_read(end->stream, on_output, end);
    if (err == 0 && end->input.size > 0)
        err = weir_stream_write(end->stream, &end->input, 1, on_input, end);
    else if (err == 0)
        close_end(end);
    return err;
}

static int start_run(struct run *run, weir_process_options *options,
                     int64_t timeout_ns)
{
    int err = weir_loop_new(&run->loop, NULL);

    if (err != 0)
        return err;
    options->on_exit = on_sync_exit;
    options->arg = run;
    err = weir_process_spawn(&run->process, run->loop, options);
    if (err != 0)
        return err;
    for (size_t i = 0; err == 0 && i < run->count; i++)
        err = start_end(run, i, options->stdio[i].kind);
    if (err == 0 && timeout_ns > 0)
        err = weir_timer_start(run->loop, &run->timer, timeout_ns,
                               WEIR_TIMER_ONCE, on_timeout, run);
    if (err != 0)
        give_up(run, err);
    return 0;
}

static void free_run(struct run *run)
{
    if (run->process != NULL)
        weir_process_close(run->process);
    if (run->loop != NULL)
        (void)!weir_loop_free(run->loop);
    for (size_t i = 0; i < run->count; i++)
        weir__js_block_free(&run->ends[i].output);
    free(run);
}

/* ---- from JavaScript ---- */

/* Read the inputs: bytes, or undefined.  The buffers cannot change before the
 * call returns.  Returns -1 with an exception. */
static int read_inputs(JSContext *context, JSValueConst list, struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        JSValue value = JS_GetPropertyInt64(context, list, (int64_t)i);
        struct weir__js_bytes bytes = {0};
        int status =
            JS_IsUndefined(value) ? 0 : weir__js_bytes(context, value, &bytes);

        JS_FreeValue(context, value); /* the list holds it */
        if (status < 0)
            return -1;
        run->ends[i].input = (weir_bytes){(const char *)bytes.data, bytes.size};
    }
    return 0;
}

static struct run *new_run(JSContext *context, size_t count)
{
    weir_js *js = weir__js_of(context);
    struct run *run = calloc(1, sizeof(*run) + count * sizeof(run->ends[0]));

    if (run == NULL) {
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    run->count = count;
    for (size_t i = 0; i < count; i++) {
        run->ends[i].run = run;
        run->ends[i].output = weir__js_block_of(js);
    }
    return run;
}

/* [error, pid, code, signal, output or undefined, ...] */
static JSValue describe_run(JSContext *context, struct run *run,
                            const weir_process_options *options)
{
    JSValue list = JS_NewArray(context);
    int64_t numbers[] = {
        run->error,
        run->process != NULL ? weir_process_number(run->process) : 0,
        run->result.code, run->result.signal};
    bool failed = JS_IsException(list);

    for (uint32_t i = 0; !failed && i < 4; i++)
        failed = JS_DefinePropertyValueUint32(context, list, i,
                                              JS_NewInt64(context, numbers[i]),
                                              JS_PROP_C_W_E) < 0;
    for (size_t i = 0; !failed && i < run->count; i++) {
        JSValue output =
            options->stdio[i].kind == WEIR_STDIO_PIPE_OUT
                ? weir__js_block_buffer(context, &run->ends[i].output)
                : JS_UNDEFINED;

        failed = JS_IsException(output) ||
                 JS_DefinePropertyValueUint32(context, list, (uint32_t)i + 4,
                                              output, JS_PROP_C_W_E) < 0;
    }
    if (!failed)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

static JSValue perform(JSContext *context, struct run *run,
                       weir_process_options *options, int64_t timeout_ns)
{
    int err = start_run(run, options, timeout_ns);

    if (err == 0)
        err = weir_loop_run(run->loop, WEIR_RUN_UNTIL_IDLE);
    if (err != 0)
        run->error = err;
    return describe_run(context, run, options);
}

/* spawnSync(what weir__js_child_read reads, inputs, limit of each output,
 * timeout in ms or 0, kill signal) */
static JSValue spawn_sync(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    JSValueConst *more = argv + WEIR__JS_CHILD_ARGUMENTS;
    weir_process_options options;
    struct run *run;
    JSValue value = JS_EXCEPTION;
    double limit, timeout_ms;

    if (!weir__js_may_go_on(context) ||
        !weir__js_check_may(context, WEIR__JS_MAY_SPAWN) ||
        weir__js_child_read(context, argv, &options) < 0)
        return JS_EXCEPTION;
    run = new_run(context, options.stdio_count);
    if (run != NULL && JS_ToFloat64(context, &limit, more[1]) == 0 &&
        JS_ToFloat64(context, &timeout_ms, more[2]) == 0 &&
        JS_ToInt32(context, &run->kill_signal, more[3]) == 0 &&
        read_inputs(context, more[0], run) == 0) {
        run->limit = limit < (double)INT32_MAX ? (size_t)limit : INT32_MAX;
        value = perform(context, run, &options, (int64_t)(timeout_ms * 1e6));
    }
    if (run != NULL)
        free_run(run);
    weir__js_child_release(context, &options);
    return value;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("spawnSync", WEIR__JS_CHILD_ARGUMENTS + 4, spawn_sync),
};

const struct weir__js_builtin weir__js_sync_child_builtin = {
    WEIR__JS_LIBS("process/sync"),
    WEIR__JS_NATIVES(natives),
};

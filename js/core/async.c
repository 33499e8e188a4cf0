/* SPDX-License-Identifier: MIT */
/*
 * async -- work for the pool, and its result.
 *
 *     loop                    worker                      loop
 *     start --> pool's queue --> run --> loop's queue --> finish, resolve
 *
 * The block has a gate with two entries.  One is for the functions, which are
 * JavaScript values: the loop's thread exits it after calling one of them, or
 * when the host ends.  The other travels with the block to the pool and back;
 * if the loop has ended first, the worker exits it.  The last exit frees the
 * block.
 *
 * The trip holds the host's struct and the loop.  Both exist for as long as the
 * worker needs them, and the loop does not become idle meanwhile.
 *
 * Tested by  test/js/core/async.c
 */
#include "core/async.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/plain.h"
#include "core/value.h"
#include "weir/pool.h"

weir_pool *weir__js_pool(weir_js *js)
{
    if (js->options.pool == NULL && js->options.get_pool != NULL)
        js->options.pool = js->options.get_pool(js->options.arg);
    return js->options.pool;
}

static void on_nobody_left(void *arg)
{
    struct weir__js_work *work = arg;

    work->kind->free(work);
}

/* Release the functions and their entry of the gate. */
static void drop(struct weir__js_work *work)
{
    weir__js_list_remove(&work->link);
    JS_FreeValue(work->js->context, work->functions[0]);
    JS_FreeValue(work->js->context, work->functions[1]);
    JS_FreeValue(work->js->context, work->context);
    work->is_dropped = true;
    weir_gate_exit(&work->gate);
}

void weir__js_drop_works(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->works))
        drop((struct weir__js_work *)js->works.next);
}

static void settle(struct weir__js_work *work)
{
    JSContext *context = work->js->context;
    JSValue value = work->kind->finish(work, context), result;
    bool is_error = JS_IsException(value);

    if (is_error)
        value = JS_GetException(context);
    result = weir__js_context_call(work->js, work->context,
                                   work->functions[is_error], JS_UNDEFINED, 1,
                                   (JSValueConst *)&value);
    JS_FreeValue(context, value);
    if (JS_IsException(result))
        weir__js_report(work->js);
    JS_FreeValue(context, result);
}

/* Back on the loop's thread. */
static void on_return(weir_task *task, int status)
{
    struct weir__js_work *work =
        (struct weir__js_work *)((char *)task -
                                 offsetof(struct weir__js_work, task));
    weir_js *js = work->js;

    if (status == 0 && !work->is_dropped && weir__js_enter(js) == 0) {
        settle(work);
        weir__js_leave(js);
    }
    if (!work->is_dropped)
        drop(work);
    weir_gate_exit(&work->gate);
    weir__js_let_go(js);
}

static void on_worker(weir_job *job, int status)
{
    struct weir__js_work *work =
        (struct weir__js_work *)((char *)job -
                                 offsetof(struct weir__js_work, job));
    weir_js *js = work->js;
    weir_loop *loop = js->loop;

    work->kind->run(work, status);
    if (weir_loop_post(loop, &work->task) != 0) { /* the loop has ended */
        weir_gate_exit(&work->gate);
        weir__js_let_go(js);
    }
    weir_loop_unref(loop);
}

/* Create the gate with both entries and admit no more. */
static int make_gate(struct weir__js_work *work)
{
    int err = weir_gate_init(&work->gate, on_nobody_left, work, NULL);

    if (err == 0)
        err = weir_gate_start(&work->gate);
    if (err == 0)
        err = weir_gate_enter(&work->gate);
    if (err == 0)
        err = weir_gate_enter(&work->gate);
    return err != 0 ? err : weir_gate_drain(&work->gate);
}

int weir__js_work_start(weir_js *js, struct weir__js_work *work,
                        const struct weir__js_work_kind *kind, const char *name,
                        JSValueConst resolve, JSValueConst reject)
{
    weir_pool *pool = weir__js_pool(js);
    int err;

    work->job =
        (weir_job){.run = on_worker, .name = name != NULL ? name : kind->name};
    work->task = (weir_task){.run = on_return, .name = work->job.name};
    work->js = js;
    work->kind = kind;
    work->is_dropped = false;
    if (pool == NULL)
        return -ENOTSUP;
    err = make_gate(work);
    if (err != 0)
        return err;
    if (!weir__js_hold(js))
        return WEIR_ECLOSED;
    /* Complete the block before the worker can return it. */
    work->functions[0] = JS_DupValue(js->context, resolve);
    work->functions[1] = JS_DupValue(js->context, reject);
    work->context = weir__js_context_capture(js);
    weir__js_list_add(&js->works, &work->link);
    weir_loop_ref(js->loop);
    err = weir_pool_post(pool, &work->job);
    if (err == 0)
        return 0;
    weir__js_list_remove(&work->link);
    JS_FreeValue(js->context, work->functions[0]);
    JS_FreeValue(js->context, work->functions[1]);
    JS_FreeValue(js->context, work->context);
    weir_loop_unref(js->loop);
    weir__js_let_go(js);
    return err;
}

/* ---- async functions of the embedding program ---- */

struct definition {
    weir_js *js;
    const char *name;
    weir_js_async_fn *fn;
    void *arg;
};

struct call {
    struct weir__js_work work; /* first */
    weir_js_async_fn *fn;
    void *arg;
    int status;
    weir_js_result result;
    size_t count;
    weir_js_value args[];
};

static void run_call(struct weir__js_work *work, int status)
{
    struct call *call = (struct call *)work;

    call->status = status != 0 ? status
                               : call->fn(call->arg, call->args, call->count,
                                          &call->result);
}

static JSValue finish_call(struct weir__js_work *work, JSContext *context)
{
    struct call *call = (struct call *)work;
    const weir_js_value *value = &call->result.value;
    int status = call->status;

    if (status == 0 && !weir__js_is_plain(value))
        status = -EINVAL;
    if (status == 0)
        return weir__js_to(work->js, value);
    return weir__js_throw_status_with(context, status,
                                      value->type == WEIR_JS_TYPE_STRING &&
                                              weir__js_is_plain(value)
                                          ? weir__js_to(work->js, value)
                                          : JS_UNDEFINED);
}

static void free_call(struct weir__js_work *work)
{
    struct call *call = (struct call *)work;

    if (call->result.free != NULL)
        call->result.free((void *)call->result.value.text);
    free(call);
}

static const struct weir__js_work_kind call_kind = {"async function", run_call,
                                                    finish_call, free_call};

static void release_all(weir_js *js, weir_js_value *values, int count)
{
    for (int i = 0; i < count; i++)
        weir_js_release(js, &values[i]);
}

/* Copy the arguments; NULL with an exception. */
static struct call *copy_call(struct definition *definition,
                              weir_js_value *values, int argc,
                              JSValueConst *argv)
{
    JSContext *context = definition->js->context;
    struct call *call = NULL;
    size_t text_size = 0;
    int count, err = 0;

    for (count = 0; count < argc; count++) {
        err = weir__js_plain_from(definition->js, argv[count], &values[count]);
        if (err != 0)
            break;
    }
    if (err == 0)
        err = weir__js_plain_measure(values, (size_t)argc, &text_size);
    if (err == -EINVAL)
        JS_ThrowTypeError(context, "argument %d of %s cannot be copied",
                          count + 1, definition->name);
    else if (err == 0)
        call =
            malloc(sizeof(*call) + (size_t)argc * sizeof(*values) + text_size);
    if (call != NULL) {
        *call = (struct call){.fn = definition->fn,
                              .arg = definition->arg,
                              .count = (size_t)argc};
        weir__js_plain_copy(call->args, values, (size_t)argc);
    } else if (err != -EINVAL) {
        JS_ThrowOutOfMemory(context);
    }
    release_all(definition->js, values, count);
    return call;
}

/* Returns -1 with an exception. */
static int start_call(struct definition *definition, int argc,
                      JSValueConst *argv, JSValue *functions)
{
    weir_js *js = definition->js;
    weir_js_value *values = malloc(((size_t)argc + 1) * sizeof(*values));
    struct call *call;
    int err;

    if (values == NULL) {
        JS_ThrowOutOfMemory(js->context);
        return -1;
    }
    call = copy_call(definition, values, argc, argv);
    free(values);
    if (call == NULL)
        return -1;
    err = weir__js_work_start(js, &call->work, &call_kind, definition->name,
                              functions[0], functions[1]);
    if (err == 0)
        return 0;
    free(call);
    weir__js_throw_status_as(js->context, err,
                             err == -ENOTSUP ? "the host has no pool" : NULL);
    return -1;
}

static JSValue call_definition(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv, int magic,
                               void *opaque)
{
    JSValue functions[2], error;
    JSValue promise = JS_NewPromiseCapability(context, functions);

    if (JS_IsException(promise))
        return promise;
    if (start_call(opaque, argc, argv, functions) != 0) {
        error = JS_GetException(context);
        JS_FreeValue(context, JS_Call(context, functions[1], JS_UNDEFINED, 1,
                                      (JSValueConst *)&error));
        JS_FreeValue(context, error);
    }
    JS_FreeValue(context, functions[0]);
    JS_FreeValue(context, functions[1]);
    return promise;
}

int weir_js_define_async(weir_js *js, const weir_js_value *object,
                         const char *name, weir_js_async_fn *fn, void *arg)
{
    const struct definition definition = {js, name, fn, arg};

    if (fn == NULL)
        return -EINVAL;
    return weir__js_define_closure(js, object, name, call_definition,
                                   &definition, sizeof(definition));
}

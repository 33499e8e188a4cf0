/* SPDX-License-Identifier: MIT */
/*
 * post -- calls from any thread.
 *
 * A post is one block: the loop's task, the arguments, and their text.  It holds
 * the function's gate, and with it the host, until it has run.
 *
 * Tested by  test/js/post.c
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "error.h"
#include "host.h"
#include "plain.h"
#include "value.h"

struct post {
    weir_task task;
    weir_js *js;
    struct weir_js_handle *function;
    weir_js_done_fn *done;
    void *arg;
    size_t count;
    weir_js_value args[];
};

static void let_go(struct post *post)
{
    weir_gate_exit(&post->function->gate);
    free(post);
}

static void finish(struct post *post, int status, const weir_js_value *result)
{
    if (post->done != NULL)
        post->done(post->arg, status, result);
}

static void call(struct post *post)
{
    weir_js_value result = weir_js_undefined();
    bool is_mine = post->done != NULL; /* what it throws; else the host's */
    int status = weir__js_apply(post->js, post->function->value, post->args,
                                post->count, is_mine ? &result : NULL);

    finish(post, status, &result);
    if (post->js->has_ended)
        return; /* done() has freed the host, and with it the result */
    weir_js_release(post->js, &result);
    weir__js_settle_release(post->function);
}

static void run(weir_task *task, int status)
{
    struct post *post =
        (struct post *)((char *)task - offsetof(struct post, task));
    weir_js_value nothing = weir_js_undefined();

    if (status == 0)
        status = weir__js_enter(post->js);
    if (status == 0)
        call(post);
    else
        finish(post, status, &nothing);
    let_go(post);
}

int weir_js_post(weir_js *js, const weir_js_value *function,
                 const weir_js_value *args, size_t count, weir_js_done_fn *done,
                 void *arg)
{
    struct post *post;
    size_t text_size;
    int err;

    if (js == NULL || !weir__js_is_valid(js, function) ||
        function->type != WEIR_JS_FUNCTION || count > INT16_MAX ||
        weir__js_plain_measure(args, count, &text_size) != 0)
        return -EINVAL;
    post = malloc(sizeof(*post) + count * sizeof(*args) + text_size);
    if (post == NULL)
        return -ENOMEM;
    *post = (struct post){.task = {.run = run},
                          .js = js,
                          .function = function->handle,
                          .done = done,
                          .arg = arg,
                          .count = count};
    weir__js_plain_copy(post->args, args, count);
    if (weir_gate_enter(&function->handle->gate) != 0) {
        free(post);
        return WEIR_ECLOSED; /* the host ends */
    }
    err = weir_loop_post(js->loop, &post->task);
    if (err != 0)
        let_go(post);
    return err;
}

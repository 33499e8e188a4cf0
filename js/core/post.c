/* SPDX-License-Identifier: MIT */
/*
 * post -- calls from any thread.
 *
 * Threads can post faster than JavaScript is called, so many posts may exist at
 * once and each is kept small.  A post is one block: the loop's task, the
 * function and the arguments, then `done` if there is one, and the texts.  It
 * holds the function's gate, and through it the host, until it has run.
 *
 * Tested by  test/js/core/post.c
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/entry.h"
#include "core/error.h"
#include "core/host.h"
#include "core/plain.h"
#include "core/value.h"

enum { FEW = 8 }; /* arguments that need no allocation */

struct argument {
    weir_js_type type;
    union {
        bool boolean;
        double number;
        size_t length; /* of its text, which ends with a NUL */
    } as;
};

struct reply {
    weir_js_done_fn *done;
    void *arg;
};

struct post {
    weir_task task;
    struct weir_js_handle *function;
    uint32_t count;
    bool has_reply;
    struct argument args[]; /* followed by the reply, and the texts in order */
};

static struct reply *reply_of(struct post *post)
{
    return (struct reply *)&post->args[post->count];
}

static char *texts_of(struct post *post)
{
    return (char *)(reply_of(post) + (post->has_reply ? 1 : 0));
}

static void let_go(struct post *post)
{
    weir_gate_exit(&post->function->gate);
    free(post);
}

static void finish(struct post *post, int status, const weir_js_value *result)
{
    if (post->has_reply)
        reply_of(post)->done(reply_of(post)->arg, status, result);
}

/* ---- the loop's thread ---- */

static JSValue read_argument(weir_js *js, const struct argument *argument,
                             const char **text)
{
    weir_js_value value = {.type = argument->type};

    if (argument->type == WEIR_JS_TYPE_NUMBER)
        return JS_NewNumber(js->context, argument->as.number);
    if (argument->type == WEIR_JS_TYPE_BOOL)
        value.boolean = argument->as.boolean;
    if (weir__js_has_text(&value)) {
        value.text = *text;
        value.length = argument->as.length;
        *text += value.length + 1;
    }
    return weir__js_to(js, &value);
}

static JSValue call_with(weir_js *js, struct post *post, JSValue *values)
{
    JSValue result = JS_UNDEFINED;
    const char *text = texts_of(post);
    uint32_t ready = 0;

    for (; ready < post->count && !JS_IsException(result); ready++)
        result = values[ready] = read_argument(js, &post->args[ready], &text);
    if (!JS_IsException(result))
        result = JS_Call(js->context, post->function->value, JS_UNDEFINED,
                         (int)post->count, (JSValueConst *)values);
    while (ready-- > 0)
        if (JS_VALUE_HAS_REF_COUNT(values[ready]))
            JS_FreeValue(js->context, values[ready]);
    return result;
}

static JSValue call_many(weir_js *js, struct post *post)
{
    JSValue *values = malloc(post->count * sizeof(*values)), result;

    if (values == NULL)
        return JS_ThrowOutOfMemory(js->context);
    result = call_with(js, post, values);
    free(values);
    return result;
}

/* Without a reply, the host reports what the function throws. */
static void call(weir_js *js, struct post *post)
{
    JSValue few[FEW];
    JSValue value =
        post->count <= FEW ? call_with(js, post, few) : call_many(js, post);
    weir_js_value result;
    int status;

    if (!post->has_reply) {
        if (JS_IsException(value))
            weir__js_report(js);
        else if (JS_VALUE_HAS_REF_COUNT(value))
            JS_FreeValue(js->context, value);
        weir__js_leave(js);
    } else {
        result = weir_js_undefined();
        status = weir__js_finish(js, value, &result);
        finish(post, status, &result);
        if (js->has_ended)
            return; /* done() has freed the host, and the result with it */
        weir_js_release(js, &result);
    }
    weir__js_settle_release(post->function);
}

static void run(weir_task *task, int status)
{
    struct post *post =
        (struct post *)((char *)task - offsetof(struct post, task));
    weir_js *js = post->function->js;
    weir_js_value nothing = weir_js_undefined();

    if (status == 0)
        status = weir__js_enter(js);
    if (status == 0)
        call(js, post);
    else
        finish(post, status, &nothing);
    let_go(post);
}

/* ---- any thread ---- */

static void write_arguments(struct post *post, const weir_js_value *args)
{
    char *text = texts_of(post);

    for (uint32_t i = 0; i < post->count; i++) {
        struct argument *copy = &post->args[i];

        copy->type = args[i].type;
        if (copy->type == WEIR_JS_TYPE_NUMBER)
            copy->as.number = args[i].number;
        if (copy->type == WEIR_JS_TYPE_BOOL)
            copy->as.boolean = args[i].boolean;
        if (!weir__js_has_text(&args[i]))
            continue;
        copy->as.length = args[i].length;
        if (args[i].length > 0)
            memcpy(text, args[i].text, args[i].length);
        text[args[i].length] = '\0';
        text += args[i].length + 1;
    }
}

int weir_js_post(weir_js *js, const weir_js_value *function,
                 const weir_js_value *args, size_t count, weir_js_done_fn *done,
                 void *arg)
{
    struct post *post;
    size_t text_size;
    int err;

    if (js == NULL || !weir__js_is_valid(js, function) ||
        function->type != WEIR_JS_TYPE_FUNCTION || count > INT16_MAX ||
        weir__js_plain_measure(args, count, &text_size) != 0)
        return -EINVAL;
    post = malloc(sizeof(*post) + count * sizeof(*post->args) +
                  (done != NULL ? sizeof(struct reply) : 0) + text_size);
    if (post == NULL)
        return -ENOMEM;
    *post = (struct post){.task = {.run = run},
                          .function = function->handle,
                          .count = (uint32_t)count,
                          .has_reply = done != NULL};
    if (done != NULL)
        *reply_of(post) = (struct reply){done, arg};
    write_arguments(post, args);
    if (weir_gate_enter(&function->handle->gate) != 0) {
        free(post);
        return WEIR_ECLOSED; /* the host is ending */
    }
    err = weir_loop_post(js->loop, &post->task);
    if (err != 0)
        let_go(post);
    return err;
}

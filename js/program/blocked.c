/* SPDX-License-Identifier: MIT */
/*
 * blocked -- what the watchdog found, as an event of process.
 *
 * The watchdog's thread copies the block and posts it to the host's loop, where
 * js/lib/program/blocked.js emits it.  If that loop itself is blocked, it hears
 * of it afterwards.
 *
 * Tested by  test/js/watchdog/run.py
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/entry.h"
#include "core/error.h"
#include "core/host.h"
#include "core/lib.h"
#include "weir/js.h"

struct copy {
    weir_task task;
    weir_js *js;
    weir_block block; /* its texts follow the struct */
    char texts[];
};

static const size_t texts[] = {
    offsetof(weir_block, loop),    offsetof(weir_block, name),
    offsetof(weir_block, subject), offsetof(weir_block, state),
    offsetof(weir_block, script),  offsetof(weir_block, native),
};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

static const char **text_of(weir_block *block, int i)
{
    return (const char **)(void *)((char *)block + texts[i]);
}

static void set_text(JSContext *context, JSValueConst object, const char *name,
                     const char *text)
{
    JS_DefinePropertyValueStr(context, object, name,
                              JS_NewString(context, text), JS_PROP_C_W_E);
}

static void set_number(JSContext *context, JSValueConst object,
                       const char *name, double number)
{
    JS_DefinePropertyValueStr(context, object, name,
                              JS_NewNumber(context, number), JS_PROP_C_W_E);
}

/* If there is no memory, members are missing. */
static JSValue describe(JSContext *context, const weir_block *block)
{
    static const char *const stages[] = {"began", "lasts", "ended"};
    JSValue object = JS_NewObject(context);

    if (JS_IsException(object))
        return object;
    set_number(context, object, "id", (double)block->id);
    set_text(context, object, "stage", stages[block->stage]);
    set_text(context, object, "cause", weir_block_cause_name(block->cause));
    set_text(context, object, "loop", block->loop);
    set_number(context, object, "thread", (double)block->thread);
    set_text(context, object, "kind", weir_kind_name(block->kind));
    set_text(context, object, "name", block->name);
    set_text(context, object, "subject", block->subject);
    set_number(context, object, "duration", (double)block->duration_ns / 1e6);
    set_number(context, object, "callbacks", (double)block->callbacks);
    set_text(context, object, "state", block->state);
    set_text(context, object, "stack", block->script);
    set_text(context, object, "nativeStack", block->native);
    return object;
}

static void tell(weir_js *js, const weir_block *block)
{
    JSValue object = describe(js->context, block);
    JSValue result =
        JS_IsException(object)
            ? object
            : weir__js_call_hook(js, WEIR__JS_HOOK_BLOCKED, object);

    if (JS_IsException(result))
        weir__js_report(js);
    else
        JS_FreeValue(js->context, object);
    JS_FreeValue(js->context, result);
}

static void run(weir_task *task, int status)
{
    struct copy *copy =
        (struct copy *)((char *)task - offsetof(struct copy, task));
    weir_js *js = copy->js;

    if (status == 0 && weir__js_enter(js) == 0) {
        tell(js, &copy->block);
        weir__js_leave(js);
    }
    free(copy);
    weir__js_let_go(js);
}

static struct copy *copy_block(weir_js *js, const weir_block *block)
{
    weir_block given = *block;
    size_t size = sizeof(struct copy);
    struct copy *copy;
    char *at;

    for (int i = 0; i < TEXTS; i++)
        size += strlen(*text_of(&given, i)) + 1;
    copy = malloc(size);
    if (copy == NULL)
        return NULL;
    *copy = (struct copy){
        .task = {.run = run, .name = "blocked"}, .js = js, .block = given};
    at = copy->texts;
    for (int i = 0; i < TEXTS; i++) {
        *text_of(&copy->block, i) = at;
        at = stpcpy(at, *text_of(&given, i)) + 1;
    }
    return copy;
}

void weir_js_tell_block(weir_js *js, const weir_block *block)
{
    struct copy *copy;

    if (js == NULL || block == NULL || !weir__js_hold(js))
        return;
    copy = copy_block(js, block);
    if (copy != NULL && weir_loop_post(js->loop, &copy->task) == 0)
        return;
    free(copy);
    weir__js_let_go(js);
}

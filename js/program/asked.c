/* SPDX-License-Identifier: MIT */
/*
 * asked -- a question of another thread, such as the monitor's, for the library.
 *
 * The text is copied and posted to the host's loop, where js/lib/live/panels.js
 * answers it.  While that loop is blocked, the question waits.
 *
 * Tested by  test/api/live.py
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/entry.h"
#include "core/error.h"
#include "core/host.h"
#include "core/lib.h"
#include "weir/js.h"

struct question {
    weir_task task;
    weir_js *js;
    char text[];
};

static void ask(weir_js *js, const char *text)
{
    JSValue string = JS_NewString(js->context, text);
    JSValue result = JS_IsException(string)
                         ? JS_EXCEPTION
                         : weir__js_call_hook(js, WEIR__JS_HOOK_ASKED, string);

    JS_FreeValue(js->context, string);
    if (JS_IsException(result))
        weir__js_report(js);
    else
        JS_FreeValue(js->context, result);
}

static void run(weir_task *task, int status)
{
    struct question *question =
        (struct question *)((char *)task - offsetof(struct question, task));
    weir_js *js = question->js;

    if (status == 0 && weir__js_enter(js) == 0) {
        ask(js, question->text);
        weir__js_leave(js);
    }
    free(question);
    weir__js_let_go(js);
}

void weir_js_ask(weir_js *js, const char *text)
{
    struct question *question;

    if (js == NULL || text == NULL || !weir__js_hold(js))
        return;
    question = malloc(sizeof(*question) + strlen(text) + 1);
    if (question != NULL) {
        question->task = (weir_task){.run = run, .name = "asked"};
        question->js = js;
        strcpy(question->text, text);
        if (weir_loop_post(js->loop, &question->task) == 0)
            return;
    }
    free(question);
    weir__js_let_go(js);
}

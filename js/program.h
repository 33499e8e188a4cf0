/* SPDX-License-Identifier: MIT */
/*
 * program -- a host that runs one program from its beginning to its exit code.
 */
#ifndef WEIR_JS_PROGRAM_H
#define WEIR_JS_PROGRAM_H

#include "host.h"

/* `process` was loaded: from now on somebody may listen to its events. */
void weir__js_watch_process(weir_js *js);

/* process.exit: nothing of JavaScript runs any more, and the loop ends. */
void weir__js_stop(weir_js *js, int code);

/* Nobody catches an error: listeners of "exit" hear of it before anybody is
 * told, as in Node.  Whether one of them has ended the program: then nobody is. */
bool weir__js_leaves(weir_js *js);

/* The error was told: the program ends. */
void weir__js_fail(weir_js *js);

/* The main module's failure is the program's: who has run something asks, and
 * says so. */
static inline bool weir__js_main_has_failed(const weir_js *js)
{
    return JS_IsObject(js->main) &&
           JS_PromiseState(js->context, js->main) == JS_PROMISE_REJECTED;
}
void weir__js_fail_with_main(weir_js *js);

#endif /* WEIR_JS_PROGRAM_H */

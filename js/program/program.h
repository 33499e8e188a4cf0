/* SPDX-License-Identifier: MIT */
/*
 * program -- a host that runs one program from its start to its exit code.
 */
#ifndef WEIR_JS_PROGRAM_H
#define WEIR_JS_PROGRAM_H

#include "core/host.h"

/* Note that `process` was loaded: it may have listeners from now on. */
void weir__js_watch_process(weir_js *js);

/* process.exit: run no more JavaScript and end the loop. */
void weir__js_stop(weir_js *js, int code);

/* Emit "exit" for an uncaught error, before the error is reported, as Node
 * does.  Returns true if a listener ended the program, and the error is not
 * reported then. */
bool weir__js_leaves(weir_js *js);

/* End the program, after its error was reported. */
void weir__js_fail(weir_js *js);

/* Whether the main module has failed, which fails the program.  Whoever ran
 * JavaScript checks this and reports it. */
static inline bool weir__js_main_has_failed(const weir_js *js)
{
    return JS_IsObject(js->main) &&
           JS_PromiseState(js->context, js->main) == JS_PROMISE_REJECTED;
}
void weir__js_fail_with_main(weir_js *js);

#endif /* WEIR_JS_PROGRAM_H */

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

/* An error was told that nobody caught: the program ends. */
void weir__js_fail(weir_js *js);

/* A job has run: has the main module failed? */
void weir__js_check_main(weir_js *js);

#endif /* WEIR_JS_PROGRAM_H */

/* SPDX-License-Identifier: MIT */
/*
 * error -- exceptions of JavaScript, as C sees them.
 */
#ifndef WEIR_JS_ERROR_H
#define WEIR_JS_ERROR_H

#include "core/host.h"

/* Move the pending exception to js->error and return the status that says
 * so. */
int weir__js_catch(weir_js *js);

/* Set js->error for a call that the end of the host has prevented. */
void weir__js_set_terminated(weir_js *js);

/* Move the pending exception to js->error and pass it to on_uncaught.  Call it
 * outside JavaScript. */
void weir__js_report(weir_js *js);

/* Report an exception without asking the program's listeners, because one of
 * them threw it. */
void weir__js_report_last(weir_js *js);

/* Pass a rejection that has no handler to on_uncaught. */
void weir__js_report_rejection(weir_js *js, JSValueConst reason);

/* Throw a weir status as an exception with `code`. */
JSValue weir__js_throw_status(JSContext *context, int err);

/* Throw a weir status with this message; NULL selects the status's own. */
JSValue weir__js_throw_status_as(JSContext *context, int err,
                                 const char *message);

/* Throw a weir status with this message, which is undefined, a string or an
 * exception.  Takes the message. */
JSValue weir__js_throw_status_with(JSContext *context, int err,
                                   JSValue message);

/* Throw a system error as Node does, with `errno`, `code`, `syscall` and the
 * paths.  path and dest may be NULL. */
JSValue weir__js_throw_system(JSContext *context, int err, const char *syscall,
                              const char *path, const char *dest);

void weir__js_clear_error(weir_js *js);

#endif /* WEIR_JS_ERROR_H */

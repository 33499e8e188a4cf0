/* SPDX-License-Identifier: MIT */
/*
 * error -- what JavaScript has thrown, for C.
 */
#ifndef WEIR_JS_ERROR_H
#define WEIR_JS_ERROR_H

#include "host.h"

/* The pending exception becomes js->error; the status that says so. */
int weir__js_catch(weir_js *js);

/* C comes in, on the loop's thread: 0, or js->error says that the host was
 * terminated. */
int weir__js_begin(weir_js *js);

/* As weir__js_catch, and on_uncaught hears of it.  Outside JavaScript. */
void weir__js_report(weir_js *js);

/* The same without a look at who listens: a listener has thrown it. */
void weir__js_report_last(weir_js *js);

/* A rejection nobody handles: on_uncaught hears of it. */
void weir__js_report_rejection(weir_js *js, JSValueConst reason);

/* A status of weir's becomes an exception with `code`. */
JSValue weir__js_throw_status(JSContext *context, int err);

/* The same with a message of its own; NULL: the status has one. */
JSValue weir__js_throw_status_as(JSContext *context, int err,
                                 const char *message);

/* The same; takes the message, which is undefined, a string or an exception. */
JSValue weir__js_throw_status_with(JSContext *context, int err,
                                   JSValue message);

/* An error of the system, as Node's: `errno`, `code`, `syscall`, and what it
 * was about; path and dest may be NULL. */
JSValue weir__js_throw_system(JSContext *context, int err, const char *syscall,
                              const char *path, const char *dest);

void weir__js_clear_error(weir_js *js);

#endif /* WEIR_JS_ERROR_H */

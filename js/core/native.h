/* SPDX-License-Identifier: MIT */
/*
 * native -- the functions that fill `native` for each file of js/lib.  Each
 * returns 0, or -1 with an exception.
 */
#ifndef WEIR_JS_NATIVE_H
#define WEIR_JS_NATIVE_H

#include "core/host.h"

int weir__js_add_globals(JSContext *context, JSValueConst native);
int weir__js_add_timer(JSContext *context, JSValueConst native);
int weir__js_add_immediate(JSContext *context, JSValueConst native);
int weir__js_add_inspect(JSContext *context, JSValueConst native);
int weir__js_add_env(JSContext *context, JSValueConst native);
int weir__js_add_process(JSContext *context, JSValueConst native);
int weir__js_add_signal(JSContext *context, JSValueConst native);
int weir__js_add_service(JSContext *context, JSValueConst native);
int weir__js_add_bytes(JSContext *context, JSValueConst native);
int weir__js_add_fs(JSContext *context, JSValueConst native);
int weir__js_add_fs_constants(JSContext *context, JSValueConst native);
int weir__js_add_os(JSContext *context, JSValueConst native);
int weir__js_add_repl(JSContext *context, JSValueConst native);
int weir__js_add_stream(JSContext *context, JSValueConst native);
int weir__js_add_import(JSContext *context, JSValueConst native);
int weir__js_add_module(JSContext *context, JSValueConst native);
int weir__js_add_clone(JSContext *context, JSValueConst native);
int weir__js_add_growable(JSContext *context, JSValueConst native);
int weir__js_add_port(JSContext *context, JSValueConst native);
int weir__js_add_broadcast(JSContext *context, JSValueConst native);
int weir__js_add_pool_queue(JSContext *context, JSValueConst native);
int weir__js_add_worker(JSContext *context, JSValueConst native);
int weir__js_add_encoding(JSContext *context, JSValueConst native);
int weir__js_add_buffer(JSContext *context, JSValueConst native);
int weir__js_add_random(JSContext *context, JSValueConst native);
int weir__js_add_clock(JSContext *context, JSValueConst native);

/* write(fd, string): 0 or -errno; in stream.c */
JSValue weir__js_write_text(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv);

/* cwd(); in process.c */
JSValue weir__js_cwd(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv);

/* The environment that a worker begins with; in env.c */
JSValue weir__js_variables(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

/* For os; in network.c */
JSValue weir__js_list_interfaces(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv);

/* Release what these hold.  Called when the host ends. */
void weir__js_drop_timers(weir_js *js);
void weir__js_drop_signals(weir_js *js);
void weir__js_drop_services(weir_js *js);
void weir__js_drop_watches(weir_js *js);

#endif /* WEIR_JS_NATIVE_H */

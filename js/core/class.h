/* SPDX-License-Identifier: MIT */
/*
 * class -- the classes of JavaScript objects that have a C struct behind them.
 */
#ifndef WEIR_JS_CLASS_H
#define WEIR_JS_CLASS_H

#include "core/host.h"

extern const JSClassDef weir__js_timeout_class;
extern const JSClassDef weir__js_immediate_class;
extern const JSClassDef weir__js_port_class;
extern const JSClassDef weir__js_worker_class;
extern const JSClassDef weir__js_service_class;
extern const JSClassDef weir__js_ticket_class;
extern const JSClassDef weir__js_pool_class;
extern const JSClassDef weir__js_pool_worker_class;

/* Register the classes.  Returns 0 or -ENOMEM. */
int weir__js_add_classes(weir_js *js);

/* The struct behind a value of that class, or NULL for any other value. */
static inline void *weir__js_opaque(const weir_js *js, JSValueConst value,
                                    enum weir__js_class kind)
{
    return JS_GetOpaque(value, js->classes[kind]);
}

#endif /* WEIR_JS_CLASS_H */

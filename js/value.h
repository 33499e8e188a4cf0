/* SPDX-License-Identifier: MIT */
/*
 * value -- JavaScript's values for C.
 *
 * A handle holds one: its object, or the storage of its text.  Its gate counts
 * who needs the memory: the value, and each posted call.  As long as anybody
 * does, the handle holds the host's door, so a call needs to enter this gate
 * only.  The value is dropped by the loop's thread only: when it is released
 * and no call is under way, by the last call, or at the host's end.
 */
#ifndef WEIR_JS_VALUE_H
#define WEIR_JS_VALUE_H

#include "host.h"

struct weir_js_handle {
    struct weir__js_link link;
    weir_gate gate; /* any thread */
    weir_js *js;
    JSValue value;
    const char *text; /* the engine's copy, if value is a string */
    bool is_released; /* loop only */
};

/* Takes the value, also if it fails: -ENOMEM. */
int weir__js_from(weir_js *js, JSValue value, weir_js_value *out);

/* Or JS_EXCEPTION. */
JSValue weir__js_to(weir_js *js, const weir_js_value *value);

/* Whether weir__js_to can take it: a known type, a handle of this host. */
bool weir__js_is_valid(const weir_js *js, const weir_js_value *value);

/* A posted call has run: if it was the last of a released function, drop the
 * value.  The caller is still in the gate. */
void weir__js_settle_release(struct weir_js_handle *handle);

/* The end of a call from C: takes the value, leaves JavaScript. */
int weir__js_finish(weir_js *js, JSValue value, weir_js_value *result);

/* A function in C becomes a property.  It gets a copy of the definition, which
 * ends with it.  Returns  as weir_js_define. */
int weir__js_define_closure(weir_js *js, const weir_js_value *object,
                            const char *name, JSCClosure *call,
                            const void *definition, size_t size);

void weir__js_drop_handles(weir_js *js);

#endif /* WEIR_JS_VALUE_H */

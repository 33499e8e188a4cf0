/* SPDX-License-Identifier: MIT */
/*
 * value -- JavaScript values for C.
 *
 * A handle holds one value: an object, or the storage of a string.  Its gate
 * counts the users of the memory: the value itself, and each posted call.
 * While anyone is inside, the handle holds a reference to the host, so a call
 * needs to enter only this gate.  Only the loop's thread drops the value: when
 * it is released and no call is under way, with the last call, or when the host
 * ends.
 */
#ifndef WEIR_JS_VALUE_H
#define WEIR_JS_VALUE_H

#include "core/host.h"

struct weir_js_handle {
    struct weir__js_link link;
    weir_gate gate; /* any thread */
    weir_js *js;
    JSValue value;
    const char *text; /* the engine's copy, if the value is a string */
    bool is_released; /* loop only */
};

/* Convert a value and take it, even on failure.  Returns 0 or -ENOMEM. */
int weir__js_from(weir_js *js, JSValue value, weir_js_value *out);

/* Returns JS_EXCEPTION on failure. */
JSValue weir__js_to(weir_js *js, const weir_js_value *value);

/* Whether weir__js_to accepts it: a known type, a handle of this host. */
bool weir__js_is_valid(const weir_js *js, const weir_js_value *value);

/* Drop the value after a posted call, if that was the last call of a released
 * function.  The caller is still inside the gate. */
void weir__js_settle_release(struct weir_js_handle *handle);

/* End a call from C: take the value and leave JavaScript. */
int weir__js_finish(weir_js *js, JSValue value, weir_js_value *result);

/* Define a C function as a property.  The function gets a copy of the
 * definition, which is freed with it.  Returns as weir_js_define does. */
int weir__js_define_closure(weir_js *js, const weir_js_value *object,
                            const char *name, JSCClosure *call,
                            const void *definition, size_t size);

void weir__js_drop_handles(weir_js *js);

#endif /* WEIR_JS_VALUE_H */

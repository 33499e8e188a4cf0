/* SPDX-License-Identifier: MIT */
/*
 * script -- compile and run code in a realm.
 */
#ifndef WEIR_JS_VM_SCRIPT_H
#define WEIR_JS_VM_SCRIPT_H

#include <quickjs.h>

/* Define run(), which runs code in this realm, as a property of the object.
 * Returns 0 or more, or -1 with an exception. */
int weir__js_script_add_run(JSContext *realm, JSValueConst object);

#endif /* WEIR_JS_VM_SCRIPT_H */

/* SPDX-License-Identifier: MIT */
/*
 * virtual -- t.virtualTime(): begins and ends virtual time for all hosts of the
 * process (weir/host/virtual.h).
 *
 * Tested by  test/js/test/virtual-*.js
 */
#include "weir/host/virtual.h"
#include "core/builtin.h"

/* begin(): whether it has begun */
static JSValue begin(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    return JS_NewBool(context, weir_virtual_begin() == 0);
}

static JSValue end(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    weir_virtual_end();
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("begin", 0, begin),
    JS_CFUNC_DEF("end", 0, end),
};

const struct weir__js_builtin weir__js_virtual_builtin = {
    WEIR__JS_LIBS("test/virtual"),
    WEIR__JS_NATIVES(natives),
};

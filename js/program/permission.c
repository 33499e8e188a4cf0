/* SPDX-License-Identifier: MIT */
/*
 * permission -- process.permission, which says what is granted.
 *
 * Tested by  test/js/program/permission-rest.js
 */
#include <limits.h>
#include <string.h>

#include "core/builtin.h"
#include "core/place.h"

static const struct scope {
    const char *name;
    int bits; /* enum weir__js_may */
} scopes[] = {
    {"fs", WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE},
    {"fs.read", WEIR__JS_MAY_READ},
    {"fs.write", WEIR__JS_MAY_WRITE},
    {"child", WEIR__JS_MAY_SPAWN},
    {"worker", WEIR__JS_MAY_WORK},
    {"net", WEIR__JS_MAY_NET},
    {"env", WEIR__JS_MAY_ENV},
};

static int bits_of(const char *name)
{
    for (size_t i = 0; i < sizeof(scopes) / sizeof(*scopes); i++)
        if (strcmp(scopes[i].name, name) == 0)
            return scopes[i].bits;
    return 0;
}

static bool has_file(int bits, const char *path)
{
    char name[PATH_MAX];

    return weir__js_place_name(path, true, name) == 0 &&
           weir__js_missing_for_file(bits, name) == 0;
}

/* Whether it is granted for `about`, or, if that is NULL, in some form.  As in
 * Node, "fs" alone is all of both. */
static bool is_granted(int bits, const char *about)
{
    if (about != NULL && (bits & (WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE)) != 0)
        return has_file(bits, about);
    if (about != NULL && bits == WEIR__JS_MAY_ENV)
        return weir__js_may_use_variable(about, strlen(about));
    if (bits == (WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE))
        return weir__js_may(WEIR__JS_MAY_READ) &&
               weir__js_may(WEIR__JS_MAY_WRITE);
    return bits != 0 && weir__js_may_some((enum weir__js_may)bits);
}

/* has(scope, reference or undefined) */
static JSValue has(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    const char *scope = JS_ToCString(context, argv[0]), *about = NULL;
    JSValue result = JS_EXCEPTION;

    if (scope != NULL && !JS_IsUndefined(argv[1]))
        about = JS_ToCString(context, argv[1]);
    if (scope != NULL && (about != NULL || JS_IsUndefined(argv[1])))
        result = JS_NewBool(context, is_granted(bits_of(scope), about));
    JS_FreeCString(context, about);
    JS_FreeCString(context, scope);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("has", 2, has),
};

const struct weir__js_builtin weir__js_permission_builtin = {
    WEIR__JS_LIBS("program/permission"),
    WEIR__JS_NATIVES(natives),
};

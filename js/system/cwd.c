/* SPDX-License-Identifier: MIT */
/*
 * cwd -- the working directory, or the error that Node throws without one.
 *
 * Tested by  test/js/program/process-*.js
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/error.h"

static JSValue get_cwd(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    char path[PATH_MAX];

    return getcwd(path, sizeof(path)) != NULL
               ? JS_NewString(context, path)
               : weir__js_throw_system(context, -errno, "uv_cwd", NULL, NULL);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("cwd", 0, get_cwd),
};

const struct weir__js_builtin weir__js_cwd_builtin = {
    WEIR__JS_LIBS("program/process", "program/module"),
    WEIR__JS_NATIVES(natives),
};

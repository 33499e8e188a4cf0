/* SPDX-License-Identifier: MIT */
/*
 * cwd -- the working directory, or the error that Node throws without one.
 *
 * Tested by  test/js/program/process-*.js
 */
#include "system/cwd.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "core/error.h"

JSValue weir__js_cwd(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    char path[PATH_MAX];

    (void)this_value;
    (void)argc;
    (void)argv;
    return getcwd(path, sizeof(path)) != NULL
               ? JS_NewString(context, path)
               : weir__js_throw_system(context, -errno, "uv_cwd", NULL, NULL);
}

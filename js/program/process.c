/* SPDX-License-Identifier: MIT */
/*
 * process -- what `process` needs from the system.
 *
 * Tested by  test/js/program/process-*.js, test/api/program.sh
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/place.h"
#include "core/property.h"
#include "program/program.h"
#include "program/usage.h"
#include "weir/clock.h"
#include "weir/version.h"

static JSValue hrtime(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    return JS_NewBigInt64(context, weir_clock_now());
}

static JSValue change_directory(JSContext *context, JSValueConst this_value,
                                int argc, JSValueConst *argv)
{
    const char *path = JS_ToCString(context, argv[0]);
    struct weir__js_place place;
    JSValue result = JS_UNDEFINED;
    char from[PATH_MAX];
    const char *here;
    int err;

    if (path == NULL)
        return JS_EXCEPTION;
    err = weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ);
    if (err == 0) {
        err = chdir(place.path) == 0 ? 0 : -errno;
        weir__js_place_drop(&place);
    }
    if (place.missing != 0) {
        result = weir__js_throw_denied(context, place.missing, path);
    } else if (err != 0) {
        here = getcwd(from, sizeof(from));
        result = weir__js_throw_system(context, err, "chdir",
                                       here != NULL ? here : "", path);
    }
    JS_FreeCString(context, path);
    return result;
}

static JSValue set_umask(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    uint32_t mask;
    mode_t old;

    if (!JS_IsUndefined(argv[0])) {
        if (JS_ToUint32(context, &mask, argv[0]) < 0)
            return JS_EXCEPTION;
        return JS_NewUint32(context, umask(mask & 0777));
    }
    old = umask(0);
    umask(old);
    return JS_NewUint32(context, old);
}

/* ---- memory, exit ---- */

static int64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static JSValue memory_usage(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    static const char *names[] = {"rss", "heapTotal", "heapUsed", "external",
                                  "arrayBuffers"};
    JSMemoryUsage usage;
    JSValue values[5];

    JS_ComputeMemoryUsage(JS_GetRuntime(context), &usage);
    values[0] = JS_NewInt64(context, resident_bytes());
    values[1] = JS_NewInt64(context, usage.malloc_size);
    values[2] = JS_NewInt64(context, usage.memory_used_size);
    values[4] = JS_NewInt64(context, weir__js_buffer_bytes(context));
    values[3] = JS_DupValue(context, values[4]);
    return JS_NewObjectFromStr(context, 5, names, values);
}

/* Does not return to JavaScript. */
static JSValue leave(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    int32_t code;
    JSValue error;

    if (JS_ToInt32(context, &code, argv[0]) < 0)
        return JS_EXCEPTION;
    weir__js_stop(weir__js_of(context), code);
    error = JS_NewInternalError(context, "exit");
    JS_SetUncatchableError(context, error);
    return JS_Throw(context, error);
}

static JSValue die(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    abort();
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("hrtime", 0, hrtime),
    JS_CFUNC_DEF("chdir", 1, change_directory),
    JS_CFUNC_DEF("umask", 1, set_umask),
    JS_CFUNC_DEF("memoryUsage", 0, memory_usage),
    JS_CFUNC_DEF("exit", 1, leave),
    JS_CFUNC_DEF("abort", 0, die),
    JS_PROP_STRING_DEF("version", WEIR_VERSION, 0),
#ifdef __x86_64__
    JS_PROP_STRING_DEF("arch", "x64", 0),
#elif defined(__aarch64__)
    JS_PROP_STRING_DEF("arch", "arm64", 0),
#else
    JS_PROP_STRING_DEF("arch", "unknown", 0),
#endif
};

/* Append texts to a list of `length`.  Returns false with an exception. */
static bool append_all(JSContext *context, JSValueConst list, uint32_t length,
                       int count, const char *const *texts)
{
    bool is_done = true;

    for (int i = 0; i < count && is_done; i++)
        is_done = weir__js_set_element(context, list, length + (uint32_t)i,
                                       JS_NewString(context, texts[i])) >= 0;
    return is_done;
}

static JSValue arguments(weir_js *js)
{
    const struct weir__js_program *program = weir__js_program(js);
    JSValue list = JS_NewArray(js->context);
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
    bool is_done =
        !JS_IsException(list) &&
        weir__js_set_element(
            js->context, list, 0,
            length > 0 ? JS_NewStringLen(js->context, path, (size_t)length)
                       : JS_NewString(js->context, "weir")) >= 0;

    if (is_done &&
        append_all(js->context, list, 1, program->argc, program->argv))
        return list;
    JS_FreeValue(js->context, list);
    return JS_EXCEPTION;
}

static JSValue options(weir_js *js)
{
    const struct weir__js_program *program = weir__js_program(js);
    JSValue list = JS_NewArray(js->context);

    if (!JS_IsException(list) &&
        append_all(js->context, list, 0, program->exec_argc,
                   program->exec_argv))
        return list;
    JS_FreeValue(js->context, list);
    return JS_EXCEPTION;
}

/* Takes both, even if one cannot be set. */
static int set_arguments(weir_js *js, JSValueConst native)
{
    JSValue argv, path, list = options(js);
    int err;

    if (JS_IsException(list) ||
        weir__js_set_property(js->context, native, "execArgv", list) < 0)
        return -1;
    argv = arguments(js);
    if (JS_IsException(argv))
        return -1;
    path = JS_GetPropertyUint32(js->context, argv, 0);
    err = weir__js_set_property(js->context, native, "argv", argv);
    return weir__js_set_property(js->context, native, "execPath", path) < 0
               ? -1
               : err;
}

/* The descriptor of the channel to the parent (js/lib/process/channel.js), as
 * text.  No worker has started yet. */
static int set_channel(weir_js *js, JSValueConst native)
{
    const char *fd = js->is_child ? NULL : getenv("NODE_CHANNEL_FD");

    return fd == NULL ? 0
                      : weir__js_set_property(js->context, native, "channel",
                                              JS_NewString(js->context, fd));
}

static int add_values(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);

    if (set_arguments(js, native) < 0 || set_channel(js, native) < 0 ||
        (weir__js_is_confined &&
         weir__js_set_property(context, native, "isConfined", JS_TRUE) < 0) ||
        weir__js_set_property(context, native, "pid",
                              JS_NewInt32(context, getpid())) < 0 ||
        weir__js_set_property(context, native, "ppid",
                              JS_NewInt32(context, getppid())) < 0 ||
        weir__js_set_property(context, native, "engineVersion",
                              JS_NewString(context, JS_GetVersion())) < 0)
        return -1;
    weir__js_watch_process(js);
    return 0;
}

const struct weir__js_builtin weir__js_process_builtin = {
    WEIR__JS_LIBS("program/process"),
    WEIR__JS_NATIVES(natives),
    .add = add_values,
};

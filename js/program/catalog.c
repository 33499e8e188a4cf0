/* SPDX-License-Identifier: MIT */
/*
 * catalog -- the modules of the host that programs can load, and their
 * libraries in js/lib.
 *
 * Tested by  test/js/program/module-builtins, test/js/program/exports-*
 */
#include <string.h>

#include "core/builtin.h"
#include "core/lazy.h"
#include "core/property.h"

#define SAME NULL
#define EXPORTS ""
#define PREFIX "node:"
#define MODULE(name, lib, key)                                                 \
    {                                                                          \
        name, lib, key, false, true                                            \
    }

static const struct weir__js_lazy modules[] = {
    MODULE("_stream_duplex", "stream/stream", "Duplex"),
    MODULE("_stream_passthrough", "stream/stream", "PassThrough"),
    MODULE("_stream_readable", "stream/stream", "Readable"),
    MODULE("_stream_transform", "stream/stream", "Transform"),
    MODULE("_stream_writable", "stream/stream", "Writable"),
    MODULE("assert", "assert/assert", EXPORTS),
    MODULE("assert/strict", "assert/assert", "strict"),
    MODULE("async_hooks", "events/async_hooks", EXPORTS),
    MODULE("buffer", "bytes/buffer", EXPORTS),
    MODULE("child_process", "process/child_process", EXPORTS),
    MODULE("cluster", "process/cluster", EXPORTS),
    MODULE("console", "program/console", EXPORTS),
    MODULE("constants", "system/constants", EXPORTS),
    MODULE("crypto", "crypto/node", EXPORTS),
    MODULE("diagnostics_channel", "events/diagnostics", EXPORTS),
    MODULE("dgram", "net/dgram", EXPORTS),
    MODULE("dns", "net/dns", EXPORTS),
    MODULE("dns/promises", "net/dns", "promises"),
    MODULE("events", "events/events", EXPORTS),
    MODULE("fs", "fs/fs", EXPORTS),
    MODULE("fs/promises", "fs/promises", EXPORTS),
    MODULE("http", "nodehttp/http", EXPORTS),
    MODULE("https", "nodehttp/https", EXPORTS),
    MODULE("module", "program/module", "Module"),
    MODULE("net", "net/net", EXPORTS),
    MODULE("os", "system/os", EXPORTS),
    MODULE("path", "fs/path", EXPORTS),
    MODULE("path/posix", "fs/path", EXPORTS),
    MODULE("path/win32", "fs/path", "win32"),
    MODULE("perf_hooks", "timers/perfhooks", EXPORTS),
    MODULE("process", "program/process", EXPORTS),
    MODULE("punycode", "url/punycode", EXPORTS),
    MODULE("querystring", "url/querystring", EXPORTS),
    MODULE("readline", "readline/interface", EXPORTS),
    MODULE("readline/promises", "readline/interface", "promises"),
    MODULE("stream", "stream/stream", EXPORTS),
    MODULE("stream/consumers", "stream/consumers", EXPORTS),
    MODULE("stream/promises", "stream/promises", EXPORTS),
    MODULE("stream/web", "web/node", EXPORTS),
    MODULE("string_decoder", "bytes/stringdecoder", EXPORTS),
    MODULE("node:sqlite", "sqlite/sqlite", EXPORTS),
    MODULE("sys", "util/util", EXPORTS),
    MODULE("node:test", "test/test", EXPORTS),
    MODULE("node:test/reporters", "test/reporters", "node"),
    MODULE("timers", "timers/timers", "node"),
    MODULE("timers/promises", "timers/promises", EXPORTS),
    MODULE("tls", "net/tls", EXPORTS),
    MODULE("tty", "program/tty", EXPORTS),
    MODULE("url", "url/node", EXPORTS),
    MODULE("util", "util/util", EXPORTS),
    MODULE("util/types", "util/util", "types"),
    MODULE("v8", "v8/v8", EXPORTS),
    MODULE("weir:explore", "explore/explore", EXPORTS),
    MODULE("weir:http", "http/serve", EXPORTS),
    MODULE("weir:jobs", "jobs/jobs", EXPORTS),
    MODULE("weir:live", "live/live", EXPORTS),
    MODULE("weir:pool", "threads/pool", EXPORTS),
    MODULE("weir:sqlite", "sqlite/async", EXPORTS),
    MODULE("worker_threads", "threads/worker_threads", EXPORTS),
    MODULE("zlib", "zlib/zlib", EXPORTS),
    MODULE("weir:service", "threads/service", EXPORTS),
    MODULE("http2", "program/absent", SAME),
    MODULE("vm", "vm/vm", EXPORTS),
};

enum { COUNT = sizeof(modules) / sizeof(*modules) };

/* The prefix is optional, except where the table has it: "test" without it is a
 * package. */
static bool has_name(const struct weir__js_lazy *module, const char *name)
{
    if (strcmp(module->name, name) == 0)
        return true;
    return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
           strncmp(module->name, PREFIX, strlen(PREFIX)) != 0 &&
           strcmp(module->name, name + strlen(PREFIX)) == 0;
}

/* The row of a name; NULL if there is none.  Returns 0, or -1 with an
 * exception. */
static int find(JSContext *context, JSValueConst name,
                const struct weir__js_lazy **out)
{
    size_t length;
    const char *text = JS_ToCStringLen(context, &length, name);

    *out = NULL;
    if (text == NULL)
        return -1;
    for (int i = 0; *out == NULL && i < COUNT && strlen(text) == length; i++)
        if (has_name(&modules[i], text))
            *out = &modules[i];
    JS_FreeCString(context, text);
    return 0;
}

static JSValue is_builtin(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    const struct weir__js_lazy *row;

    return find(context, argv[0], &row) < 0 ? JS_EXCEPTION
                                            : JS_NewBool(context, row != NULL);
}

/* The exports of the module, or undefined. */
static JSValue builtin(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    const struct weir__js_lazy *row;

    if (find(context, argv[0], &row) < 0)
        return JS_EXCEPTION;
    return row == NULL ? JS_UNDEFINED : weir__js_lazy_value(context, row);
}

/* Those that need the prefix are not in Node's list. */
static JSValue builtin_names(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    JSValue names = JS_NewArray(context);
    uint32_t count = 0;

    for (int i = 0; !JS_IsException(names) && i < COUNT; i++)
        if (strncmp(modules[i].name, PREFIX, strlen(PREFIX)) != 0)
            weir__js_put_element(context, &names, count++,
                                 JS_NewString(context, modules[i].name));
    return names;
}

/* As in Node, typed code can use the modules by their names. */
static JSValue expose_builtins(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    JSValue global = JS_GetGlobalObject(context);
    int status = 0;

    for (int i = 0; status == 0 && i < COUNT; i++)
        if (modules[i].name[0] != '_' && strpbrk(modules[i].name, "/:") == NULL)
            status = weir__js_lazy_define(context, global, &modules[i]);
    JS_FreeValue(context, global);
    return status < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("isBuiltin", 1, is_builtin),
    JS_CFUNC_DEF("builtin", 1, builtin),
    JS_CFUNC_DEF("builtinNames", 0, builtin_names),
    JS_CFUNC_DEF("exposeBuiltins", 0, expose_builtins),
};

const struct weir__js_builtin weir__js_catalog_builtin = {
    WEIR__JS_LIBS("program/module"),
    WEIR__JS_NATIVES(natives),
};

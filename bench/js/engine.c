/* SPDX-License-Identifier: MIT */
/*
 * engine -- a file of bench/js on quickjs-ng alone: evaluate, then job after
 * job.  console.log is what it measures.
 */
#include "engine.h"

#include <quickjs.h>
#include <stdio.h>
#include <stdlib.h>

char *bench_js_read(const char *name, size_t *length)
{
    char path[512], *text;
    FILE *file;
    long size;

    snprintf(path, sizeof(path), BENCH_JS_DIR "/%s", name);
    file = fopen(path, "r");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
        bench_fail("no such file in bench/js");
    size = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)size + 1);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size)
        bench_fail("cannot read a file of bench/js");
    fclose(file);
    *length = (size_t)size;
    return text;
}

static JSValue print(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    double value;

    if (argc != 1 || JS_ToFloat64(context, &value, argv[0]) < 0)
        bench_fail("console.log of what is no number");
    bench_measured(0, value);
    return JS_UNDEFINED;
}

static void add_console(JSContext *context)
{
    JSValue global = JS_GetGlobalObject(context);
    JSValue console = JS_NewObject(context);

    JS_SetPropertyStr(context, console, "log",
                      JS_NewCFunction(context, print, "log", 1));
    JS_SetPropertyStr(context, global, "console", console);
    JS_FreeValue(context, global);
}

void bench_engine(const struct bench_workload *workload,
                  const struct bench_entry *entry)
{
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = JS_NewContext(runtime), *other;
    size_t length;
    char *source = bench_js_read(workload->arg, &length);
    JSValue result;
    int status;

    JS_UpdateStackTop(runtime);
    add_console(context);
    result = JS_Eval(context, source, length, workload->arg, 0);
    if (JS_IsException(result))
        bench_fail("the engine threw");
    JS_FreeValue(context, result);
    while ((status = JS_ExecutePendingJob(runtime, &other)) > 0)
        continue;
    if (status < 0)
        bench_fail("a job threw");
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    free(source);
}

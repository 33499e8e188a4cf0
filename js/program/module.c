/* SPDX-License-Identifier: MIT */
/*
 * module -- answers the engine's questions about ES modules through
 * js/lib/program/module.js, and reads files for it.
 *
 * To the engine, a builtin or a CommonJS file is also a module (foreign.h).
 *
 * Tested by  test/js/program/module-*, test/js/program/commonjs-*
 */
#include "program/module.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/headroom.h"
#include "core/lib.h"
#include "core/place.h"
#include "program/foreign.h"

static const char head[] =
    "(function (exports, require, module, __filename, __dirname) {\n\n";
static const char tail[] = "\n})";

/* ---- the hooks of js/lib/core/bootstrap.js ---- */

/* Takes the first argument. */
static JSValue ask_about(weir_js *js, enum weir__js_hook hook, JSValue first,
                         JSValueConst second)
{
    JSValueConst args[] = {first, second};
    JSValue answer = JS_IsException(first) || JS_IsException(second)
                         ? JS_EXCEPTION
                         : weir__js_call_hook_with(js, hook, 2, args);

    JS_FreeValue(js->context, first);
    return answer;
}

/* Shorten the name of code that was compiled by eval() or new Function(), such
 * as "eval at f (FILE:1:2), <anonymous>", to FILE (js/engine/sites.patch).
 * Evaluations may be nested. */
static void strip_eval(char *name)
{
    static const char begin[] = "eval at ", end[] = "), <anonymous>";

    while (strncmp(name, begin, sizeof(begin) - 1) == 0) {
        char *open = strstr(name, " (");
        size_t length = strlen(name);

        if (open == NULL || length < sizeof(end) ||
            strcmp(name + length - (sizeof(end) - 1), end) != 0)
            return;
        name[length - (sizeof(end) - 1)] = '\0';
        memmove(name, open + 2, strlen(open + 2) + 1);
        for (int i = 0; i < 2; i++) { /* the column and the line */
            char *colon = strrchr(name, ':');

            if (colon != NULL)
                *colon = '\0';
        }
    }
}

static JSValue importer_of(JSContext *context, const char *base)
{
    char *name = js_strdup(context, base);
    JSValue importer;

    if (name == NULL)
        return JS_EXCEPTION;
    strip_eval(name);
    importer = JS_NewString(context, name);
    js_free(context, name);
    return importer;
}

/* If none of our modules is being linked, this is an import(), which goes to a
 * gate (js/program/import.c). */
static char *normalize(JSContext *context, const char *base, const char *name,
                       JSValueConst attributes, void *opaque)
{
    weir_js *js = opaque;
    bool is_foreign = context != js->context; /* of node:vm */
    bool is_dynamic =
        is_foreign || (js->linking == 0 && JS_IsUndefined(attributes));
    JSValue parent = is_foreign ? JS_UNDEFINED : importer_of(context, base);
    JSValue id =
        ask_about(js, is_dynamic ? WEIR__JS_HOOK_IMPORT : WEIR__JS_HOOK_RESOLVE,
                  JS_NewString(context, name), parent);
    const char *text = JS_IsException(id) ? NULL : JS_ToCString(context, id);
    char *copy = text != NULL ? js_strdup(context, text) : NULL;

    JS_FreeCString(context, text);
    JS_FreeValue(context, id);
    JS_FreeValue(context, parent);
    return copy;
}

/* ---- ES modules ---- */

/* The engine calls load() for each import while it compiles, so a chain of
 * modules is on the stack.  No user code runs there, so it may use the whole
 * stack. */
static JSValue compile_chain(weir_js *js, const char *id, const char *source,
                             size_t length)
{
    size_t taken = weir__js_headroom_take(js, WEIR__HEADROOM_ALL);
    JSValue code;

    if (++js->linking > js->deepest)
        js->deepest = js->linking;
    if (js->deepest > js->deepest_chain)
        js->deepest_chain = js->deepest;
    code = JS_Eval(js->context, source, length, id,
                   JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    js->linking--;
    weir__js_headroom_return(js, taken);
    return code;
}

static JSModuleDef *compile_module(weir_js *js, const char *id,
                                   const char *source, size_t length)
{
    JSContext *context = js->context;
    JSModuleDef *module;
    JSValue code = compile_chain(js, id, source, length), meta, filled;

    if (JS_IsException(code))
        return NULL;
    module = JS_VALUE_GET_PTR(code);
    JS_FreeValue(context, code); /* the context holds its modules */
    meta = JS_GetImportMeta(context, module);
    filled = ask_about(js, WEIR__JS_HOOK_META, JS_NewString(context, id), meta);
    JS_FreeValue(context, meta);
    JS_FreeValue(context, filled);
    return JS_IsException(filled) ? NULL : module;
}

static JSModuleDef *compile_value(weir_js *js, const char *id,
                                  JSValueConst source)
{
    size_t length;
    const char *text = JS_ToCStringLen(js->context, &length, source);
    JSModuleDef *module =
        text != NULL ? compile_module(js, id, text, length) : NULL;

    JS_FreeCString(js->context, text);
    return module;
}

/* The import attribute `type`, or undefined. */
static JSValue type_of(JSContext *context, JSValueConst attributes)
{
    return JS_IsObject(attributes)
               ? JS_GetPropertyStr(context, attributes, "type")
               : JS_UNDEFINED;
}

static JSModuleDef *load(JSContext *context, const char *id, void *opaque,
                         JSValueConst attributes)
{
    weir_js *js = opaque;
    JSValue type = type_of(context, attributes);
    JSValue answer =
        ask_about(js, WEIR__JS_HOOK_FORMAT, JS_NewString(context, id), type);
    JSValue format, source;
    JSModuleDef *module = NULL;
    const char *name;

    JS_FreeValue(context, type);
    if (JS_IsException(answer))
        return NULL;
    format = JS_GetPropertyUint32(context, answer, 0);
    source = JS_GetPropertyUint32(context, answer, 1);
    name = JS_ToCString(context, format);
    if (name != NULL)
        module = strcmp(name, "module") == 0 ? compile_value(js, id, source)
                                             : weir__js_foreign_new(js, id);
    JS_FreeCString(context, name);
    JS_FreeValue(context, format);
    JS_FreeValue(context, source);
    JS_FreeValue(context, answer);
    return module;
}

/* prepare(id): compile it and what it imports; returns how deep that goes. */
static JSValue prepare(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    const char *id = JS_ToCString(context, argv[0]);
    JSModuleDef *module;

    if (id == NULL)
        return JS_EXCEPTION;
    js->deepest = 0;
    module = load(context, id, js, JS_UNDEFINED);
    JS_FreeCString(context, id);
    return module != NULL ? JS_NewUint32(context, js->deepest) : JS_EXCEPTION;
}

static int watch_modules(weir_js *js)
{
    /* Ignore unknown attributes, as Node does. */
    JS_SetModuleLoaderFunc2(js->runtime, NULL, load, NULL, js);
    JS_SetModuleNormalizeFunc2(js->runtime, normalize);
    weir__js_foreign_init(js);
    return 0;
}

/* ---- the main module ---- */

/* Takes the promise of the main module.  If it is rejected, the program
 * fails. */
static JSValue watch_main(JSContext *context, JSValue promise)
{
    weir_js *js = weir__js_of(context);

    if (JS_IsException(promise))
        return promise;
    JS_PromiseMarkAsHandled(context, promise);
    JS_FreeValue(context, js->main);
    js->main = promise;
    return JS_UNDEFINED;
}

static JSValue evaluate_module(JSContext *context, JSModuleDef *module)
{
    weir_js *js = weir__js_of(context);
    size_t taken = weir__js_headroom_take_chain(js);
    JSValue promise;

    js->linking++;
    promise = JS_EvalFunction(
        context, JS_DupValue(context, JS_MKPTR(JS_TAG_MODULE, module)));
    js->linking--;
    weir__js_headroom_return(js, taken);
    return promise;
}

static JSValue evaluate_main(JSContext *context, JSModuleDef *module)
{
    return module != NULL
               ? watch_main(context, evaluate_module(context, module))
               : JS_EXCEPTION;
}

static JSValue run_main(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    const char *id = JS_ToCString(context, argv[0]);
    JSValue result;

    if (id == NULL)
        return JS_EXCEPTION;
    result = evaluate_main(
        context, load(context, id, weir__js_of(context), JS_UNDEFINED));
    JS_FreeCString(context, id);
    return result;
}

/* (text, id) */
static JSValue run_main_text(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    const char *id = JS_ToCString(context, argv[1]);
    JSValue result;

    if (id == NULL)
        return JS_EXCEPTION;
    result = evaluate_main(context,
                           compile_value(weir__js_of(context), id, argv[0]));
    JS_FreeCString(context, id);
    return result;
}

/* ---- require() of an ES module ---- */

/* How many module evaluations are on the stack. */
static JSValue nesting(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewUint32(context, weir__js_of(context)->linking);
}

/* Takes the promise of an evaluated module. */
static JSValue result_now(JSContext *context, JSModuleDef *module,
                          JSValue promise)
{
    JSPromiseStateEnum state;
    JSValue result = JS_UNDEFINED;

    if (JS_IsException(promise))
        return promise;
    JS_PromiseMarkAsHandled(context, promise);
    state = JS_PromiseState(context, promise);
    if (state == JS_PROMISE_FULFILLED)
        result = JS_GetModuleNamespace(context, module);
    else if (state == JS_PROMISE_REJECTED)
        result = JS_Throw(context, JS_PromiseResult(context, promise));
    JS_FreeValue(context, promise);
    return result;
}

/* evaluateNow(text, id): its namespace, or undefined if its top level waits. */
static JSValue evaluate_now(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    const char *id = JS_ToCString(context, argv[1]);
    JSModuleDef *module =
        id != NULL ? compile_value(weir__js_of(context), id, argv[0]) : NULL;

    JS_FreeCString(context, id);
    return module != NULL
               ? result_now(context, module, evaluate_module(context, module))
               : JS_EXCEPTION;
}

/* ---- CommonJS ---- */

/* compile(source, file): function (exports, require, ...).  The head occupies
 * lines -1 and 0, so that lines and columns are those of the file. */
static JSValue compile(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    size_t length;
    const char *source = JS_ToCStringLen(context, &length, argv[0]);
    const char *file = JS_ToCString(context, argv[1]);
    char *text = source != NULL && file != NULL
                     ? js_malloc(context, sizeof(head) + length + sizeof(tail))
                     : NULL;
    JSEvalOptions options = {.version = JS_EVAL_OPTIONS_VERSION,
                             .eval_flags = JS_EVAL_TYPE_GLOBAL,
                             .filename = file,
                             .line_num = -1};
    JSValue function = JS_EXCEPTION;

    if (text != NULL) {
        memcpy(text, head, sizeof(head) - 1);
        memcpy(text + sizeof(head) - 1, source, length);
        memcpy(text + sizeof(head) - 1 + length, tail, sizeof(tail));
        if (length > 1 && source[0] == '#' && source[1] == '!')
            memcpy(text + sizeof(head) - 1, "//", 2);
        function =
            JS_Eval2(context, text,
                     sizeof(head) - 1 + length + sizeof(tail) - 1, &options);
    }
    js_free(context, text);
    JS_FreeCString(context, source);
    JS_FreeCString(context, file);
    return function;
}

/* apply(function, exports, require, module, file, directory): run a module.  A
 * module that another one requires gets as much stack as that one had. */
static JSValue apply(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    size_t taken = weir__js_headroom_take(js, js->own_stack_bytes);
    JSValue result = JS_Call(context, argv[0], argv[1], argc - 1, argv + 1);

    weir__js_headroom_return(js, taken);
    return result;
}

/* evaluate(text, name): run a script and return its last value. */
static JSValue evaluate(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    size_t length;
    const char *source = JS_ToCStringLen(context, &length, argv[0]);
    const char *file = JS_ToCString(context, argv[1]);
    JSValue value =
        source != NULL && file != NULL
            ? JS_Eval(context, source, length, file, JS_EVAL_TYPE_GLOBAL)
            : JS_EXCEPTION;

    JS_FreeCString(context, source);
    JS_FreeCString(context, file);
    return value;
}

/* isScript(text): whether it compiles as a script. */
static JSValue is_script(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    size_t length;
    const char *source = JS_ToCStringLen(context, &length, argv[0]);
    JSValue code;

    if (source == NULL)
        return JS_EXCEPTION;
    code = JS_Eval(context, source, length, "",
                   JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    JS_FreeCString(context, source);
    if (JS_IsException(code)) {
        JSValue error = JS_GetException(context);

        if (JS_IsUncatchableError(error))
            return JS_Throw(context, error);
        JS_FreeValue(context, error);
        return JS_FALSE;
    }
    JS_FreeValue(context, code);
    return JS_TRUE;
}

static JSValue detect(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    size_t length;
    const char *source = JS_ToCStringLen(context, &length, argv[0]);
    bool is_module;

    if (source == NULL)
        return JS_EXCEPTION;
    is_module = JS_DetectModule(source, length);
    JS_FreeCString(context, source);
    return JS_NewBool(context, is_module);
}

/* ---- files ---- */

/* stat(path): 1 for a directory, 0 for another file, -1 for none.  Where
 * nothing is granted there is none, so that a search goes on. */
static JSValue stat_path(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    const char *path = JS_ToCString(context, argv[0]);
    struct weir__js_place place;
    struct stat found;
    int kind = -1;

    if (path == NULL)
        return JS_EXCEPTION;
    if (weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ) ==
        0) {
        if (stat(place.path, &found) == 0)
            kind = S_ISDIR(found.st_mode);
        weir__js_place_drop(&place);
    }
    JS_FreeCString(context, path);
    return JS_NewInt32(context, kind);
}

/* checkPath(path): throws unless it may be read, whether it is there or not */
static JSValue check_path(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    const char *path = JS_ToCString(context, argv[0]);
    struct weir__js_place place;
    JSValue result = JS_UNDEFINED;

    if (path == NULL)
        return JS_EXCEPTION;
    if (weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ) ==
        0)
        weir__js_place_drop(&place);
    else if (place.missing != 0)
        result = weir__js_throw_denied(context, place.missing, path);
    JS_FreeCString(context, path);
    return result;
}

static JSValue real_path(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    const char *path = JS_ToCString(context, argv[0]);
    struct weir__js_place place;
    char real[PATH_MAX];
    JSValue result;
    int err;

    if (path == NULL)
        return JS_EXCEPTION;
    err = weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ);
    if (err == 0) {
        err = realpath(place.path, real) != NULL ? 0 : -errno;
        weir__js_place_drop(&place);
    }
    result = place.missing != 0
                 ? weir__js_throw_denied(context, place.missing, path)
             : err == 0 ? JS_NewString(context, real)
                        : weir__js_throw_status(context, err);
    JS_FreeCString(context, path);
    return result;
}

/* The text is allocated from the host's heap, so that its limit applies. */
static JSValue read_stream(JSContext *context, FILE *file, const char *path)
{
    size_t size = 0, capacity = 65536, got;
    char *text = js_malloc(context, capacity);
    JSValue result;

    while (text != NULL &&
           (got = fread(text + size, 1, capacity - size, file)) > 0) {
        size += got;
        if (size == capacity) {
            char *larger = js_realloc(context, text, capacity *= 2);

            if (larger == NULL)
                js_free(context, text);
            text = larger;
        }
    }
    if (text == NULL)
        return JS_EXCEPTION;
    /* errno is still that of the failure. */
    result = ferror(file)
                 ? weir__js_throw_system(context, -errno, "read", path, NULL)
                 : JS_NewStringLen(context, text, size);
    js_free(context, text);
    return result;
}

static JSValue read_file(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    const char *path = JS_ToCString(context, argv[0]);
    FILE *file = NULL;
    JSValue result;
    int missing, fd;

    if (path == NULL)
        return JS_EXCEPTION;
    fd = weir__js_place_open(path, O_RDONLY, 0, &missing);
    if (fd >= 0)
        file = fdopen(fd, "rb");
    if (file != NULL) {
        result = read_stream(context, file, path);
        fclose(file);
    } else if (missing != 0) {
        result = weir__js_throw_denied(context, missing, path);
    } else {
        result = weir__js_throw_system(context, fd < 0 ? fd : -errno, "open",
                                       path, NULL);
        if (fd >= 0)
            close(fd);
    }
    JS_FreeCString(context, path);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("compile", 2, compile),
    JS_CFUNC_DEF("apply", 6, apply),
    JS_CFUNC_DEF("evaluate", 2, evaluate),
    JS_CFUNC_DEF("detectModule", 1, detect),
    JS_CFUNC_DEF("isScript", 1, is_script),
    JS_CFUNC_DEF("prepare", 1, prepare),
    JS_CFUNC_DEF("runMain", 1, run_main),
    JS_CFUNC_DEF("runMainText", 2, run_main_text),
    JS_CFUNC_DEF("evaluateNow", 2, evaluate_now),
    JS_CFUNC_DEF("nesting", 0, nesting),
    JS_CFUNC_DEF("stat", 1, stat_path),
    JS_CFUNC_DEF("checkPath", 1, check_path),
    JS_CFUNC_DEF("realpath", 1, real_path),
    JS_CFUNC_DEF("readFile", 1, read_file),
};

const struct weir__js_builtin weir__js_module_builtin = {
    WEIR__JS_LIBS("program/module", "program/resolve", "assert/source"),
    WEIR__JS_NATIVES(natives),
    .init = watch_modules,
};

JSValue weir__js_main(weir_js *js, const char *kind, const char *text,
                      size_t length)
{
    JSValue source = JS_NewStringLen(js->context, text, length);
    JSValue result = ask_about(js, WEIR__JS_HOOK_MAIN,
                               JS_NewString(js->context, kind), source);

    JS_FreeValue(js->context, source);
    return result;
}

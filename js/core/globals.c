/* SPDX-License-Identifier: MIT */
/*
 * globals -- what the host adds to the global object.
 *
 * Each new host defines all of it, so this is done in C, from a table: the same
 * in JavaScript took five times as long.  The enumerable names come first and in
 * Node's order, which programs see in Object.keys(globalThis).
 *
 * Tested by  test/js/core/globals-*.js
 */
#include "core/builtin.h"
#include "core/lazy.h"
#include "core/lib.h"
#include "core/property.h"

enum { HIDDEN, SHOWN };
#define SAME NULL
#define EXPORTS ""
#define GLOBAL(name, lib, key, is_shown)                                       \
    {                                                                          \
        name, lib, key, is_shown, false                                        \
    }

static const struct weir__js_lazy timers[] = {
    GLOBAL("clearImmediate", "timers/timers", SAME, SHOWN),
    GLOBAL("setImmediate", "timers/timers", SAME, SHOWN),
    GLOBAL("clearInterval", "timers/timers", SAME, SHOWN),
    GLOBAL("clearTimeout", "timers/timers", SAME, SHOWN),
    GLOBAL("setInterval", "timers/timers", SAME, SHOWN),
    GLOBAL("setTimeout", "timers/timers", SAME, SHOWN),
};

static const struct weir__js_lazy others[] = {
    GLOBAL("structuredClone", "messages/clone", EXPORTS, SHOWN),
    GLOBAL("atob", "bytes/base64", SAME, SHOWN),
    GLOBAL("btoa", "bytes/base64", SAME, SHOWN),
    GLOBAL("performance", "timers/performance", SAME, SHOWN),
    GLOBAL("fetch", "http/fetch", SAME, SHOWN),
    GLOBAL("crypto", "crypto/crypto", "webcrypto", SHOWN),
    GLOBAL("reportError", "web/scope", SAME, SHOWN),
    GLOBAL("console", "program/console", EXPORTS, HIDDEN),
    GLOBAL("process", "program/process", EXPORTS, HIDDEN),
    GLOBAL("Buffer", "bytes/buffer", SAME, HIDDEN),
    GLOBAL("URL", "url/url", SAME, HIDDEN),
    GLOBAL("URLSearchParams", "url/url", SAME, HIDDEN),
    GLOBAL("AbortController", "events/abort", SAME, HIDDEN),
    GLOBAL("AbortSignal", "events/abort", SAME, HIDDEN),
    GLOBAL("Event", "events/eventtarget", SAME, HIDDEN),
    GLOBAL("EventTarget", "events/eventtarget", SAME, HIDDEN),
    GLOBAL("CustomEvent", "events/eventtarget", SAME, HIDDEN),
    GLOBAL("TextEncoder", "bytes/encoding", SAME, HIDDEN),
    GLOBAL("TextDecoder", "bytes/encoding", SAME, HIDDEN),
    GLOBAL("ReadableStream", "web/streams", SAME, HIDDEN),
    GLOBAL("ReadableStreamDefaultReader", "web/streams", SAME, HIDDEN),
    GLOBAL("ReadableStreamBYOBReader", "web/streams", SAME, HIDDEN),
    GLOBAL("ReadableStreamBYOBRequest", "web/streams", SAME, HIDDEN),
    GLOBAL("ReadableByteStreamController", "web/streams", SAME, HIDDEN),
    GLOBAL("ReadableStreamDefaultController", "web/streams", SAME, HIDDEN),
    GLOBAL("TransformStream", "web/streams", SAME, HIDDEN),
    GLOBAL("TransformStreamDefaultController", "web/streams", SAME, HIDDEN),
    GLOBAL("WritableStream", "web/streams", SAME, HIDDEN),
    GLOBAL("WritableStreamDefaultController", "web/streams", SAME, HIDDEN),
    GLOBAL("WritableStreamDefaultWriter", "web/streams", SAME, HIDDEN),
    GLOBAL("ByteLengthQueuingStrategy", "web/streams", SAME, HIDDEN),
    GLOBAL("CountQueuingStrategy", "web/streams", SAME, HIDDEN),
    GLOBAL("TextEncoderStream", "web/textstreams", SAME, HIDDEN),
    GLOBAL("TextDecoderStream", "web/textstreams", SAME, HIDDEN),
    GLOBAL("CompressionStream", "web/compression", SAME, HIDDEN),
    GLOBAL("DecompressionStream", "web/compression", SAME, HIDDEN),
    GLOBAL("BroadcastChannel", "messages/broadcast", EXPORTS, HIDDEN),
    GLOBAL("MessageChannel", "messages/messaging", SAME, HIDDEN),
    GLOBAL("MessagePort", "messages/messaging", SAME, HIDDEN),
    GLOBAL("MessageEvent", "messages/messaging", SAME, HIDDEN),
    GLOBAL("Blob", "web/blob", SAME, HIDDEN),
    GLOBAL("File", "web/blob", SAME, HIDDEN),
    GLOBAL("Performance", "timers/performance", SAME, HIDDEN),
    GLOBAL("PerformanceEntry", "timers/entry", SAME, HIDDEN),
    GLOBAL("PerformanceMark", "timers/performance", SAME, HIDDEN),
    GLOBAL("PerformanceMeasure", "timers/performance", SAME, HIDDEN),
    GLOBAL("PerformanceObserver", "timers/observer", SAME, HIDDEN),
    GLOBAL("PerformanceObserverEntryList", "timers/observer", SAME, HIDDEN),
    GLOBAL("PerformanceResourceTiming", "timers/resource", SAME, HIDDEN),
    GLOBAL("FormData", "web/formdata", SAME, HIDDEN),
    GLOBAL("Headers", "http/classes", SAME, HIDDEN),
    GLOBAL("Request", "http/classes", SAME, HIDDEN),
    GLOBAL("Response", "http/classes", SAME, HIDDEN),
    GLOBAL("WebSocket", "http/websocket", SAME, HIDDEN),
    GLOBAL("CloseEvent", "http/websocket", SAME, HIDDEN),
    GLOBAL("Crypto", "crypto/crypto", SAME, HIDDEN),
    GLOBAL("CryptoKey", "crypto/keys", SAME, HIDDEN),
    GLOBAL("SubtleCrypto", "crypto/subtle", SAME, HIDDEN),
    GLOBAL("navigator", "web/scope", SAME, HIDDEN),
    GLOBAL("Navigator", "web/scope", SAME, HIDDEN),
#ifdef WEIR_INTL
    GLOBAL("Intl", "intl/intl", EXPORTS, HIDDEN),
#endif
    GLOBAL("URLPattern", "url/pattern", SAME, HIDDEN),
    GLOBAL("EventSource", "http/eventsource", SAME, HIDDEN),
    GLOBAL("ErrorEvent", "events/errorevent", SAME, HIDDEN),
};

/* The engine's own that are replaced; they are deleted first, for the order. */
static const char *const replaced[] = {"queueMicrotask", "atob", "btoa",
                                       "performance"};

static JSValue run_microtask(JSContext *context, int argc, JSValueConst *argv)
{
    return JS_Call(context, argv[0], JS_UNDEFINED, 0, NULL);
}

/* queueMicrotask(function): the engine's version throws other errors and passes
 * another `this`. */
static JSValue queue_microtask(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    if (!JS_IsFunction(context, argv[0]))
        return weir__js_call_hook(weir__js_of(context),
                                  WEIR__JS_HOOK_INVALID_CALLBACK, argv[0]);
    return JS_EnqueueJob(context, run_microtask, 1, argv) < 0 ? JS_EXCEPTION
                                                              : JS_UNDEFINED;
}

/* The functions below return whether they succeeded; if not, with an
 * exception. */
static bool delete_replaced(JSContext *context, JSValueConst global)
{
    int status = 0;

    for (size_t i = 0; status >= 0 && i < sizeof(replaced) / sizeof(*replaced);
         i++) {
        JSAtom name = JS_NewAtom(context, replaced[i]);

        status = name == JS_ATOM_NULL
                     ? -1
                     : JS_DeleteProperty(context, global, name, 0);
        JS_FreeAtom(context, name);
    }
    return status >= 0;
}

static bool define_self(JSContext *context, JSValueConst global,
                        const char *name, int is_shown)
{
    int flags = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE |
                (is_shown ? JS_PROP_ENUMERABLE : 0);

    return JS_DefinePropertyValueStr(context, global, name,
                                     JS_DupValue(context, global), flags) >= 0;
}

static bool define_all(JSContext *context, JSValueConst global,
                       const struct weir__js_lazy *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (weir__js_lazy_define(context, global, &rows[i]) < 0)
            return false;
    return true;
}

static bool define_queue_microtask(JSContext *context, JSValueConst global)
{
    JSValue function =
        JS_NewCFunction(context, queue_microtask, "queueMicrotask", 1);

    return weir__js_set_property(context, global, "queueMicrotask", function) >=
           0;
}

/* Fill the global object. */
static JSValue define_globals(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    JSValue global = JS_GetGlobalObject(context);
    bool is_done =
        delete_replaced(context, global) &&
        define_self(context, global, "global", SHOWN) &&
        define_all(context, global, timers, sizeof(timers) / sizeof(*timers)) &&
        define_queue_microtask(context, global) &&
        define_all(context, global, others, sizeof(others) / sizeof(*others)) &&
        define_self(context, global, "self", HIDDEN);

    JS_FreeValue(context, global);
    return is_done ? JS_UNDEFINED : JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("defineGlobals", 0, define_globals),
};

static int init(weir_js *js)
{
    weir__js_lazy_init(js->runtime);
    return 0;
}

const struct weir__js_builtin weir__js_globals_builtin = {
    WEIR__JS_LIBS("core/bootstrap"),
    WEIR__JS_NATIVES(natives),
    .init = init,
};

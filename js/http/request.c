/* SPDX-License-Identifier: MIT */
/*
 * request -- see request.h.
 *
 * The Request that a server passes to `fetch` makes each property when it is
 * first read.  One that a program makes gets all of them from its constructor,
 * in js/lib/http/classes.js.
 *
 * Tested by  test/js/http/request-methods.mjs, serve-*.mjs
 */
#include "http/request.h"

#include <arpa/inet.h>
#include <string.h>

#include "core/builtin.h"
#include "http/headers.h"

/* The functions of js/lib/http/classes.js that C calls. */
enum { HOOK_URL, HOOK_SIGNAL, HOOKS };

/* ---- the struct ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_request *request =
        weir__js_opaque(js, value, WEIR__JS_REQUEST);

    if (request == NULL)
        return;
    weir__js_body_fini(runtime, &request->body);
    JS_FreeValueRT(runtime, request->method);
    JS_FreeValueRT(runtime, request->url);
    JS_FreeValueRT(runtime, request->headers);
    JS_FreeValueRT(runtime, request->signal);
    JS_FreeValueRT(runtime, request->extra);
    if (request->exchange != NULL)
        weir__js_exchange_unref(request->exchange);
    js_free_rt(runtime, request);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct weir__js_request *request =
        weir__js_opaque(js, value, WEIR__JS_REQUEST);

    if (request == NULL)
        return;
    weir__js_body_mark(runtime, &request->body, fn);
    JS_MarkValue(runtime, request->headers, fn);
    JS_MarkValue(runtime, request->signal, fn);
    JS_MarkValue(runtime, request->extra, fn);
}

static const JSClassDef request_class = {
    .class_name = "Request", .finalizer = finalize, .gc_mark = mark};

struct weir__js_request *weir__js_request_of(JSContext *context,
                                             JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_REQUEST);
}

/* Takes the object, and returns it with a struct. */
static JSValue fill_object(JSContext *context, JSValue self)
{
    struct weir__js_request *request;

    if (JS_IsException(self))
        return self;
    request = js_malloc(context, sizeof(*request));
    if (request == NULL) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    *request = (struct weir__js_request){.method = JS_UNDEFINED,
                                         .url = JS_UNDEFINED,
                                         .headers = JS_UNDEFINED,
                                         .signal = JS_UNDEFINED,
                                         .extra = JS_UNDEFINED};
    weir__js_body_init(&request->body);
    JS_SetOpaque(self, request);
    return self;
}

JSValue weir__js_request_new(JSContext *context,
                             struct weir__js_exchange *exchange)
{
    JSClassID id = weir__js_of(context)->classes[WEIR__JS_REQUEST];
    JSValue self = fill_object(context, JS_NewObjectClass(context, id));
    struct weir__js_request *request;

    if (JS_IsException(self))
        return self;
    request = weir__js_request_of(context, self);
    request->exchange = exchange;
    weir__js_exchange_ref(exchange);
    if (weir_http_body_size(exchange->http) != 0) {
        request->body.kind = WEIR__JS_BODY_SOURCE;
        request->body.source = &exchange->source;
        weir__js_source_ref(&exchange->source);
    }
    return self;
}

/* ---- the URL ---- */

static const weir_bytes no_host = WEIR_BYTES_OF("localhost");

/* A name whose last part begins with a digit may be an IPv4 address. */
static bool is_plain_name(const char *text, size_t size)
{
    char copy[INET_ADDRSTRLEN];
    struct in_addr address;
    size_t last = size;

    while (last > 0 && text[last - 1] != '.')
        last--;
    if (last == size || memmem(text, size, "xn--", 4) != NULL)
        return false;
    if (text[last] < '0' || text[last] > '9')
        return true;
    if (size >= sizeof(copy))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    return inet_pton(AF_INET, copy, &address) == 1;
}

/* Whether the URL parser would leave it as it is. */
static bool is_plain_host(weir_bytes host)
{
    const char *text = host.data, *colon = memchr(text, ':', host.size);

    for (size_t i = 0; i < host.size; i++)
        if (!(text[i] >= 'a' && text[i] <= 'z') && text[i] != '.' &&
            text[i] != '-' && text[i] != ':' &&
            !(text[i] >= '0' && text[i] <= '9'))
            return false;
    return is_plain_name(text,
                         colon != NULL ? (size_t)(colon - text) : host.size);
}

/* The same for the target. */
static bool is_plain_target(weir_bytes target)
{
    const unsigned char *text = target.data;

    if (target.size == 0 || text[0] != '/')
        return false;
    for (size_t i = 1; i < target.size; i++) {
        if (text[i] <= ' ' || text[i] >= 0x7F ||
            strchr("\"#<>\\^`{|}'", text[i]) != NULL)
            return false;
        if (text[i] == '.' && text[i - 1] == '/')
            return false; /* perhaps "/../" */
        if (text[i] == '%' && i + 1 < target.size && text[i + 1] == '2')
            return false; /* perhaps "/%2e%2e/" */
    }
    return true;
}

/* Without a port that is the scheme's own. */
static weir_bytes trim_port(weir_bytes host, bool is_tls)
{
    weir_bytes port = is_tls ? (weir_bytes)WEIR_BYTES_OF(":443")
                             : (weir_bytes)WEIR_BYTES_OF(":80");

    if (host.size > port.size &&
        memcmp((const char *)host.data + host.size - port.size, port.data,
               port.size) == 0)
        host.size -= port.size;
    return host;
}

static JSValue join(JSContext *context, weir_bytes scheme, weir_bytes host,
                    weir_bytes target)
{
    size_t size = scheme.size + host.size + target.size;
    char few[512], *text = few;
    JSValue url;

    if (size > sizeof(few))
        text = js_malloc(context, size);
    if (text == NULL)
        return JS_EXCEPTION;
    memcpy(text, scheme.data, scheme.size);
    memcpy(text + scheme.size, host.data, host.size);
    memcpy(text + scheme.size + host.size, target.data, target.size);
    url = weir__js_byte_string(context, (weir_bytes){text, size}, false);
    if (text != few)
        js_free(context, text);
    return url;
}

static JSValue make_url(JSContext *context,
                        const struct weir__js_exchange *exchange)
{
    weir_bytes scheme = exchange->is_tls ? (weir_bytes)WEIR_BYTES_OF("https://")
                                         : (weir_bytes)WEIR_BYTES_OF("http://");
    weir_bytes host = weir_http_field_of(exchange->http, "host");
    weir_bytes target = weir_http_target(exchange->http);
    JSValue *hooks = weir__js_of(context)->states[WEIR__JS_REQUEST];
    JSValue base, rest, url;

    if (host.data == NULL || host.size == 0)
        host = no_host;
    if (is_plain_host(host) && is_plain_target(target))
        return join(context, scheme, trim_port(host, exchange->is_tls), target);
    base = join(context, scheme, host, (weir_bytes){"", 0});
    rest = weir__js_byte_string(context, target, false);
    if (JS_IsException(base) || JS_IsException(rest)) {
        url = JS_EXCEPTION;
    } else {
        JSValueConst args[] = {base, rest};

        url = JS_Call(context, hooks[HOOK_URL], JS_UNDEFINED, 2, args);
    }
    JS_FreeValue(context, base);
    JS_FreeValue(context, rest);
    return url;
}

/* ---- properties ---- */

enum { METHOD, URL, HEADERS, SIGNAL };

static JSValue make_signal(JSContext *context, JSValueConst self)
{
    JSValue *hooks = weir__js_of(context)->states[WEIR__JS_REQUEST];

    return JS_Call(context, hooks[HOOK_SIGNAL], JS_UNDEFINED, 1, &self);
}

static JSValue make_property(JSContext *context, JSValueConst self,
                             struct weir__js_request *request, int which)
{
    struct weir__js_exchange *exchange = request->exchange;

    switch (which) {
    case METHOD:
        return weir__js_byte_string(context, weir_http_method(exchange->http),
                                    false);
    case URL:
        return make_url(context, exchange);
    case HEADERS:
        return weir__js_headers_new(context, NULL, exchange,
                                    WEIR__JS_GUARD_IMMUTABLE);
    default:
        return make_signal(context, self);
    }
}

static JSValue get(JSContext *context, JSValueConst this_value, int magic)
{
    struct weir__js_request *request = weir__js_request_of(context, this_value);
    JSValue *values[] = {[METHOD] = request != NULL ? &request->method : NULL,
                         [URL] = request != NULL ? &request->url : NULL,
                         [HEADERS] = request != NULL ? &request->headers : NULL,
                         [SIGNAL] = request != NULL ? &request->signal : NULL};
    JSValue made;

    if (request == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    if (JS_IsUndefined(*values[magic])) {
        made = make_property(context, this_value, request, magic);
        if (JS_IsException(made))
            return made;
        JS_FreeValue(context, *values[magic]);
        *values[magic] = made;
    }
    return JS_DupValue(context, *values[magic]);
}

static const JSCFunctionListEntry members[] = {
    JS_CGETSET_MAGIC_DEF("method", get, NULL, METHOD),
    JS_CGETSET_MAGIC_DEF("url", get, NULL, URL),
    JS_CGETSET_MAGIC_DEF("headers", get, NULL, HEADERS),
    JS_CGETSET_MAGIC_DEF("signal", get, NULL, SIGNAL),
};

/* ---- for the library ---- */

/* fillRequest(prototype, method, url, headers, signal, extra) -> Request */
static JSValue make(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    JSValue self = fill_object(
        context, JS_NewObjectProtoClass(context, argv[0],
                                        js->classes[WEIR__JS_REQUEST]));
    struct weir__js_request *request;

    if (JS_IsException(self))
        return self;
    request = weir__js_request_of(context, self);
    request->method = JS_DupValue(context, argv[1]);
    request->url = JS_DupValue(context, argv[2]);
    request->headers = JS_DupValue(context, argv[3]);
    request->signal = JS_DupValue(context, argv[4]);
    request->extra = JS_DupValue(context, argv[5]);
    return self;
}

/* extraOf(request): the object, or undefined for one of a server */
static JSValue extra_of(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_request *request = weir__js_request_of(context, argv[0]);

    if (request == NULL)
        return JS_ThrowTypeError(context, "Illegal invocation");
    return JS_DupValue(context, request->extra);
}

/* adoptRequest(prototype): add the members that are in C to the prototype of the
 * library's class */
static JSValue adopt(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);

    if (WEIR__JS_SET_FUNCTIONS(context, argv[0], members) < 0 ||
        weir__js_body_add(context, argv[0]) < 0)
        return JS_EXCEPTION;
    JS_SetClassProto(context, js->classes[WEIR__JS_REQUEST],
                     JS_DupValue(context, argv[0]));
    return JS_UNDEFINED;
}

/* isRequest(value) */
static JSValue is_request(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_request_of(context, argv[0]) != NULL);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("makeRequest", 6, make),
    JS_CFUNC_DEF("extraOf", 1, extra_of),
    JS_CFUNC_DEF("adoptRequest", 1, adopt),
    JS_CFUNC_DEF("isRequest", 1, is_request),
};

const struct weir__js_builtin weir__js_request_builtin = {
    WEIR__JS_LIBS("http/classes"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &request_class,
    .state_bytes = HOOKS * sizeof(JSValue),
    .hook_count = HOOKS,
};

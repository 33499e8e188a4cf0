/* SPDX-License-Identifier: MIT */
/*
 * url -- the class URL.
 *
 * js/lib/url/url.js adds what is not hot, and converts domains that need IDNA.
 * The object has a record, and its URLSearchParams once a program has asked for
 * it.
 *
 * Tested by  test/js/url/url-class.js, test/js/url/url-object.js,
 *            test/js/url/url-random.js, test/js/url/url-setters.js
 */
#include <stdint.h>
#include <string.h>

#include "core/builtin.h"
#include "core/property.h"
#include "url/arguments.h"
#include "url/component.h"
#include "url/result.h"

struct url {
    JSValue params; /* undefined: not made */
    struct weir__js_record record;
    char text[];
};

/* Functions of js/lib/url/url.js. */
enum hook {
    MISSING,     /* (): throws */
    INVALID,     /* (input, base): throws */
    TO_ASCII,    /* (domain): the domain in ASCII, or null */
    MAKE_PARAMS, /* (url, query): a new URLSearchParams */
    REFILL,      /* (params, query) */
    HOOK_COUNT,
};

struct state {
    JSValue hooks[HOOK_COUNT];
    JSValue constructor;
};

/* ---- the struct ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct url *url = weir__js_opaque(js, value, WEIR__JS_URL);

    if (url == NULL)
        return;
    JS_FreeValueRT(runtime, url->params);
    js_free_rt(runtime, url);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct url *url = weir__js_opaque(js, value, WEIR__JS_URL);

    if (url != NULL)
        JS_MarkValue(runtime, url->params, fn);
}

static const JSClassDef url_class = {
    .class_name = "URL", .finalizer = finalize, .gc_mark = mark};

static struct state *state_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_URL];
}

static struct url *check(JSContext *context, JSValueConst value)
{
    struct url *url =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_URL);

    if (url == NULL)
        JS_ThrowTypeError(context, "Receiver must be an instance of class URL");
    return url;
}

static struct url *new_url(JSContext *context,
                           const struct weir__js_record *record)
{
    struct url *url = js_malloc(context, sizeof(*url) + record->length);

    if (url == NULL)
        return NULL;
    url->params = JS_UNDEFINED;
    url->record = *record;
    url->record.text = memcpy(url->text, record->text, record->length);
    return url;
}

/* ---- parsing ---- */

static void begin(JSContext *context, struct weir__js_result *result)
{
    weir__js_result_begin(result, context, state_of(context)->hooks[TO_ASCII]);
}

/* Parse the base, if there is one, and the input. */
static enum weir__js_url_status
parse_both(JSContext *context, struct weir__js_result *result,
           const struct weir__js_url_arguments *arguments)
{
    struct weir__js_result base;
    enum weir__js_url_status status;

    if (arguments->count == 1)
        return weir__js_result_parse(result, arguments->texts[0], NULL);
    begin(context, &base);
    status = weir__js_result_parse(&base, arguments->texts[1], NULL);
    if (status == WEIR__JS_URL_OK)
        status =
            weir__js_result_parse(result, arguments->texts[0], &base.record);
    weir__js_result_end(&base);
    return status;
}

/* Parse the arguments of JavaScript.  If they are not a URL, throw ERR_INVALID_URL
 * if `must_be_valid`. */
static enum weir__js_url_status parse_arguments(JSContext *context,
                                                struct weir__js_result *result,
                                                int argc, JSValueConst *argv,
                                                bool must_be_valid)
{
    struct weir__js_url_arguments arguments;
    enum weir__js_url_status status = WEIR__JS_URL_THROWN;

    if (argc == 0) {
        JS_Call(context, state_of(context)->hooks[MISSING], JS_UNDEFINED, 0,
                NULL);
        return status;
    }
    if (weir__js_url_arguments_read(context, &arguments, argc, argv) == 0)
        status = parse_both(context, result, &arguments);
    if (status == WEIR__JS_URL_INVALID && must_be_valid) {
        JS_Call(context, state_of(context)->hooks[INVALID], JS_UNDEFINED,
                arguments.count, (JSValueConst *)arguments.values);
        status = WEIR__JS_URL_THROWN;
    }
    weir__js_url_arguments_free(context, &arguments);
    return status;
}

/* Take the object, which has no struct yet, and return it with one. */
static JSValue fill_object(JSContext *context, JSValue self,
                           const struct weir__js_record *record)
{
    struct url *url;

    if (JS_IsException(self))
        return self;
    url = new_url(context, record);
    if (url == NULL) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    JS_SetOpaque(self, url);
    return self;
}

/* ---- the constructor ---- */

static bool is_same(JSValueConst a, JSValueConst b)
{
    return JS_IsObject(a) && JS_IsObject(b) &&
           JS_VALUE_GET_PTR(a) == JS_VALUE_GET_PTR(b);
}

/* An object for `new URL`, or for a class that extends it. */
static JSValue new_object(JSContext *context, JSValueConst new_target)
{
    JSClassID id = weir__js_of(context)->classes[WEIR__JS_URL];
    JSValue proto, self;

    if (is_same(new_target, state_of(context)->constructor))
        return JS_NewObjectClass(context, id);
    proto = JS_GetPropertyStr(context, new_target, "prototype");
    if (JS_IsException(proto))
        return proto;
    self = JS_IsObject(proto) ? JS_NewObjectProtoClass(context, proto, id)
                              : JS_NewObjectClass(context, id);
    JS_FreeValue(context, proto);
    return self;
}

static JSValue construct(JSContext *context, JSValueConst new_target, int argc,
                         JSValueConst *argv)
{
    struct weir__js_result result;
    JSValue self = JS_EXCEPTION;
    enum weir__js_url_status status;

    if (JS_IsUndefined(new_target))
        return JS_ThrowTypeError(
            context, "Class constructor URL cannot be invoked without 'new'");
    begin(context, &result);
    status = parse_arguments(context, &result, argc, argv, true);
    if (status == WEIR__JS_URL_OK)
        self = fill_object(context, new_object(context, new_target),
                           &result.record);
    weir__js_result_end(&result);
    return self;
}

/* URL.parse(input, base) */
static JSValue parse_url(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    JSClassID id = weir__js_of(context)->classes[WEIR__JS_URL];
    struct weir__js_result result;
    JSValue self = JS_EXCEPTION;
    enum weir__js_url_status status;

    begin(context, &result);
    status = parse_arguments(context, &result, argc, argv, false);
    if (status == WEIR__JS_URL_INVALID)
        self = JS_NULL;
    else if (status == WEIR__JS_URL_OK)
        self = fill_object(context, JS_NewObjectClass(context, id),
                           &result.record);
    weir__js_result_end(&result);
    return self;
}

/* URL.canParse(input, base) */
static JSValue can_parse(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_result result;
    enum weir__js_url_status status;

    begin(context, &result);
    status = parse_arguments(context, &result, argc, argv, false);
    weir__js_result_end(&result);
    return status == WEIR__JS_URL_THROWN
               ? JS_EXCEPTION
               : JS_NewBool(context, status == WEIR__JS_URL_OK);
}

/* ---- components ---- */

static JSValue get(JSContext *context, JSValueConst this_value, int magic)
{
    struct url *url = check(context, this_value);

    return url == NULL ? JS_EXCEPTION
                       : weir__js_component(context, &url->record,
                                            (enum weir__js_change)magic);
}

static JSValue get_href(JSContext *context, JSValueConst this_value)
{
    struct url *url = check(context, this_value);

    return url == NULL
               ? JS_EXCEPTION
               : JS_NewStringLen(context, url->text, url->record.length);
}

/* toString() and toJSON() */
static JSValue to_string(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    return get_href(context, this_value);
}

/* The origin of a "blob:" is that of the URL which is its path, if it is of HTTP. */
static JSValue get_blob_origin(JSContext *context, JSValueConst path)
{
    struct weir__js_piece text = weir__js_url_text(context, path);
    struct weir__js_result result;
    JSValue origin = JS_EXCEPTION;
    enum weir__js_url_status status = WEIR__JS_URL_THROWN;

    begin(context, &result);
    if (text.start != NULL)
        status = weir__js_result_parse(&result, text, NULL);
    if (status == WEIR__JS_URL_OK &&
        (result.record.scheme == WEIR__JS_SCHEME_HTTP ||
         result.record.scheme == WEIR__JS_SCHEME_HTTPS))
        origin = weir__js_component_origin(context, &result.record);
    else if (status != WEIR__JS_URL_THROWN)
        origin = JS_NewString(context, "null");
    weir__js_result_end(&result);
    JS_FreeCString(context, text.start);
    return origin;
}

static JSValue get_origin(JSContext *context, JSValueConst this_value)
{
    struct url *url = check(context, this_value);
    JSValue path, origin;

    if (url == NULL)
        return JS_EXCEPTION;
    if (!weir__js_piece_is(weir__js_record_scheme(&url->record), "blob"))
        return weir__js_component_origin(context, &url->record);
    path = weir__js_component(context, &url->record, WEIR__JS_CHANGE_PATHNAME);
    origin =
        JS_IsException(path) ? JS_EXCEPTION : get_blob_origin(context, path);
    JS_FreeValue(context, path);
    return origin;
}

/* ---- searchParams ---- */

static JSValue get_params(JSContext *context, JSValueConst this_value)
{
    struct url *url = check(context, this_value);
    JSValue arguments[2], params;

    if (url == NULL)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(url->params))
        return JS_DupValue(context, url->params);
    arguments[0] = JS_DupValue(context, this_value);
    arguments[1] = weir__js_component_query(context, &url->record);
    params = JS_IsException(arguments[1])
                 ? JS_EXCEPTION
                 : JS_Call(context, state_of(context)->hooks[MAKE_PARAMS],
                           JS_UNDEFINED, 2, (JSValueConst *)arguments);
    JS_FreeValue(context, arguments[0]);
    JS_FreeValue(context, arguments[1]);
    if (JS_IsException(params))
        return params;
    url = check(context, this_value);
    JS_FreeValue(context, url->params); /* a program may have been called */
    url->params = JS_DupValue(context, params);
    return params;
}

/* Tell the URLSearchParams the new query. */
static JSValue refill(JSContext *context, const struct url *url)
{
    JSValue arguments[2], result;

    if (JS_IsUndefined(url->params))
        return JS_UNDEFINED;
    arguments[0] = JS_DupValue(context, url->params);
    arguments[1] = weir__js_component_query(context, &url->record);
    result = JS_IsException(arguments[1])
                 ? JS_EXCEPTION
                 : JS_Call(context, state_of(context)->hooks[REFILL],
                           JS_UNDEFINED, 2, (JSValueConst *)arguments);
    JS_FreeValue(context, arguments[0]);
    JS_FreeValue(context, arguments[1]);
    return result;
}

/* ---- setters ---- */

/* Give an object another URL; the URLSearchParams stays.  Returns NULL with an
 * exception. */
static struct url *replace(JSContext *context, JSValueConst self,
                           struct url *old,
                           const struct weir__js_record *record)
{
    struct url *url = new_url(context, record);

    if (url == NULL)
        return NULL;
    url->params = old->params;
    JS_SetOpaque(self, url);
    js_free(context, old);
    return url;
}

/* Programs may have replaced what IDNA calls, and change the URL there: what is
 * parsed is a copy. */
static enum weir__js_url_status change_copy(struct weir__js_result *result,
                                            const struct url *url,
                                            enum weir__js_change what,
                                            struct weir__js_piece value)
{
    struct url *copy = new_url(result->context, &url->record);
    enum weir__js_url_status status;

    if (copy == NULL)
        return WEIR__JS_URL_THROWN;
    status = weir__js_result_change(result, &copy->record, what, value);
    js_free(result->context, copy);
    return status;
}

/* Set a component of an object to a string. */
static enum weir__js_url_status change_url(JSContext *context,
                                           JSValueConst self,
                                           enum weir__js_change what,
                                           JSValueConst value)
{
    struct weir__js_piece text = weir__js_url_text(context, value);
    struct url *url = check(context, self);
    struct weir__js_result result;
    enum weir__js_url_status status = WEIR__JS_URL_THROWN;

    begin(context, &result);
    if (url != NULL && text.start != NULL)
        status = change_copy(&result, url, what, text);
    if (status == WEIR__JS_URL_OK &&
        replace(context, self, check(context, self), &result.record) == NULL)
        status = WEIR__JS_URL_THROWN;
    weir__js_result_end(&result);
    JS_FreeCString(context, text.start);
    return status;
}

static JSValue set(JSContext *context, JSValueConst this_value,
                   JSValueConst value, int magic)
{
    enum weir__js_change what = (enum weir__js_change)magic;

    if (check(context, this_value) == NULL ||
        change_url(context, this_value, what, value) == WEIR__JS_URL_THROWN)
        return JS_EXCEPTION;
    return what == WEIR__JS_CHANGE_SEARCH
               ? refill(context, check(context, this_value))
               : JS_UNDEFINED;
}

static JSValue set_href(JSContext *context, JSValueConst this_value,
                        JSValueConst value)
{
    struct url *url = check(context, this_value);
    struct weir__js_result result;
    enum weir__js_url_status status;

    if (url == NULL)
        return JS_EXCEPTION;
    begin(context, &result);
    status = parse_arguments(context, &result, 1, &value, true);
    url = status != WEIR__JS_URL_OK
              ? NULL
              : replace(context, this_value, check(context, this_value),
                        &result.record);
    weir__js_result_end(&result);
    return url == NULL ? JS_EXCEPTION : refill(context, url);
}

/* ---- for the library ---- */

/* setHooks(functions) */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir__js_values_read(context, state_of(context)->hooks, HOOK_COUNT,
                         argv[0]);
    return JS_UNDEFINED;
}

/* isURL(value) */
static JSValue is_url(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_opaque(weir__js_of(context), argv[0],
                                               WEIR__JS_URL) != NULL);
}

/* hasOpaquePath(url) */
static JSValue has_opaque_path(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct url *url = check(context, argv[0]);

    return url == NULL ? JS_EXCEPTION
                       : JS_NewBool(context, url->record.is_opaque);
}

/* setQuery(url, query), with one that URLSearchParams has written, and
 * setHostname(url, name).  Returns whether the value was valid. */
static JSValue set_natively(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv, int magic)
{
    enum weir__js_url_status status =
        change_url(context, argv[0], (enum weir__js_change)magic, argv[1]);

    return status == WEIR__JS_URL_THROWN
               ? JS_EXCEPTION
               : JS_NewBool(context, status == WEIR__JS_URL_OK);
}

#define COMPONENT(name, what) JS_CGETSET_MAGIC_DEF(name, get, set, what)

static const JSCFunctionListEntry members[] = {
    JS_CFUNC_DEF("toString", 0, to_string),
    JS_CGETSET_DEF("href", get_href, set_href),
    JS_CGETSET_DEF("origin", get_origin, NULL),
    COMPONENT("protocol", WEIR__JS_CHANGE_PROTOCOL),
    COMPONENT("username", WEIR__JS_CHANGE_USERNAME),
    COMPONENT("password", WEIR__JS_CHANGE_PASSWORD),
    COMPONENT("host", WEIR__JS_CHANGE_HOST),
    COMPONENT("hostname", WEIR__JS_CHANGE_HOSTNAME),
    COMPONENT("port", WEIR__JS_CHANGE_PORT),
    COMPONENT("pathname", WEIR__JS_CHANGE_PATHNAME),
    COMPONENT("search", WEIR__JS_CHANGE_SEARCH),
    JS_CGETSET_DEF("searchParams", get_params, NULL),
    COMPONENT("hash", WEIR__JS_CHANGE_HASH),
    JS_CFUNC_DEF("toJSON", 0, to_string),
};

static const JSCFunctionListEntry statics[] = {
    JS_CFUNC_DEF("parse", 1, parse_url),
    JS_CFUNC_DEF("canParse", 1, can_parse),
};

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("setHooks", 1, set_hooks),
    JS_CFUNC_DEF("isURL", 1, is_url),
    JS_CFUNC_DEF("hasOpaquePath", 1, has_opaque_path),
    JS_CFUNC_MAGIC_DEF("setQuery", 2, set_natively, WEIR__JS_CHANGE_SEARCH),
    JS_CFUNC_MAGIC_DEF("setHostname", 2, set_natively,
                       WEIR__JS_CHANGE_HOSTNAME),
};

/* The constructor is the first property of the prototype, as in Node. */
static int add_class(JSContext *context, JSValueConst native)
{
    struct state *state = state_of(context);
    JSValue proto = JS_NewObject(context);
    JSValue constructor = JS_NewCFunction2(context, construct, "URL", 1,
                                           JS_CFUNC_constructor_or_func, 0);

    if (JS_IsException(proto) || JS_IsException(constructor))
        goto fail;
    JS_SetConstructor(context, constructor, proto);
    if (WEIR__JS_SET_FUNCTIONS(context, constructor, statics) < 0 ||
        WEIR__JS_SET_FUNCTIONS(context, proto, members) < 0)
        goto fail;
    JS_SetClassProto(context, weir__js_of(context)->classes[WEIR__JS_URL],
                     proto);
    /* The module is loaded again if it failed before. */
    JS_FreeValue(context, state->constructor);
    state->constructor = JS_DupValue(context, constructor);
    return weir__js_set_property(context, native, "URL", constructor);
fail:
    JS_FreeValue(context, proto);
    JS_FreeValue(context, constructor);
    return -1;
}

static int init(weir_js *js)
{
    struct state *state = js->states[WEIR__JS_URL];

    weir__js_values_init(state->hooks, HOOK_COUNT);
    state->constructor = JS_UNDEFINED;
    return 0;
}

static void drop(weir_js *js)
{
    struct state *state = js->states[WEIR__JS_URL];

    weir__js_values_drop(js->context, state->hooks, HOOK_COUNT);
    JS_FreeValue(js->context, state->constructor);
    state->constructor = JS_UNDEFINED;
}

const struct weir__js_builtin weir__js_url_builtin = {
    WEIR__JS_LIBS("url/url"),
    WEIR__JS_NATIVES(natives),
    .add = add_class,
    .class_definition = &url_class,
    .state_bytes = sizeof(struct state),
    .init = init,
    .drop = drop,
};

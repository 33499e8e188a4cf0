/* SPDX-License-Identifier: MIT */
/*
 * reply -- see reply.h.
 *
 * Tested by  test/js/http/node-http-*.js
 */
#include "nodehttp/reply.h"

#include <string.h>

static const char *const names[] = {
#define X(NAME, text) text,
    WEIR__REPLY_PROPERTIES(X)
#undef X
};

/* What js/lib/nodehttp/response.js provides, in this order. */
enum {
    GIVEN_SYMBOLS,
    GIVEN_FUNCTIONS = GIVEN_SYMBOLS + WEIR__REPLY_ATOMS - WEIR__REPLY_EXCHANGE,
    GIVEN_STATUS_CODES = GIVEN_FUNCTIONS + WEIR__REPLY_FUNCTIONS,
    GIVEN_CHANNEL,
    GIVEN
};

/* ---- properties ---- */

void weir__reply_forget(JSContext *context, JSValue value)
{
    if (JS_IsException(value))
        value = JS_GetException(context);
    JS_FreeValue(context, value);
}

bool weir__reply_is_flag(JSContext *context, JSValueConst self,
                         enum weir__reply_property property, bool wanted)
{
    JSValue value = weir__reply_get(context, self, property);
    bool is_wanted =
        JS_IsBool(value) && (JS_VALUE_GET_BOOL(value) != 0) == wanted;

    weir__reply_forget(context, value);
    return is_wanted;
}

bool weir__reply_read_flag(JSContext *context, JSValueConst self,
                           enum weir__reply_property property, bool *flag)
{
    JSValue value = weir__reply_get(context, self, property);
    bool is_bool = JS_IsBool(value);

    *flag = is_bool && JS_VALUE_GET_BOOL(value) != 0;
    weir__reply_forget(context, value);
    return is_bool;
}

bool weir__reply_is_absent(JSContext *context, JSValueConst self,
                           enum weir__reply_property property)
{
    JSValue value = weir__reply_get(context, self, property);
    bool result = JS_IsUndefined(value) || JS_IsNull(value);

    weir__reply_forget(context, value);
    return result;
}

bool weir__reply_read_number(JSContext *context, JSValueConst self,
                             enum weir__reply_property property,
                             int32_t *number)
{
    JSValue value = weir__reply_get(context, self, property);
    bool is_number = JS_VALUE_GET_TAG(value) == JS_TAG_INT;

    *number = is_number ? JS_VALUE_GET_INT(value) : 0;
    weir__reply_forget(context, value);
    return is_number && *number >= 0;
}

struct weir__node_exchange *
weir__reply_exchange(JSContext *context, JSValueConst self, JSValue *held)
{
    *held = JS_IsObject(self)
                ? weir__reply_get(context, self, WEIR__REPLY_EXCHANGE)
                : JS_UNDEFINED;
    if (JS_IsException(*held)) {
        weir__reply_forget(context, *held);
        *held = JS_UNDEFINED;
    }
    return weir__js_opaque(weir__js_of(context), *held, WEIR__JS_NODE_EXCHANGE);
}

/* ---- the end ---- */

/* Make the head of a response that has none: its body is this text.  Returns 0,
 * or -1 with an exception. */
static int imply_head(JSContext *context, JSValueConst self, JSValueConst body)
{
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, body);
    JSValue result;

    if (text == NULL)
        return -1;
    JS_FreeCString(context, text);
    if (weir__reply_set(context, self, WEIR__REPLY_LENGTH,
                        JS_NewInt64(context, (int64_t)size)) < 0)
        return -1;
    result = JS_Invoke(
        context, self,
        weir__reply_of(context)->atoms[WEIR__REPLY_IMPLICIT_HEADER], 0, NULL);
    JS_FreeValue(context, result);
    return JS_IsException(result) ? -1 : 0;
}

static bool is_open(JSContext *context, JSValueConst self)
{
    return weir__reply_is_flag(context, self, WEIR__REPLY_HEADER_SENT, false) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_FINISHED, false) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_DESTROYED, false) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_STRICT, false);
}

/* Tell the library what only it can do. */
static int after_end(JSContext *context, JSValueConst self, bool has_body)
{
    JSValue result = JS_UNDEFINED, req;

    if (has_body) {
        req = weir__reply_get(context, self, WEIR__REPLY_REQ);
        if (JS_IsException(req))
            return -1;
        result = weir__reply_call(context, WEIR__REPLY_FN_LEAVE_BODY,
                                  JS_UNDEFINED, 1, (JSValueConst *)&req);
        JS_FreeValue(context, req);
        JS_FreeValue(context, result);
    }
    if (!JS_IsException(result) &&
        !weir__reply_is_absent(context, self, WEIR__REPLY_EVENTS)) {
        result = JS_Invoke(context, self,
                           weir__reply_of(context)->atoms[WEIR__REPLY_FINISH],
                           0, NULL);
        JS_FreeValue(context, result);
    }
    return JS_IsException(result) ? -1 : 0;
}

static JSValue send_all(JSContext *context, JSValueConst self,
                        struct weir__node_exchange *exchange, JSValueConst head,
                        JSValueConst body)
{
    bool has_body = weir_http_body_size(exchange->http) != 0;
    bool is_last = !weir__reply_is_flag(context, self, WEIR__REPLY_LAST, false);

    if (weir__reply_set(context, self, WEIR__REPLY_HEADER_SENT, JS_TRUE) < 0 ||
        weir__reply_set(context, self, WEIR__REPLY_FINISHED, JS_TRUE) < 0 ||
        weir__node_send_end(context, exchange, head, body, is_last) < 0 ||
        after_end(context, self, has_body) < 0)
        return JS_EXCEPTION;
    return JS_DupValue(context, self);
}

/* Whether these are the arguments of end(text) or end(text, 'utf8'). */
static bool is_text_only(JSContext *context, int argc, JSValueConst *argv)
{
    const char *encoding;
    bool is_utf8;

    if (argc < 1 || argc > 2 || !JS_IsString(argv[0]))
        return false;
    if (argc == 1 || JS_IsUndefined(argv[1]))
        return true;
    if (!JS_IsString(argv[1]))
        return false;
    encoding = JS_ToCString(context, argv[1]);
    if (encoding == NULL) {
        weir__reply_forget(context, JS_EXCEPTION);
        return false;
    }
    is_utf8 = strcmp(encoding, "utf8") == 0;
    JS_FreeCString(context, encoding);
    return is_utf8;
}

/* Send a text and end, or let the library do it. */
static JSValue end_with(JSContext *context, JSValueConst self,
                        struct weir__node_exchange *exchange, int argc,
                        JSValueConst *argv)
{
    JSValue head, result;

    if (weir__reply_is_absent(context, self, WEIR__REPLY_HEADER) &&
        imply_head(context, self, argv[0]) < 0)
        return JS_EXCEPTION;
    head = weir__reply_get(context, self, WEIR__REPLY_HEADER);
    if (JS_IsString(head) &&
        weir__reply_is_flag(context, self, WEIR__REPLY_CHUNKED, false) &&
        weir__reply_is_flag(context, self, WEIR__REPLY_HAS_BODY, true) &&
        weir__reply_is_flag(context, self, WEIR__REPLY_HEADER_SENT, false))
        result = send_all(context, self, exchange, head, argv[0]);
    else
        result =
            weir__reply_call(context, WEIR__REPLY_FN_END, self, argc, argv);
    weir__reply_forget(context, head);
    return result;
}

/* end(text, encoding, callback) */
static JSValue end(JSContext *context, JSValueConst self, int argc,
                   JSValueConst *argv)
{
    JSValue held, result;
    struct weir__node_exchange *exchange =
        weir__reply_exchange(context, self, &held);

    if (exchange == NULL || !is_text_only(context, argc, argv) ||
        !is_open(context, self))
        result =
            weir__reply_call(context, WEIR__REPLY_FN_END, self, argc, argv);
    else
        result = end_with(context, self, exchange, argc, argv);
    JS_FreeValue(context, held);
    return result;
}

#ifdef JS_HAS_SOLE_REFERENCE

/* Whether nothing else refers to an object, and nothing listens to it. */
static bool is_alone(JSContext *context, JSValueConst object)
{
    return JS_IsSoleReference(object) &&
           weir__reply_is_absent(context, object, WEIR__REPLY_EVENTS);
}

/* The request of a response, which the response holds; otherwise undefined. */
static JSValueConst request_of(JSContext *context, JSValueConst response)
{
    JSAtom name = weir__reply_of(context)->atoms[WEIR__REPLY_REQ];
    JSPropertyDescriptor found;
    JSValueConst request = JS_UNDEFINED;

    if (JS_GetOwnProperty(context, &found, response, name) != 1)
        return JS_UNDEFINED;
    if (!(found.flags & JS_PROP_GETSET))
        request = found.value;
    JS_FreeValue(context, found.value);
    JS_FreeValue(context, found.getter);
    JS_FreeValue(context, found.setter);
    return request;
}

bool weir__node_is_unseen(JSContext *context, JSValueConst response)
{
    JSValueConst request;

    if (!is_alone(context, response) ||
        !weir__reply_is_flag(context, weir__reply_of(context)->channel,
                             WEIR__REPLY_IS_ACTIVE, false))
        return false;
    request = request_of(context, response);
    return JS_IsObject(request) && is_alone(context, request);
}

#else

bool weir__node_is_unseen(JSContext *context, JSValueConst response)
{
    return false;
}

#endif

/* ---- what the library provides ---- */

static void drop_reply(weir_js *js)
{
    struct weir__reply *reply = js->states[WEIR__JS_NODE_REPLY];

    for (int i = 0; i < WEIR__REPLY_ATOMS; i++) {
        JS_FreeAtom(js->context, reply->atoms[i]);
        reply->atoms[i] = JS_ATOM_NULL;
    }
    for (int i = 0; i < WEIR__REPLY_FUNCTIONS; i++) {
        JS_FreeValue(js->context, reply->functions[i]);
        reply->functions[i] = JS_UNDEFINED;
    }
    JS_FreeValue(js->context, reply->status_codes);
    JS_FreeValue(js->context, reply->channel);
    reply->status_codes = reply->channel = JS_UNDEFINED;
}

static int init_reply(weir_js *js)
{
    struct weir__reply *reply = js->states[WEIR__JS_NODE_REPLY];

    for (int i = 0; i < WEIR__REPLY_FUNCTIONS; i++)
        reply->functions[i] = JS_UNDEFINED;
    reply->status_codes = reply->channel = JS_UNDEFINED;
    return 0;
}

/* setReply(kExchange, kHeaders, kIsActive, writeHead, end, leaveBody, dateLine,
 * STATUS_CODES, channel).  It comes again if the file that calls it failed, and
 * is loaded again. */
static JSValue set_reply(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__reply *reply = weir__reply_of(context);

    drop_reply(js);
    for (int i = 0; i < WEIR__REPLY_EXCHANGE; i++)
        reply->atoms[i] = JS_NewAtom(context, names[i]);
    for (int i = WEIR__REPLY_EXCHANGE; i < WEIR__REPLY_ATOMS; i++)
        reply->atoms[i] =
            JS_ValueToAtom(context, argv[i - WEIR__REPLY_EXCHANGE]);
    for (int i = 0; i < WEIR__REPLY_ATOMS; i++)
        if (reply->atoms[i] == JS_ATOM_NULL)
            return JS_EXCEPTION;
    for (int i = 0; i < WEIR__REPLY_FUNCTIONS; i++)
        reply->functions[i] = JS_DupValue(context, argv[GIVEN_FUNCTIONS + i]);
    reply->status_codes = JS_DupValue(context, argv[GIVEN_STATUS_CODES]);
    reply->channel = JS_DupValue(context, argv[GIVEN_CHANNEL]);
    reply->plain = JS_GetClassID(reply->status_codes);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("writeHead", 3, weir__reply_write_head),
    JS_CFUNC_DEF("end", 3, end),
    JS_CFUNC_DEF("setReply", GIVEN, set_reply),
};

const struct weir__js_builtin weir__js_node_reply_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct weir__reply),
    .init = init_reply,
    .drop = drop_reply,
};

/* SPDX-License-Identifier: MIT */
/*
 * reply -- ServerResponse.prototype.writeHead and end, where they are hot.
 *
 * Most responses have a few fields whose values are texts or numbers, and a body
 * that is one text.  For these, the functions here do what the ones of
 * js/lib/nodehttp/response.js do, with a tenth of the instructions.  For all
 * others they call those, before they have changed anything.
 *
 * The properties of a response are those of Node, and programs change them.  So
 * each one that counts is read from the object.
 *
 * Tested by  test/js/http/node-http-*.js
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/builtin.h"
#include "nodehttp/nodehttp.h"
#include "weir/host/virtual.h"

#define PROPERTIES(X)                                                          \
    X(HEADER, "_header")                                                       \
    X(HEADER_SENT, "_headerSent")                                              \
    X(FINISHED, "finished")                                                    \
    X(DESTROYED, "destroyed")                                                  \
    X(STRICT, "strictContentLength")                                           \
    X(LENGTH, "_contentLength")                                                \
    X(CHUNKED, "chunkedEncoding")                                              \
    X(HAS_BODY, "_hasBody")                                                    \
    X(LAST, "_last")                                                           \
    X(MAX_REACHED, "maxRequestsOnConnectionReached")                           \
    X(MAX_REQUESTS, "_maxRequestsPerSocket")                                   \
    X(STATUS, "statusCode")                                                    \
    X(MESSAGE, "statusMessage")                                                \
    X(EXPECT, "_expect_continue")                                              \
    X(KEEPS_ALIVE, "shouldKeepAlive")                                          \
    X(KEEP_ALIVE_TIME, "_keepAliveTimeout")                                    \
    X(DEFAULT_KEEP_ALIVE, "_defaultKeepAlive")                                 \
    X(SEND_DATE, "sendDate")                                                   \
    X(REMOVED_CONNECTION, "_removedConnection")                                \
    X(REMOVED_LENGTH, "_removedContLen")                                       \
    X(REMOVED_CODING, "_removedTE")                                            \
    X(CHUNKS_BY_DEFAULT, "useChunkedEncodingByDefault")                        \
    X(EVENTS, "_events")                                                       \
    X(IMPLICIT_HEADER, "_implicitHeader")                                      \
    X(FINISH, "_finish")                                                       \
    X(REQ, "req")

enum {
#define X(NAME, text) NAME,
    PROPERTIES(X)
#undef X
    /* Symbols of js/lib. */
    EXCHANGE,
    HEADERS,
    IS_ACTIVE,
    ATOMS
};

static const char *const names[] = {
#define X(NAME, text) text,
    PROPERTIES(X)
#undef X
};

/* What js/lib/nodehttp/response.js provides, in this order. */
enum {
    GIVEN_FUNCTIONS = ATOMS - EXCHANGE, /* behind the symbols */
    FN_WRITE_HEAD = 0,                  /* the functions for all responses */
    FN_END,
    FN_LEAVE_BODY, /* (request) */
    FN_DATE_LINE,  /* () -> "Date: ...\r\n" */
    FUNCTIONS,
    GIVEN_STATUS_CODES = GIVEN_FUNCTIONS + FUNCTIONS,
    GIVEN_CHANNEL, /* on which the end of responses is published */
    GIVEN
};

enum { TEXT = 2048 }; /* bytes of a head; longer ones are made by the library */

struct reply {
    JSAtom atoms[ATOMS]; /* 0: not yet */
    JSValue functions[FUNCTIONS];
    JSValue status_codes, channel;
    JSClassID plain; /* of a plain object */
    int64_t second;  /* of the date */
    size_t date_size;
    char date[64];
};

static struct reply *reply_of(JSContext *context)
{
    return weir__js_of(context)->states[WEIR__JS_NODE_REPLY];
}

static JSValue call(JSContext *context, int function, JSValueConst self,
                    int argc, JSValueConst *argv)
{
    return JS_Call(context, reply_of(context)->functions[function], self, argc,
                   argv);
}

/* ---- properties ---- */

static JSValue get(JSContext *context, JSValueConst self, int property)
{
    return JS_GetProperty(context, self, reply_of(context)->atoms[property]);
}

static int set(JSContext *context, JSValueConst self, int property,
               JSValue value)
{
    return JS_SetProperty(context, self, reply_of(context)->atoms[property],
                          value) < 0
               ? -1
               : 0;
}

/* Drop an exception: the library meets it again. */
static void forget(JSContext *context, JSValue value)
{
    if (JS_IsException(value))
        value = JS_GetException(context);
    JS_FreeValue(context, value);
}

/* Whether a property has this boolean value. */
static bool is_flag(JSContext *context, JSValueConst self, int property,
                    bool wanted)
{
    JSValue value = get(context, self, property);
    bool is_wanted =
        JS_IsBool(value) && (JS_VALUE_GET_BOOL(value) != 0) == wanted;

    forget(context, value);
    return is_wanted;
}

/* Whether a property is a boolean, and which. */
static bool read_flag(JSContext *context, JSValueConst self, int property,
                      bool *flag)
{
    JSValue value = get(context, self, property);
    bool is_bool = JS_IsBool(value);

    *flag = is_bool && JS_VALUE_GET_BOOL(value) != 0;
    forget(context, value);
    return is_bool;
}

static bool is_absent(JSContext *context, JSValueConst self, int property)
{
    JSValue value = get(context, self, property);
    bool result = JS_IsUndefined(value) || JS_IsNull(value);

    forget(context, value);
    return result;
}

/* Whether a property is a small number that is not negative. */
static bool read_number(JSContext *context, JSValueConst self, int property,
                        int32_t *number)
{
    JSValue value = get(context, self, property);
    bool is_number = JS_VALUE_GET_TAG(value) == JS_TAG_INT;

    *number = is_number ? JS_VALUE_GET_INT(value) : 0;
    forget(context, value);
    return is_number && *number >= 0;
}

/* ---- heads ---- */

struct head {
    int32_t status;
    JSValue message; /* that of the status */
    int64_t length;  /* of a Content-Length among the fields; -1: none */
    bool has_length, has_date;
    bool is_last, is_chunked;
    size_t size;
    char text[TEXT];
};

static bool put(struct head *head, const char *data, size_t size)
{
    if (size > sizeof(head->text) - head->size)
        return false;
    memcpy(head->text + head->size, data, size);
    head->size += size;
    return true;
}

#define PUT(head, literal) put(head, literal, sizeof(literal) - 1)

static bool put_number(struct head *head, uint64_t number)
{
    char digits[20], *at = digits + sizeof(digits);

    do
        *--at = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    return put(head, at, (size_t)(digits + sizeof(digits) - at));
}

/* Put a string, if it passes a test. */
static bool put_text(JSContext *context, struct head *head, JSValueConst value,
                     bool (*test)(const char *text, size_t size))
{
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, value);
    bool is_put;

    if (text == NULL) {
        forget(context, JS_EXCEPTION);
        return false;
    }
    is_put = test(text, size) && put(head, text, size);
    JS_FreeCString(context, text);
    return is_put;
}

static bool is_name(const char *name, size_t size, const char *wanted)
{
    for (size_t i = 0; i < size; i++)
        if ((name[i] | 0x20) != wanted[i])
            return false;
    return true;
}

/* What a field says about the message.  False: the library decides. */
static bool note(struct head *head, size_t name_at, size_t name_size,
                 size_t value_at)
{
    const char *name = head->text + name_at, *value = head->text + value_at;
    size_t value_size = head->size - value_at;

    switch (name_size) {
    case 4:
        if (is_name(name, 4, "date"))
            head->has_date = true;
        return true;
    case 6:
        return !is_name(name, 6, "expect");
    case 7:
        return !is_name(name, 7, "trailer");
    case 10:
        return !is_name(name, 10, "connection") &&
               !is_name(name, 10, "keep-alive");
    case 17:
        return !is_name(name, 17, "transfer-encoding");
    case 14:
        break;
    default:
        return true;
    }
    if (!is_name(name, 14, "content-length"))
        return true;
    if (head->has_length || value_size == 0 || value_size > 15)
        return false;
    head->has_length = true;
    head->length = 0;
    for (size_t i = 0; i < value_size; i++) {
        if (value[i] < '0' || value[i] > '9')
            return false;
        head->length = 10 * head->length + (value[i] - '0');
    }
    return true;
}

static bool put_value(JSContext *context, struct head *head, JSValueConst value)
{
    if (JS_IsString(value))
        return put_text(context, head, value, weir__node_is_value);
    if (JS_VALUE_GET_TAG(value) != JS_TAG_INT || JS_VALUE_GET_INT(value) < 0)
        return false;
    return put_number(head, (uint64_t)JS_VALUE_GET_INT(value));
}

/* Put a field whose name is already there. */
static bool finish_field(JSContext *context, struct head *head, size_t name_at,
                         JSValueConst value)
{
    size_t name_size = head->size - name_at, value_at;

    if (!PUT(head, ": "))
        return false;
    value_at = head->size;
    return put_value(context, head, value) &&
           note(head, name_at, name_size, value_at) && PUT(head, "\r\n");
}

/* A field that was set: [name, value]. */
static bool put_pair(JSContext *context, struct head *head, JSValueConst pair)
{
    JSValue name = JS_GetPropertyUint32(context, pair, 0);
    JSValue value = JS_GetPropertyUint32(context, pair, 1);
    size_t name_at = head->size;
    bool is_put = JS_IsString(name) &&
                  put_text(context, head, name, weir__node_is_token) &&
                  finish_field(context, head, name_at, value);

    forget(context, name);
    forget(context, value);
    return is_put;
}

static bool put_property(JSContext *context, struct head *head, JSAtom name,
                         JSValueConst value)
{
    size_t name_at = head->size, size;
    const char *text = JS_AtomToCStringLen(context, &size, name);
    bool is_put;

    if (text == NULL) {
        forget(context, JS_EXCEPTION);
        return false;
    }
    is_put = weir__node_is_token(text, size) && put(head, text, size);
    JS_FreeCString(context, text);
    return is_put && finish_field(context, head, name_at, value);
}

/* Put a property of an object with fields, unless it is an accessor. */
static bool put_field(JSContext *context, struct head *head,
                      JSValueConst fields, JSAtom name, bool are_pairs)
{
    JSPropertyDescriptor found;
    bool is_put;

    if (JS_GetOwnProperty(context, &found, fields, name) != 1) {
        forget(context, JS_HasException(context) ? JS_EXCEPTION : JS_UNDEFINED);
        return false;
    }
    if (found.flags & JS_PROP_GETSET)
        is_put = false;
    else if (are_pairs)
        is_put =
            JS_IsArray(found.value) && put_pair(context, head, found.value);
    else
        is_put = put_property(context, head, name, found.value);
    JS_FreeValue(context, found.value);
    JS_FreeValue(context, found.getter);
    JS_FreeValue(context, found.setter);
    return is_put;
}

/* Put the fields of a plain object.  They are {name: value}, or those that were
 * set: {lower-case name: [name, value]}. */
static bool put_fields(JSContext *context, struct head *head,
                       JSValueConst fields, bool are_pairs)
{
    JSPropertyEnum *list;
    uint32_t count;
    bool is_put = true;

    if (JS_GetClassID(fields) != reply_of(context)->plain)
        return false;
    if (JS_GetOwnPropertyNames(context, &list, &count, fields,
                               JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) {
        forget(context, JS_EXCEPTION);
        return false;
    }
    for (uint32_t i = 0; i < count && is_put; i++)
        is_put = put_field(context, head, fields, list[i].atom, are_pairs);
    JS_FreePropertyEnum(context, list, count);
    return is_put;
}

/* Put the line with the date, which the library makes once a second. */
static bool put_date(JSContext *context, struct head *head)
{
    struct reply *reply = reply_of(context);
    int64_t virtual_ns = weir_virtual_date();
    int64_t second = virtual_ns < 0 ? time(NULL) : virtual_ns / 1000000000;
    JSValue line;
    const char *text;
    size_t size;

    if (second != reply->second || reply->date_size == 0) {
        line = call(context, FN_DATE_LINE, JS_UNDEFINED, 0, NULL);
        text =
            JS_IsException(line) ? NULL : JS_ToCStringLen(context, &size, line);
        JS_FreeValue(context, line);
        if (text == NULL) {
            forget(context, JS_EXCEPTION);
            return false;
        }
        if (size <= sizeof(reply->date)) {
            memcpy(reply->date, text, size);
            reply->date_size = size;
            reply->second = second;
        }
        JS_FreeCString(context, text);
    }
    return put(head, reply->date, reply->date_size);
}

static bool put_keep_alive(JSContext *context, JSValueConst self,
                           struct head *head)
{
    int32_t time_ms, max;
    bool is_default;

    if (!read_number(context, self, KEEP_ALIVE_TIME, &time_ms) ||
        !read_number(context, self, MAX_REQUESTS, &max) ||
        !read_flag(context, self, DEFAULT_KEEP_ALIVE, &is_default) ||
        !PUT(head, "Connection: keep-alive\r\n"))
        return false;
    if (time_ms == 0 || !is_default)
        return true;
    return PUT(head, "Keep-Alive: timeout=") &&
           put_number(head, (uint64_t)time_ms / 1000) &&
           (max == 0 ||
            (PUT(head, ", max=") && put_number(head, (uint64_t)max))) &&
           PUT(head, "\r\n");
}

/* Whether the connection stays is the program's, and the server's, which may be
 * draining. */
static bool put_connection(JSContext *context, JSValueConst self,
                           struct head *head, const weir_http_request *http)
{
    bool keeps, has_reached;

    if (!read_flag(context, self, KEEPS_ALIVE, &keeps) ||
        !read_flag(context, self, MAX_REACHED, &has_reached) ||
        (keeps && weir_http_raw_closes(http)))
        return false;
    if (keeps && !has_reached)
        return put_keep_alive(context, self, head);
    head->is_last = !keeps;
    return PUT(head, "Connection: close\r\n");
}

/* Decide how the end of the body is found. */
static bool put_framing(JSContext *context, JSValueConst self,
                        struct head *head)
{
    JSValue length;
    bool is_removed, is_number, is_put = true;

    if (!is_flag(context, self, CHUNKS_BY_DEFAULT, true))
        return false;
    if (!is_flag(context, self, HAS_BODY, true) ||
        !read_flag(context, self, REMOVED_LENGTH, &is_removed))
        return false;
    length = get(context, self, LENGTH);
    is_number =
        JS_VALUE_GET_TAG(length) == JS_TAG_INT && JS_VALUE_GET_INT(length) >= 0;
    if (!is_number && !JS_IsNull(length)) {
        is_put = false;
    } else if (is_number && !is_removed) {
        is_put = PUT(head, "Content-Length: ") &&
                 put_number(head, (uint64_t)JS_VALUE_GET_INT(length)) &&
                 PUT(head, "\r\n");
    } else if (is_flag(context, self, REMOVED_CODING, false)) {
        head->is_chunked = true;
        is_put = PUT(head, "Transfer-Encoding: chunked\r\n");
    } else {
        is_put = false;
    }
    forget(context, length);
    return is_put;
}

/* Put the first line.  The message of the status is the library's. */
static bool put_status(JSContext *context, struct head *head)
{
    head->message = JS_GetPropertyUint32(
        context, reply_of(context)->status_codes, (uint32_t)head->status);
    return JS_IsString(head->message) && PUT(head, "HTTP/1.1 ") &&
           put_number(head, (uint64_t)head->status) && PUT(head, " ") &&
           put_text(context, head, head->message, weir__node_is_value) &&
           PUT(head, "\r\n");
}

/* Put the fields that were set, or the ones that are given, not both. */
static bool put_all_fields(JSContext *context, JSValueConst self,
                           struct head *head, JSValueConst given)
{
    JSValue were_set = get(context, self, HEADERS);
    bool has_given = !JS_IsUndefined(given) && !JS_IsNull(given);
    bool is_put;

    if (JS_IsNull(were_set))
        is_put = !has_given || put_fields(context, head, given, false);
    else
        is_put = !has_given && JS_IsObject(were_set) &&
                 put_fields(context, head, were_set, true);
    forget(context, were_set);
    return is_put;
}

/* Make the head of a response, without changing it.  False: this is left to the
 * library. */
static bool make_head(JSContext *context, JSValueConst self, struct head *head,
                      const weir_http_request *http, JSValueConst fields)
{
    bool sends_date;

    return is_absent(context, self, HEADER) &&
           is_absent(context, self, MESSAGE) &&
           is_flag(context, self, EXPECT, false) &&
           is_flag(context, self, CHUNKED, false) &&
           is_flag(context, self, REMOVED_CONNECTION, false) &&
           put_status(context, head) &&
           put_all_fields(context, self, head, fields) &&
           (!head->has_length ||
            is_flag(context, self, REMOVED_LENGTH, false)) &&
           read_flag(context, self, SEND_DATE, &sends_date) &&
           (!sends_date || head->has_date || put_date(context, head)) &&
           put_connection(context, self, head, http) &&
           (head->has_length || put_framing(context, self, head)) &&
           PUT(head, "\r\n");
}

/* Store what make_head has made.  Returns 0, or -1 with an exception. */
static int store_head(JSContext *context, JSValueConst self, struct head *head)
{
    JSValue text = JS_NewStringLen(context, head->text, head->size);
    int32_t status;

    if (JS_IsException(text) || set(context, self, HEADER, text) < 0 ||
        set(context, self, MESSAGE, JS_DupValue(context, head->message)) < 0)
        return -1;
    if ((!read_number(context, self, STATUS, &status) ||
         status != head->status) &&
        set(context, self, STATUS, JS_NewInt32(context, head->status)) < 0)
        return -1;
    if (head->has_length &&
        set(context, self, LENGTH, JS_NewInt64(context, head->length)) < 0)
        return -1;
    if (head->is_last && set(context, self, LAST, JS_TRUE) < 0)
        return -1;
    if (head->is_chunked && set(context, self, CHUNKED, JS_TRUE) < 0)
        return -1;
    return set(context, self, HEADER_SENT, JS_FALSE);
}

/* The exchange of a response, or NULL. */
static struct weir__node_exchange *exchange_of(JSContext *context,
                                               JSValueConst self)
{
    JSValue value =
        JS_IsObject(self) ? get(context, self, EXCHANGE) : JS_UNDEFINED;
    struct weir__node_exchange *exchange =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_NODE_EXCHANGE);

    forget(context, value); /* the response holds it */
    return exchange;
}

/* The status of a head that this file can make; otherwise 0. */
static int32_t simple_status(int argc, JSValueConst *argv)
{
    int32_t status = argc > 0 && JS_VALUE_GET_TAG(argv[0]) == JS_TAG_INT
                         ? JS_VALUE_GET_INT(argv[0])
                         : 0;

    return status >= 200 && status <= 999 && status != 204 && status != 304
               ? status
               : 0;
}

/* writeHead(status, reason, fields), where one of the last two is missing */
static JSValue write_head(JSContext *context, JSValueConst self, int argc,
                          JSValueConst *argv)
{
    JSValueConst fields = argc > 1 ? argv[1] : JS_UNDEFINED;
    struct weir__node_exchange *exchange = exchange_of(context, self);
    struct head head;
    int err;

    head.status = simple_status(argc, argv);
    if (exchange == NULL || head.status == 0 || argc > 2)
        return call(context, FN_WRITE_HEAD, self, argc, argv);
    head.message = JS_UNDEFINED;
    head.size = 0;
    head.has_length = head.has_date = head.is_last = head.is_chunked = false;
    if (!make_head(context, self, &head, exchange->http, fields)) {
        forget(context, head.message);
        return call(context, FN_WRITE_HEAD, self, argc, argv);
    }
    err = store_head(context, self, &head);
    JS_FreeValue(context, head.message);
    return err < 0 ? JS_EXCEPTION : JS_DupValue(context, self);
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
    if (set(context, self, LENGTH, JS_NewInt64(context, (int64_t)size)) < 0)
        return -1;
    result = JS_Invoke(context, self, reply_of(context)->atoms[IMPLICIT_HEADER],
                       0, NULL);
    JS_FreeValue(context, result);
    return JS_IsException(result) ? -1 : 0;
}

static bool is_open(JSContext *context, JSValueConst self)
{
    return is_flag(context, self, HEADER_SENT, false) &&
           is_flag(context, self, FINISHED, false) &&
           is_flag(context, self, DESTROYED, false) &&
           is_flag(context, self, STRICT, false);
}

/* Tell the library what only it can do. */
static int after_end(JSContext *context, JSValueConst self, bool has_body)
{
    JSValue result = JS_UNDEFINED, req;

    if (has_body) {
        req = get(context, self, REQ);
        if (JS_IsException(req))
            return -1;
        result =
            call(context, FN_LEAVE_BODY, JS_UNDEFINED, 1, (JSValueConst *)&req);
        JS_FreeValue(context, req);
        JS_FreeValue(context, result);
    }
    if (!JS_IsException(result) && !is_absent(context, self, EVENTS)) {
        result =
            JS_Invoke(context, self, reply_of(context)->atoms[FINISH], 0, NULL);
        JS_FreeValue(context, result);
    }
    return JS_IsException(result) ? -1 : 0;
}

static JSValue send_all(JSContext *context, JSValueConst self,
                        struct weir__node_exchange *exchange, JSValueConst head,
                        JSValueConst body)
{
    bool has_body = weir_http_body_size(exchange->http) != 0;
    bool is_last = !is_flag(context, self, LAST, false) ||
                   !is_flag(context, self, MAX_REACHED, false);

    if (set(context, self, HEADER_SENT, JS_TRUE) < 0 ||
        set(context, self, FINISHED, JS_TRUE) < 0 ||
        weir__node_send_end(context, exchange, head, body, is_last) < 0 ||
        after_end(context, self, has_body) < 0)
        return JS_EXCEPTION;
    return JS_DupValue(context, self);
}

/* end(text) */
static JSValue end(JSContext *context, JSValueConst self, int argc,
                   JSValueConst *argv)
{
    struct weir__node_exchange *exchange = exchange_of(context, self);
    JSValue head = JS_NULL, result;

    if (exchange == NULL || argc != 1 || !JS_IsString(argv[0]) ||
        !is_open(context, self))
        return call(context, FN_END, self, argc, argv);
    if (is_absent(context, self, HEADER) &&
        imply_head(context, self, argv[0]) < 0)
        return JS_EXCEPTION;
    head = get(context, self, HEADER);
    if (JS_IsString(head) && is_flag(context, self, CHUNKED, false) &&
        is_flag(context, self, HAS_BODY, true) &&
        is_flag(context, self, HEADER_SENT, false))
        result = send_all(context, self, exchange, head, argv[0]);
    else
        result = call(context, FN_END, self, argc, argv);
    forget(context, head);
    return result;
}

#ifdef JS_HAS_SOLE_REFERENCE

/* Whether nothing else refers to an object, and nothing listens to it. */
static bool is_alone(JSContext *context, JSValueConst object)
{
    return JS_IsSoleReference(object) && is_absent(context, object, EVENTS);
}

bool weir__node_is_unseen(JSContext *context, JSValueConst response)
{
    JSValue req;

    if (!is_alone(context, response) ||
        !is_flag(context, reply_of(context)->channel, IS_ACTIVE, false))
        return false;
    req = get(context, response, REQ);
    forget(context, req); /* the response holds it */
    return JS_IsObject(req) && is_alone(context, req);
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
    struct reply *reply = js->states[WEIR__JS_NODE_REPLY];

    for (int i = 0; i < ATOMS; i++) {
        JS_FreeAtom(js->context, reply->atoms[i]);
        reply->atoms[i] = JS_ATOM_NULL;
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        JS_FreeValue(js->context, reply->functions[i]);
        reply->functions[i] = JS_UNDEFINED;
    }
    JS_FreeValue(js->context, reply->status_codes);
    JS_FreeValue(js->context, reply->channel);
    reply->status_codes = reply->channel = JS_UNDEFINED;
}

static int init_reply(weir_js *js)
{
    struct reply *reply = js->states[WEIR__JS_NODE_REPLY];

    for (int i = 0; i < FUNCTIONS; i++)
        reply->functions[i] = JS_UNDEFINED;
    reply->status_codes = reply->channel = JS_UNDEFINED;
    return 0;
}

/* setReply(kExchange, kHeaders, kIsActive, writeHead, end, leaveBody, dateLine,
 * STATUS_CODES, channel).  It comes again if the file that calls it failed, and is loaded
 * again. */
static JSValue set_reply(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct reply *reply = reply_of(context);

    drop_reply(js);
    for (int i = 0; i < EXCHANGE; i++)
        reply->atoms[i] = JS_NewAtom(context, names[i]);
    for (int i = EXCHANGE; i < ATOMS; i++)
        reply->atoms[i] = JS_ValueToAtom(context, argv[i - EXCHANGE]);
    for (int i = 0; i < ATOMS; i++)
        if (reply->atoms[i] == JS_ATOM_NULL)
            return JS_EXCEPTION;
    for (int i = 0; i < FUNCTIONS; i++)
        reply->functions[i] = JS_DupValue(context, argv[GIVEN_FUNCTIONS + i]);
    reply->status_codes = JS_DupValue(context, argv[GIVEN_STATUS_CODES]);
    reply->channel = JS_DupValue(context, argv[GIVEN_CHANNEL]);
    reply->plain = JS_GetClassID(reply->status_codes);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("writeHead", 3, write_head),
    JS_CFUNC_DEF("end", 3, end),
    JS_CFUNC_DEF("setReply", GIVEN, set_reply),
};

const struct weir__js_builtin weir__js_node_reply_builtin = {
    WEIR__JS_LIBS("nodehttp/binding"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct reply),
    .init = init_reply,
    .drop = drop_reply,
};

/* SPDX-License-Identifier: MIT */
/*
 * compose -- the head of a response, from its properties and the given fields.
 *
 * Everything is read first and stored at the end, so that whatever is not simple
 * can be left to the library.
 *
 * Tested by  test/js/http/node-http-heads.js
 */
#include <string.h>
#include <time.h>

#include "nodehttp/reply.h"
#include "weir/host/virtual.h"

enum { TEXT = 2048 }; /* bytes of a head; longer ones are made by the library */

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
        weir__reply_forget(context, JS_EXCEPTION);
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

    weir__reply_forget(context, name);
    weir__reply_forget(context, value);
    return is_put;
}

static bool put_property(JSContext *context, struct head *head, JSAtom name,
                         JSValueConst value)
{
    size_t name_at = head->size, size;
    const char *text = JS_AtomToCStringLen(context, &size, name);
    bool is_put;

    if (text == NULL) {
        weir__reply_forget(context, JS_EXCEPTION);
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
        weir__reply_forget(context, JS_HasException(context) ? JS_EXCEPTION
                                                             : JS_UNDEFINED);
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

    if (JS_GetClassID(fields) != weir__reply_of(context)->plain)
        return false;
    if (JS_GetOwnPropertyNames(context, &list, &count, fields,
                               JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0) {
        weir__reply_forget(context, JS_EXCEPTION);
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
    struct weir__reply *reply = weir__reply_of(context);
    int64_t virtual_ns = weir_virtual_date();
    int64_t second = virtual_ns < 0 ? time(NULL) : virtual_ns / 1000000000;
    JSValue line;
    const char *text;
    size_t size;

    if (second != reply->second || reply->date_size == 0) {
        line = weir__reply_call(context, WEIR__REPLY_FN_DATE_LINE, JS_UNDEFINED,
                                0, NULL);
        text =
            JS_IsException(line) ? NULL : JS_ToCStringLen(context, &size, line);
        JS_FreeValue(context, line);
        if (text == NULL) {
            weir__reply_forget(context, JS_EXCEPTION);
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

    if (!weir__reply_read_number(context, self, WEIR__REPLY_KEEP_ALIVE_TIME,
                                 &time_ms) ||
        !weir__reply_read_number(context, self, WEIR__REPLY_MAX_REQUESTS,
                                 &max) ||
        !weir__reply_read_flag(context, self, WEIR__REPLY_DEFAULT_KEEP_ALIVE,
                               &is_default) ||
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

    if (!weir__reply_read_flag(context, self, WEIR__REPLY_KEEPS_ALIVE,
                               &keeps) ||
        !weir__reply_read_flag(context, self, WEIR__REPLY_MAX_REACHED,
                               &has_reached) ||
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

    if (!weir__reply_is_flag(context, self, WEIR__REPLY_CHUNKS_BY_DEFAULT,
                             true))
        return false;
    if (!weir__reply_is_flag(context, self, WEIR__REPLY_HAS_BODY, true) ||
        !weir__reply_read_flag(context, self, WEIR__REPLY_REMOVED_LENGTH,
                               &is_removed))
        return false;
    length = weir__reply_get(context, self, WEIR__REPLY_LENGTH);
    is_number =
        JS_VALUE_GET_TAG(length) == JS_TAG_INT && JS_VALUE_GET_INT(length) >= 0;
    if (!is_number && !JS_IsNull(length)) {
        is_put = false;
    } else if (is_number && !is_removed) {
        is_put = PUT(head, "Content-Length: ") &&
                 put_number(head, (uint64_t)JS_VALUE_GET_INT(length)) &&
                 PUT(head, "\r\n");
    } else if (weir__reply_is_flag(context, self, WEIR__REPLY_REMOVED_CODING,
                                   false)) {
        head->is_chunked = true;
        is_put = PUT(head, "Transfer-Encoding: chunked\r\n");
    } else {
        is_put = false;
    }
    weir__reply_forget(context, length);
    return is_put;
}

/* Put the first line.  The message of the status is the library's. */
static bool put_status(JSContext *context, struct head *head)
{
    head->message = JS_GetPropertyUint32(
        context, weir__reply_of(context)->status_codes, (uint32_t)head->status);
    return JS_IsString(head->message) && PUT(head, "HTTP/1.1 ") &&
           put_number(head, (uint64_t)head->status) && PUT(head, " ") &&
           put_text(context, head, head->message, weir__node_is_value) &&
           PUT(head, "\r\n");
}

/* Put the fields that were set, or the ones that are given, not both. */
static bool put_all_fields(JSContext *context, JSValueConst self,
                           struct head *head, JSValueConst given)
{
    JSValue were_set = weir__reply_get(context, self, WEIR__REPLY_HEADERS);
    bool has_given = !JS_IsUndefined(given) && !JS_IsNull(given);
    bool is_put;

    if (JS_IsNull(were_set))
        is_put = !has_given || put_fields(context, head, given, false);
    else
        is_put = !has_given && JS_IsObject(were_set) &&
                 put_fields(context, head, were_set, true);
    weir__reply_forget(context, were_set);
    return is_put;
}

/* Make the head of a response, without changing it.  False: this is left to the
 * library. */
static bool make_head(JSContext *context, JSValueConst self, struct head *head,
                      const weir_http_request *http, JSValueConst fields)
{
    bool sends_date;

    return weir__reply_is_absent(context, self, WEIR__REPLY_HEADER) &&
           weir__reply_is_absent(context, self, WEIR__REPLY_MESSAGE) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_EXPECT, false) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_CHUNKED, false) &&
           weir__reply_is_flag(context, self, WEIR__REPLY_REMOVED_CONNECTION,
                               false) &&
           put_status(context, head) &&
           put_all_fields(context, self, head, fields) &&
           (!head->has_length ||
            weir__reply_is_flag(context, self, WEIR__REPLY_REMOVED_LENGTH,
                                false)) &&
           weir__reply_read_flag(context, self, WEIR__REPLY_SEND_DATE,
                                 &sends_date) &&
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

    if (JS_IsException(text) ||
        weir__reply_set(context, self, WEIR__REPLY_HEADER, text) < 0 ||
        weir__reply_set(context, self, WEIR__REPLY_MESSAGE,
                        JS_DupValue(context, head->message)) < 0)
        return -1;
    if ((!weir__reply_read_number(context, self, WEIR__REPLY_STATUS, &status) ||
         status != head->status) &&
        weir__reply_set(context, self, WEIR__REPLY_STATUS,
                        JS_NewInt32(context, head->status)) < 0)
        return -1;
    if (head->has_length &&
        weir__reply_set(context, self, WEIR__REPLY_LENGTH,
                        JS_NewInt64(context, head->length)) < 0)
        return -1;
    if (head->is_last &&
        weir__reply_set(context, self, WEIR__REPLY_LAST, JS_TRUE) < 0)
        return -1;
    if (head->is_chunked &&
        weir__reply_set(context, self, WEIR__REPLY_CHUNKED, JS_TRUE) < 0)
        return -1;
    return weir__reply_set(context, self, WEIR__REPLY_HEADER_SENT, JS_FALSE);
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

/* Make and store a head, or let the library do it. */
static JSValue compose(JSContext *context, JSValueConst self,
                       const struct weir__node_exchange *exchange, int argc,
                       JSValueConst *argv)
{
    JSValueConst fields = argc > 1 ? argv[1] : JS_UNDEFINED;
    struct head head;
    int err;

    head.status = simple_status(argc, argv);
    if (head.status == 0 || argc > 2)
        return weir__reply_call(context, WEIR__REPLY_FN_WRITE_HEAD, self, argc,
                                argv);
    head.message = JS_UNDEFINED;
    head.size = 0;
    head.has_length = head.has_date = head.is_last = head.is_chunked = false;
    if (!make_head(context, self, &head, exchange->http, fields)) {
        weir__reply_forget(context, head.message);
        return weir__reply_call(context, WEIR__REPLY_FN_WRITE_HEAD, self, argc,
                                argv);
    }
    err = store_head(context, self, &head);
    JS_FreeValue(context, head.message);
    return err < 0 ? JS_EXCEPTION : JS_DupValue(context, self);
}

/* writeHead(status, reason, fields), where one of the last two is missing */
JSValue weir__reply_write_head(JSContext *context, JSValueConst self, int argc,
                               JSValueConst *argv)
{
    JSValue held, result;
    struct weir__node_exchange *exchange =
        weir__reply_exchange(context, self, &held);

    result = exchange == NULL
                 ? weir__reply_call(context, WEIR__REPLY_FN_WRITE_HEAD, self,
                                    argc, argv)
                 : compose(context, self, exchange, argc, argv);
    JS_FreeValue(context, held);
    return result;
}

/* SPDX-License-Identifier: MIT */
/*
 * encoding -- strings to bytes and bytes to strings, for TextDecoder, Buffer
 * and StringDecoder.
 *
 * JavaScript checks the arguments.  Strings are strings here, so converting
 * them runs no user code and memory does not move.
 *
 * Tested by  test/js/bytes/encoding-*.js, test/js/bytes/buffer-*.js
 */
#include <string.h>

#include "bytes/bytes.h"
#include "bytes/codec.h"
#include "bytes/utf8.h"
#include "core/builtin.h"
#include "core/lib.h"

/* The same numbers as in js/lib/bytes/encodings.js. */
enum kind {
    UTF8,
    UTF16LE, /* unchanged; TEXT16 has no lone surrogates */
    LATIN1,
    ASCII,
    HEX,
    BASE64,
    BASE64URL,
    TEXT16LE,
    TEXT16BE,
    WINDOWS1252,
};

/* The characters of windows-1252 for 0x80-0x9F, which latin1 has as
 * controls. */
static const uint16_t windows1252[] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

/* ---- bytes to strings; undefined if they are invalid --------------------- */

/* Takes text from js_malloc. */
static JSValue take_text(JSContext *context, char *text, size_t size)
{
    JSValue string = JS_NewStringLen(context, text, size);

    js_free(context, text);
    return string;
}

static JSValue decode_utf8(JSContext *context, const uint8_t *bytes,
                           size_t size, bool is_fatal)
{
    size_t valid = weir__js_utf8_valid(bytes, size), rest;
    char *text;

    if (valid == size)
        return JS_NewStringLen(context, (const char *)bytes, size);
    if (is_fatal)
        return JS_UNDEFINED;
    rest = weir__js_utf8_repaired_size(bytes + valid, size - valid);
    text = js_malloc(context, valid + rest);
    if (text == NULL)
        return JS_EXCEPTION;
    memcpy(text, bytes, valid);
    weir__js_utf8_repair((uint8_t *)text + valid, bytes + valid, size - valid);
    return take_text(context, text, valid + rest);
}

/* Replace the engine's error for a string that is too long by Node's. */
static JSValue name_error(JSContext *context, JSValue string)
{
    JSValue error, text;
    const char *message;
    bool is_too_long;

    if (!JS_IsException(string))
        return string;
    error = JS_GetException(context);
    text = JS_IsError(error) ? JS_GetPropertyStr(context, error, "message")
                             : JS_UNDEFINED;
    message = JS_IsString(text) ? JS_ToCString(context, text) : NULL;
    is_too_long =
        message != NULL && strcmp(message, "invalid string length") == 0;
    JS_FreeCString(context, message);
    JS_FreeValue(context, text);
    if (!is_too_long)
        return JS_Throw(context, error);
    JS_FreeValue(context, error);
    return weir__js_call_hook(weir__js_of(context),
                              WEIR__JS_HOOK_STRING_TOO_LONG, JS_UNDEFINED);
}

JSValue weir__js_utf8_string(JSContext *context, const char *bytes, size_t size)
{
    return name_error(
        context, decode_utf8(context, (const uint8_t *)bytes, size, false));
}

/* One byte is one character.  Goes through UTF-8 so that the engine chooses the
 * narrowest form. */
static JSValue decode_single(JSContext *context, enum kind kind,
                             const uint8_t *bytes, size_t size)
{
    char *text = js_malloc(context, 3 * size + 1), *to = text;

    if (text == NULL)
        return JS_EXCEPTION;
    for (size_t i = 0; i < size; i++) {
        unsigned code = kind == ASCII ? bytes[i] & 0x7F : bytes[i];

        if (kind == WINDOWS1252 && (code & 0xE0) == 0x80)
            code = windows1252[code & 0x1F];
        if (code < 0x80) {
            *to++ = (char)code;
        } else if (code < 0x800) {
            *to++ = (char)(0xC0 | code >> 6);
            *to++ = (char)(0x80 | (code & 0x3F));
        } else {
            *to++ = (char)(0xE0 | code >> 12);
            *to++ = (char)(0x80 | (code >> 6 & 0x3F));
            *to++ = (char)(0x80 | (code & 0x3F));
        }
    }
    return take_text(context, text, (size_t)(to - text));
}

/* Replace lone surrogates; return whether there were none. */
static bool repair_units(uint16_t *units, size_t count)
{
    bool is_valid = true;

    for (size_t i = 0; i < count; i++) {
        if ((units[i] & 0xF800) != 0xD800)
            continue;
        if ((units[i] & 0x400) == 0 && i + 1 < count &&
            (units[i + 1] & 0xFC00) == 0xDC00) {
            i++;
        } else {
            units[i] = 0xFFFD;
            is_valid = false;
        }
    }
    return is_valid;
}

static JSValue decode_utf16(JSContext *context, enum kind kind,
                            const uint8_t *bytes, size_t size, bool is_fatal)
{
    size_t count = size / 2;
    bool is_text = kind != UTF16LE, is_valid = true;
    unsigned low = kind == TEXT16BE ? 1 : 0, sum = 0;
    uint16_t *units = js_malloc(context, 2 * count + 2);
    JSValue string;

    if (units == NULL)
        return JS_EXCEPTION;
    for (size_t i = 0; i < count; i++) {
        units[i] = (uint16_t)(bytes[2 * i + low] | bytes[2 * i + 1 - low] << 8);
        sum |= units[i];
    }
    if (is_text) {
        is_valid = repair_units(units, count) && size % 2 == 0;
        if (size % 2 != 0) { /* one U+FFFD, shared with a high surrogate */
            bool has_half = count > 0 && units[count - 1] == 0xFFFD &&
                            (bytes[2 * count - 1 - low] & 0xFC) == 0xD8;
            units[count] = 0xFFFD;
            count += !has_half;
        }
    }
    if (is_fatal && !is_valid)
        string = JS_UNDEFINED;
    else if (sum < 0x80 && is_valid) {
        for (size_t i = 0; i < count; i++)
            ((char *)units)[i] = (char)units[i];
        string = JS_NewStringLen(context, (char *)units, count);
    } else {
        string = JS_NewStringUTF16(context, units, count);
    }
    js_free(context, units);
    return string;
}

static JSValue decode_digits(JSContext *context, enum kind kind,
                             const uint8_t *bytes, size_t size)
{
    bool is_url = kind == BASE64URL;
    size_t length = kind == HEX ? 2 * size : weir__js_base64_size(size, is_url);
    char *text = js_malloc(context, length + 1);

    if (text == NULL)
        return JS_EXCEPTION;
    if (kind == HEX)
        weir__js_hex_print(text, bytes, size);
    else
        weir__js_base64_print(text, bytes, size, is_url);
    return take_text(context, text, length);
}

static JSValue decode_bytes(JSContext *context, enum kind kind,
                            const uint8_t *bytes, size_t size, bool is_fatal)
{
    switch (kind) {
    case UTF8:
        return decode_utf8(context, bytes, size, is_fatal);
    case UTF16LE:
    case TEXT16LE:
    case TEXT16BE:
        return decode_utf16(context, kind, bytes, size, is_fatal);
    case HEX:
    case BASE64:
    case BASE64URL:
        return decode_digits(context, kind, bytes, size);
    default:
        return decode_single(context, kind, bytes, size);
    }
}

JSValue weir__js_decoded(JSContext *context, int encoding, const uint8_t *bytes,
                         size_t size)
{
    return name_error(context, decode_bytes(context, (enum kind)encoding, bytes,
                                            size, false));
}

/* decode(kind, bytes, start, end, isFatal) */
static JSValue decode(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    int32_t kind;
    size_t start, end;
    bool is_fatal = JS_ToBool(context, argv[4]) == 1;
    uint8_t *copy;
    JSValue string;

    if (JS_ToInt32(context, &kind, argv[0]) < 0 ||
        weir__js_bytes(context, argv[1], &bytes) < 0)
        return JS_EXCEPTION;
    end = weir__js_offset(argv[3], bytes.size, bytes.size);
    start = weir__js_offset(argv[2], end, 0);
    if (!bytes.is_shared)
        return name_error(context, decode_bytes(context, (enum kind)kind,
                                                bytes.data + start, end - start,
                                                is_fatal));
    /* Decode a copy: shared memory must not change between check and use. */
    copy = js_malloc(context, end - start + 1);
    if (copy == NULL)
        return JS_EXCEPTION;
    memcpy(copy, bytes.data + start, end - start);
    string =
        decode_bytes(context, (enum kind)kind, copy, end - start, is_fatal);
    js_free(context, copy);
    return name_error(context, string);
}

/* tail(bytes, start, end): length of an incomplete UTF-8 character at the
 * end. */
static JSValue tail(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    size_t start, end;

    if (weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    end = weir__js_offset(argv[2], bytes.size, bytes.size);
    start = weir__js_offset(argv[1], end, 0);
    return JS_NewInt32(
        context, (int32_t)weir__js_utf8_tail(bytes.data + start, end - start));
}

/* validity(bytes): 2 if ASCII, 1 if UTF-8, otherwise 0. */
static JSValue validity(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    int32_t level = 2;

    if (weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    for (size_t i = 0; i < bytes.size && level == 2; i++)
        level -= bytes.data[i] >> 7;
    if (level < 2)
        level = weir__js_utf8_valid(bytes.data, bytes.size) == bytes.size;
    return JS_NewInt32(context, level);
}

/* ---- strings to bytes ---------------------------------------------------- */

/* encode(string): a Uint8Array of UTF-8. */
static JSValue encode(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    size_t size, units;
    const char *text = JS_ToCStringLen(context, &size, argv[0]);
    struct weir__js_bytes bytes;
    JSValue array;

    if (text == NULL)
        return JS_EXCEPTION;
    array = JS_NewUint8ArrayCopy(context, (const uint8_t *)text, size);
    if (!JS_IsException(array) && weir__js_bytes(context, array, &bytes) == 0)
        weir__js_utf8_copy(bytes.data, bytes.size, (const uint8_t *)text, size,
                           &units);
    JS_FreeCString(context, text);
    return array;
}

/* encodeInto(string, bytes): [units read, bytes written] */
static JSValue encode_into(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    size_t size, units, written;
    const char *text = JS_ToCStringLen(context, &size, argv[0]);
    struct weir__js_bytes bytes;
    JSValue pair[2];

    if (text == NULL)
        return JS_EXCEPTION;
    if (weir__js_writable_bytes(context, argv[1], &bytes) < 0) {
        JS_FreeCString(context, text);
        return JS_EXCEPTION;
    }
    written = weir__js_utf8_copy(bytes.data, bytes.size, (const uint8_t *)text,
                                 size, &units);
    JS_FreeCString(context, text);
    pair[0] = JS_NewInt64(context, (int64_t)units);
    pair[1] = JS_NewInt64(context, (int64_t)written);
    return JS_NewArrayFrom(context, 2, pair);
}

static size_t write_units(uint8_t *to, size_t room, enum kind kind,
                          const uint16_t *units, size_t length)
{
    size_t count;

    switch (kind) {
    case HEX:
        return weir__js_hex_read(to, room, units, length);
    case BASE64:
    case BASE64URL:
        return weir__js_base64_read(to, room, units, length);
    case UTF16LE:
        count = length < room / 2 ? length : room / 2;
        for (size_t i = 0; i < count; i++) {
            to[2 * i] = (uint8_t)units[i];
            to[2 * i + 1] = (uint8_t)(units[i] >> 8);
        }
        return 2 * count;
    default: /* LATIN1, ASCII */
        count = length < room ? length : room;
        for (size_t i = 0; i < count; i++)
            to[i] = (uint8_t)units[i];
        return count;
    }
}

/* write(kind, string, bytes, start, end): how many were written */
static JSValue write_string(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    int32_t kind;
    size_t length, units, start, end, written = 0;
    struct weir__js_bytes bytes;
    const void *text;

    if (JS_ToInt32(context, &kind, argv[0]) < 0)
        return JS_EXCEPTION;
    text = kind == UTF8
               ? (const void *)JS_ToCStringLen(context, &length, argv[1])
               : (const void *)JS_ToCStringLenUTF16(context, &length, argv[1]);
    if (text == NULL)
        return JS_EXCEPTION;
    if (weir__js_writable_bytes(context, argv[2], &bytes) == 0) {
        end = weir__js_offset(argv[4], bytes.size, bytes.size);
        start = weir__js_offset(argv[3], end, 0);
        written = kind == UTF8
                      ? weir__js_utf8_copy(bytes.data + start, end - start,
                                           text, length, &units)
                      : write_units(bytes.data + start, end - start,
                                    (enum kind)kind, text, length);
    }
    if (kind == UTF8)
        JS_FreeCString(context, text);
    else
        JS_FreeCStringUTF16(context, text);
    return JS_HasException(context) ? JS_EXCEPTION
                                    : JS_NewInt64(context, (int64_t)written);
}

/* utf8Length(string) */
static JSValue utf8_length(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, argv[0]);

    if (text == NULL)
        return JS_EXCEPTION;
    JS_FreeCString(context, text);
    return JS_NewInt64(context, (int64_t)size);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("decode", 5, decode),
    JS_CFUNC_DEF("tail", 3, tail),
    JS_CFUNC_DEF("validity", 1, validity),
    JS_CFUNC_DEF("encode", 1, encode),
    JS_CFUNC_DEF("encodeInto", 2, encode_into),
    JS_CFUNC_DEF("write", 5, write_string),
    JS_CFUNC_DEF("utf8Length", 1, utf8_length),
};

const struct weir__js_builtin weir__js_encoding_builtin = {
    WEIR__JS_LIBS("bytes/encodings"),
    WEIR__JS_NATIVES(natives),
};

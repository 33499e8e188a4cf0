/* SPDX-License-Identifier: MIT */
/*
 * result -- see result.h.
 *
 * A small result is on the stack.  The room is enough for all but domains that
 * IDNA makes longer than percent-encoding would; for these it is doubled.
 *
 * Tested by  test/js/url/url-class.js, test/js/url/url-random.js
 */
#include "url/result.h"

#include <stdint.h>
#include <string.h>

#include "bytes/bytes.h"

void weir__js_result_begin(struct weir__js_result *result, JSContext *context,
                           JSValueConst to_ascii)
{
    result->context = context;
    result->to_ascii = to_ascii;
    result->heap = NULL;
}

void weir__js_result_end(struct weir__js_result *result)
{
    js_free(result->context, result->heap);
}

/* ---- IDNA ---- */

/* Copy what the function has returned, and take it. */
static enum weir__js_url_status copy_ascii(JSContext *context, JSValue ascii,
                                           char *to, size_t room,
                                           size_t *length)
{
    const char *text;

    if (JS_IsException(ascii))
        return WEIR__JS_URL_THROWN;
    if (JS_IsNull(ascii))
        return WEIR__JS_URL_INVALID;
    text = JS_ToCStringLen(context, length, ascii);
    JS_FreeValue(context, ascii);
    if (text == NULL)
        return WEIR__JS_URL_THROWN;
    if (*length <= room)
        memcpy(to, text, *length);
    JS_FreeCString(context, text);
    return *length <= room ? WEIR__JS_URL_OK : WEIR__JS_URL_NO_ROOM;
}

static enum weir__js_url_status convert(const struct weir__js_idna *idna,
                                        struct weir__js_piece domain, char *to,
                                        size_t room, size_t *length)
{
    const struct weir__js_result *result = idna->opaque;
    JSContext *context = result->context;
    JSValue text = weir__js_utf8_string(context, domain.start, domain.length);
    JSValue ascii;

    if (JS_IsException(text))
        return WEIR__JS_URL_THROWN;
    ascii = JS_Call(context, result->to_ascii, JS_UNDEFINED, 1,
                    (JSValueConst *)&text);
    JS_FreeValue(context, text);
    return copy_ascii(context, ascii, to, room, length);
}

/* ---- room ---- */

static bool reserve(struct weir__js_result *result, size_t room)
{
    js_free(result->context, result->heap);
    result->heap = NULL;
    result->bytes = result->usual;
    result->room = WEIR__JS_RESULT_USUAL;
    if (room <= WEIR__JS_RESULT_USUAL)
        return true;
    if (room > UINT32_MAX) { /* the record's offsets */
        JS_ThrowOutOfMemory(result->context);
        return false;
    }
    result->room = room;
    result->bytes = result->heap = js_malloc(result->context, room);
    return result->bytes != NULL;
}

enum weir__js_url_status
weir__js_result_parse(struct weir__js_result *result,
                      struct weir__js_piece input,
                      const struct weir__js_record *base)
{
    const struct weir__js_idna idna = {convert, result};
    enum weir__js_url_status status;
    struct weir__js_piece clean = input = weir__js_parser_trim(input);
    size_t room = weir__js_parser_most(input.length, base), copy = 0;

    if (weir__js_parser_is_unclean(input))
        copy = input.length; /* behind the room */
    do {
        if (!reserve(result, room + copy))
            return WEIR__JS_URL_THROWN;
        room = result->room - copy;
        if (copy > 0)
            clean = weir__js_parser_clean(result->bytes + room, input, false);
        status = weir__js_parser_run(&result->record, result->bytes, room,
                                     clean, base, &idna);
        room *= 2;
    } while (status == WEIR__JS_URL_NO_ROOM);
    return status;
}

enum weir__js_url_status
weir__js_result_change(struct weir__js_result *result,
                       const struct weir__js_record *url,
                       enum weir__js_change what, struct weir__js_piece value)
{
    const struct weir__js_idna idna = {convert, result};
    size_t room = weir__js_change_most(url, value.length);
    enum weir__js_url_status status;

    do {
        if (!reserve(result, room))
            return WEIR__JS_URL_THROWN;
        status = weir__js_change_run(&result->record, result->bytes,
                                     result->room, url, what, value, &idna);
        room = 2 * result->room;
    } while (status == WEIR__JS_URL_NO_ROOM);
    return status;
}

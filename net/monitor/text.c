/* SPDX-License-Identifier: MIT */
/*
 * text -- see text.h.
 *
 * Tested by  test/net/monitor/text.c
 */
#include "monitor/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "weir/host/memory.h"

static bool reserve(struct weir__text *text, size_t more)
{
    size_t capacity = text->capacity == 0 ? 4096 : text->capacity;
    char *larger;

    if (text->size + more <= text->capacity)
        return true;
    while (capacity < text->size + more)
        capacity *= 2;
    larger = text->is_short ? NULL : weir_memory_alloc(capacity);
    if (larger == NULL) {
        text->is_short = true;
        return false;
    }
    if (text->size > 0)
        memcpy(larger, text->bytes, text->size);
    weir_memory_free(text->bytes, text->capacity);
    text->bytes = larger;
    text->capacity = capacity;
    return true;
}

void weir__text_put(struct weir__text *text, const char *bytes, size_t size)
{
    if (size == 0 || !reserve(text, size))
        return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

void weir__text_add(struct weir__text *text, const char *format, ...)
{
    char line[512];
    va_list list;
    int size;

    va_start(list, format);
    size = vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    if (size > 0)
        weir__text_put(text, line,
                       (size_t)size < sizeof(line) ? (size_t)size
                                                   : sizeof(line) - 1);
}

/* The length of the character at `at`, or 0 if it is not UTF-8. */
static size_t length_of(const unsigned char *at)
{
    size_t length = at[0] < 0x80   ? 1
                    : at[0] < 0xc2 ? 0
                    : at[0] < 0xe0 ? 2
                    : at[0] < 0xf0 ? 3
                    : at[0] < 0xf5 ? 4
                                   : 0;

    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0; /* overlong, a surrogate, or too large */
    return length;
}

void weir__text_quote(struct weir__text *text, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;

    weir__text_put(text, "\"", 1);
    while (*at != '\0') {
        size_t length = length_of(at);

        if (*at == '"' || *at == '\\')
            weir__text_add(text, "\\%c", *at);
        else if (*at == '\n')
            weir__text_put(text, "\\n", 2);
        else if (*at < 0x20 || *at == 0x7f)
            weir__text_add(text, "\\u%04x", *at);
        else if (length == 0)
            weir__text_put(text, "\\ufffd", 6);
        else if (length == 3 && at[0] == 0xe2 && at[1] == 0x80 &&
                 (at[2] == 0xa8 || at[2] == 0xa9))
            /* JavaScript takes these for the end of a line. */
            weir__text_put(text, at[2] == 0xa8 ? "\\u2028" : "\\u2029", 6);
        else
            weir__text_put(text, (const char *)at, length);
        at += length > 0 ? length : 1;
    }
    weir__text_put(text, "\"", 1);
}

void weir__text_comma(struct weir__text *text)
{
    char last = text->size > 0 ? text->bytes[text->size - 1] : '[';

    if (last != '[' && last != '{')
        weir__text_put(text, ",", 1);
}

void weir__text_clear(struct weir__text *text)
{
    text->size = 0;
    text->is_short = false;
}

void weir__text_free(struct weir__text *text)
{
    weir_memory_free(text->bytes, text->capacity);
    *text = (struct weir__text){0};
}

/* SPDX-License-Identifier: MIT */
/*
 * fields -- see fields.h.
 *
 * The text of all names and values is one block.  What a field no longer uses
 * stays there until the block would have to grow.
 *
 * Tested by  test/js/http/headers-methods.mjs
 */
#include "http/fields.h"

#include <string.h>

enum { FIRST_FIELDS = 8, FIRST_TEXT = 256, LIMIT = 1 << 30 };

struct weir__js_fields *weir__js_fields_new(JSContext *context)
{
    struct weir__js_fields *fields = js_mallocz(context, sizeof(*fields));

    if (fields != NULL)
        fields->refs = 1;
    return fields;
}

void weir__js_fields_unref(JSRuntime *runtime, struct weir__js_fields *fields)
{
    if (fields == NULL || --fields->refs > 0)
        return;
    js_free_rt(runtime, fields->list);
    js_free_rt(runtime, fields->text);
    js_free_rt(runtime, fields);
}

/* ---- names ---- */

static inline unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

bool weir__js_is_name(weir_bytes name, weir_bytes other)
{
    const unsigned char *a = name.data, *b = other.data;

    if (name.size != other.size)
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (a[i] != b[i] && lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

int weir__js_fields_find(const struct weir__js_fields *fields, weir_bytes name,
                         uint32_t from)
{
    for (uint32_t i = from; i < fields->count; i++)
        if (weir__js_is_name(weir__js_fields_name(fields, i), name))
            return (int)i;
    return -1;
}

/* ---- the text ---- */

static void move(struct weir__js_fields *fields, char *to, uint32_t *size,
                 uint32_t *at, uint32_t length)
{
    memcpy(to + *size, fields->text + *at, length);
    *at = *size;
    *size += length;
}

/* Copy the text that is in use to a block of this size. */
static int copy_text(JSContext *context, struct weir__js_fields *fields,
                     uint32_t room)
{
    char *to = js_malloc(context, room);
    uint32_t size = 0;

    if (to == NULL)
        return -1;
    for (uint32_t i = 0; i < fields->count; i++) {
        struct weir__js_field *field = &fields->list[i];

        move(fields, to, &size, &field->name, field->name_size);
        move(fields, to, &size, &field->value, field->value_size);
    }
    js_free(context, fields->text);
    fields->text = to;
    fields->size = size;
    fields->room = room;
    fields->waste = 0;
    return 0;
}

/* Make room for more text. */
static int reserve_text(JSContext *context, struct weir__js_fields *fields,
                        size_t size)
{
    size_t used = fields->size - fields->waste, room;

    if (size <= fields->room - fields->size)
        return 0;
    if (used + size > LIMIT) {
        JS_ThrowRangeError(context, "Too many header fields");
        return -1;
    }
    room = used + size <= FIRST_TEXT ? FIRST_TEXT : 2 * (used + size);
    return copy_text(context, fields, (uint32_t)room);
}

static int reserve_field(JSContext *context, struct weir__js_fields *fields)
{
    uint32_t capacity =
        fields->capacity > 0 ? 2 * fields->capacity : FIRST_FIELDS;
    struct weir__js_field *list;

    if (fields->count < fields->capacity)
        return 0;
    list = js_realloc(context, fields->list, capacity * sizeof(*list));
    if (list == NULL)
        return -1;
    fields->list = list;
    fields->capacity = capacity;
    return 0;
}

static uint32_t append(struct weir__js_fields *fields, weir_bytes bytes)
{
    uint32_t at = fields->size;

    if (bytes.size > 0)
        memcpy(fields->text + at, bytes.data, bytes.size);
    fields->size += (uint32_t)bytes.size;
    return at;
}

int weir__js_fields_add(JSContext *context, struct weir__js_fields *fields,
                        weir_bytes name, weir_bytes value)
{
    struct weir__js_field *field;

    if (reserve_field(context, fields) < 0 ||
        reserve_text(context, fields, name.size + value.size) < 0)
        return -1;
    field = &fields->list[fields->count];
    field->name = append(fields, name);
    field->name_size = (uint32_t)name.size;
    field->value = append(fields, value);
    field->value_size = (uint32_t)value.size;
    fields->count++;
    fields->changes++;
    return 0;
}

int weir__js_fields_set(JSContext *context, struct weir__js_fields *fields,
                        uint32_t index, weir_bytes value)
{
    struct weir__js_field *field = &fields->list[index];

    if (value.size > field->value_size) {
        if (reserve_text(context, fields, value.size) < 0)
            return -1;
        fields->waste += field->value_size;
        field->value = append(fields, value);
    } else {
        fields->waste += field->value_size - (uint32_t)value.size;
        if (value.size > 0)
            memcpy(fields->text + field->value, value.data, value.size);
    }
    field->value_size = (uint32_t)value.size;
    fields->changes++;
    return 0;
}

void weir__js_fields_remove(struct weir__js_fields *fields, uint32_t index)
{
    struct weir__js_field *field = &fields->list[index];

    fields->waste += field->name_size + field->value_size;
    fields->count--;
    memmove(field, field + 1, (fields->count - index) * sizeof(*field));
    fields->changes++;
}

/* ---- strings ---- */

/* Characters up to U+00FF are two bytes in UTF-8. */
static int convert(JSContext *context, struct weir__js_span *span)
{
    const unsigned char *from = (const unsigned char *)span->string;
    size_t size = span->size;
    char *to = js_malloc(context, size + 1);
    unsigned index = 0;

    span->copy = to;
    if (to == NULL)
        return -1;
    for (size_t i = 0; i < size; i++, index++) {
        if (from[i] < 0x80) {
            *to++ = (char)from[i];
        } else if ((from[i] & 0xFC) == 0xC0) {
            *to++ = (char)(from[i] << 6 | (from[i + 1] & 0x3F));
            i++;
        } else {
            return (int)index + 1;
        }
    }
    span->data = span->copy;
    span->size = (size_t)(to - span->copy);
    return 0;
}

static int refuse(JSContext *context, JSValueConst value, unsigned index)
{
    size_t length;
    const uint16_t *units = JS_ToCStringLenUTF16(context, &length, value);

    if (units == NULL)
        return -1;
    JS_ThrowTypeError(context,
                      "Cannot convert argument to a ByteString because the "
                      "character at index %u has a value of %u which is "
                      "greater than 255.",
                      index, index < length ? units[index] : 0);
    JS_FreeCStringUTF16(context, units);
    return -1;
}

int weir__js_span_read(JSContext *context, JSValueConst value,
                       struct weir__js_span *span)
{
    JSValue text = JS_ToString(context, value);
    int bad = 0;

    span->copy = NULL;
    span->string = JS_ToCStringLen(context, &span->size, text);
    span->data = span->string;
    for (size_t i = 0; span->string != NULL && i < span->size; i++)
        if (span->string[i] & 0x80) {
            bad = convert(context, span);
            break;
        }
    if (span->string == NULL || bad != 0) {
        if (bad > 0)
            refuse(context, text, (unsigned)bad - 1);
        weir__js_span_free(context, span);
        bad = -1;
    }
    JS_FreeValue(context, text);
    return bad;
}

void weir__js_span_free(JSContext *context, struct weir__js_span *span)
{
    js_free(context, span->copy);
    if (span->string != NULL)
        JS_FreeCString(context, span->string);
    span->string = NULL;
    span->copy = NULL;
}

bool weir__js_is_token(weir_bytes name)
{
    const unsigned char *text = name.data;

    for (size_t i = 0; i < name.size; i++)
        if (!((text[i] >= '0' && text[i] <= '9') ||
              (lower(text[i]) >= 'a' && lower(text[i]) <= 'z') ||
              (text[i] != '\0' && strchr("!#$%&'*+-.^_`|~", text[i]) != NULL)))
            return false;
    return name.size > 0;
}

bool weir__js_is_field_value(weir_bytes value)
{
    const char *text = value.data;

    for (size_t i = 0; i < value.size; i++)
        if (text[i] == '\0' || text[i] == '\n' || text[i] == '\r')
            return false;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

weir_bytes weir__js_trim(weir_bytes value)
{
    const char *text = value.data;
    size_t size = value.size;

    while (size > 0 && is_space(text[size - 1]))
        size--;
    while (size > 0 && is_space(*text)) {
        text++;
        size--;
    }
    return (weir_bytes){text, size};
}

static JSValue make_string(JSContext *context, weir_bytes bytes, bool is_lower,
                           char *room)
{
    const unsigned char *from = bytes.data;
    char *to = room;

    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char c = is_lower ? lower(from[i]) : from[i];

        if (c < 0x80) {
            *to++ = (char)c;
        } else {
            *to++ = (char)(0xC0 | c >> 6);
            *to++ = (char)(0x80 | (c & 0x3F));
        }
    }
    return JS_NewStringLen(context, room, (size_t)(to - room));
}

JSValue weir__js_byte_string(JSContext *context, weir_bytes bytes,
                             bool is_lower)
{
    const unsigned char *from = bytes.data;
    char few[256], *room = few;
    bool is_plain = true;
    JSValue string;

    for (size_t i = 0; i < bytes.size && is_plain; i++)
        is_plain = from[i] < 0x80 && !(is_lower && lower(from[i]) != from[i]);
    if (is_plain)
        return JS_NewStringLen(context, bytes.data, bytes.size);
    if (2 * bytes.size > sizeof(few))
        room = js_malloc(context, 2 * bytes.size);
    if (room == NULL)
        return JS_EXCEPTION;
    string = make_string(context, bytes, is_lower, room);
    if (room != few)
        js_free(context, room);
    return string;
}

int64_t weir__js_content_length(weir_bytes value)
{
    const char *text = value.data;
    int64_t length = 0;

    if (value.size == 0 || value.size > 15)
        return -1;
    for (size_t i = 0; i < value.size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        length = 10 * length + (text[i] - '0');
    }
    return length;
}

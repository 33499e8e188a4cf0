/* SPDX-License-Identifier: MIT */
/*
 * fields -- a list of header fields, as the Fetch standard's header list.
 *
 * Names keep the case in which they were given; they are compared without regard
 * to it.  Names and values are bytes, one for each character up to
 * U+00FF.  A Response and its Headers object share one list.
 */
#ifndef WEIR_JS_FIELDS_H
#define WEIR_JS_FIELDS_H

#include <stdint.h>

#include "core/host.h"
#include "weir/net/bytes.h"

struct weir__js_field {
    uint32_t name, name_size;   /* offset in the text, and length */
    uint32_t value, value_size; /* the same */
};

struct weir__js_fields {
    unsigned refs;
    uint32_t count, capacity;
    uint32_t size, room; /* of the text */
    uint32_t waste;      /* bytes of the text that no field uses */
    uint32_t changes;    /* how often it was changed */
    struct weir__js_field *list;
    char *text;
};

/* Bytes that a string was converted to. */
struct weir__js_span {
    const char *data;
    size_t size;
    const char *string; /* the engine's */
    char *copy;         /* NULL: data is the string */
};

/* Returns NULL with an exception. */
struct weir__js_fields *weir__js_fields_new(JSContext *context);
/* Release a reference.  NULL has no effect. */
void weir__js_fields_unref(JSRuntime *runtime, struct weir__js_fields *fields);

static inline weir_bytes weir__js_fields_name(const struct weir__js_fields *f,
                                              uint32_t i)
{
    return (weir_bytes){f->text + f->list[i].name, f->list[i].name_size};
}

static inline weir_bytes weir__js_fields_value(const struct weir__js_fields *f,
                                               uint32_t i)
{
    return (weir_bytes){f->text + f->list[i].value, f->list[i].value_size};
}

/* Whether two names are the same without regard to case. */
bool weir__js_is_name(weir_bytes name, weir_bytes other);

/* The first field of this name at an index or after it; -1: none. */
int weir__js_fields_find(const struct weir__js_fields *fields, weir_bytes name,
                         uint32_t from);

/* Append a field.  Returns 0, or -1 with an exception. */
int weir__js_fields_add(JSContext *context, struct weir__js_fields *fields,
                        weir_bytes name, weir_bytes value);

/* Set the value of a field.  Returns 0, or -1 with an exception. */
int weir__js_fields_set(JSContext *context, struct weir__js_fields *fields,
                        uint32_t index, weir_bytes value);

void weir__js_fields_remove(struct weir__js_fields *fields, uint32_t index);

/* Convert a value to a byte string, as WebIDL says.  Returns 0, or -1 with an
 * exception; then there is nothing to free. */
int weir__js_span_read(JSContext *context, JSValueConst value,
                       struct weir__js_span *span);
void weir__js_span_free(JSContext *context, struct weir__js_span *span);

/* Whether it is a token, and the same for a value without white space around
 * it. */
bool weir__js_is_token(weir_bytes name);
bool weir__js_is_field_value(weir_bytes value);

/* The value of a Content-Length, or -1. */
int64_t weir__js_content_length(weir_bytes value);

/* Take the white space of HTTP off both ends. */
weir_bytes weir__js_trim(weir_bytes value);

/* A string with one character for each byte.  `is_lower` makes it lower
 * case. */
JSValue weir__js_byte_string(JSContext *context, weir_bytes bytes,
                             bool is_lower);

#endif /* WEIR_JS_FIELDS_H */

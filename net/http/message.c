/* SPDX-License-Identifier: MIT */
/*
 * message -- see message.h.
 *
 * Tested by  test/net/http/parser.c
 */
#include "http/message.h"

#include <errno.h>
#include <string.h>

#include "http/header.h"
#include "weir/host/memory.h"

static const weir_bytes methods[] = {
#define X(name, text) WEIR_BYTES_OF(text),
    WEIR__HTTP_METHODS(X)
#undef X
};

weir_bytes weir__http_method_name(enum weir__http_method method)
{
    return methods[method];
}

int weir__http_method_find(weir_bytes name)
{
    for (int n = 0; n < WEIR__HTTP_METHOD_COUNT; n++)
        if (methods[n].size == name.size &&
            memcmp(methods[n].data, name.data, name.size) == 0)
            return n;
    return -EINVAL;
}

/* ---- fields ---- */

int weir__http_find(const struct weir__http_message *message, weir_bytes name,
                    int n)
{
    for (; n < message->field_count; n++)
        if (message->fields[n].name_size == name.size &&
            weir__http_is_equal(weir__http_name(message, (size_t)n), name))
            return n;
    return -1;
}

weir_bytes weir__http_get(const struct weir__http_message *message,
                          weir_bytes name)
{
    int n = weir__http_find(message, name, 0);

    return n < 0 ? (weir_bytes){NULL, 0} : weir__http_value(message, (size_t)n);
}

static size_t table_size(unsigned capacity)
{
    return capacity * sizeof(struct weir__http_field);
}

static void free_table(struct weir__http_message *message)
{
    if (message->fields != message->inline_fields)
        weir_memory_free(message->fields, table_size(message->field_capacity));
}

static int grow_table(struct weir__http_message *message)
{
    unsigned capacity = message->field_capacity * 2u;
    struct weir__http_field *fields;

    if (capacity > UINT16_MAX)
        capacity = UINT16_MAX;
    fields = weir_memory_alloc(table_size(capacity));
    if (fields == NULL)
        return -ENOMEM;
    memcpy(fields, message->fields, table_size(message->field_capacity));
    free_table(message);
    message->fields = fields;
    message->field_capacity = (uint16_t)capacity;
    return 0;
}

struct weir__http_field *
weir__http_message_add(struct weir__http_message *message)
{
    unsigned count = message->field_count + message->trailer_count;
    struct weir__http_field *field;

    if (count == message->field_capacity && grow_table(message) != 0)
        return NULL;
    field = &message->fields[count];
    *field = (struct weir__http_field){0};
    return field;
}

/* ---- memory ---- */

struct weir__http_message *weir__http_message_new(void)
{
    struct weir__http_message *message = weir_memory_alloc(sizeof(*message));

    if (message == NULL)
        return NULL;
    memset(message, 0, offsetof(struct weir__http_message, inline_fields));
    message->fields = message->inline_fields;
    message->field_capacity = WEIR__HTTP_INLINE_FIELDS;
    return message;
}

static int grow_block(struct weir__http_block *block, size_t size)
{
    size_t capacity = block->capacity == 0 ? 256 : block->capacity;
    char *copy;

    while (capacity < size)
        capacity *= 2;
    copy = weir_memory_alloc(capacity);
    if (copy == NULL)
        return -ENOMEM;
    if (block->copy != NULL)
        memcpy(copy, block->copy, block->size);
    weir_memory_free(block->copy, block->capacity);
    block->copy = copy;
    block->capacity = (uint32_t)capacity;
    return 0;
}

int weir__http_block_append(struct weir__http_block *block, const char *data,
                            size_t size)
{
    if (block->size + size > block->capacity &&
        grow_block(block, block->size + size) != 0)
        return -ENOMEM;
    memcpy(block->copy + block->size, data, size);
    block->size += (uint32_t)size;
    block->data = block->copy;
    return 0;
}

int weir__http_block_set(struct weir__http_block *block, const char *data,
                         size_t size)
{
    if (block->copy != NULL)
        return weir__http_block_append(block, data, size);
    block->data = data;
    block->size = (uint32_t)size;
    return 0;
}

static int keep_block(struct weir__http_block *block)
{
    const char *data = block->data;
    uint32_t size = block->size;

    if (block->copy != NULL || size == 0)
        return 0;
    block->copy = weir_memory_alloc(size);
    if (block->copy == NULL)
        return -ENOMEM;
    memcpy(block->copy, data, size);
    block->capacity = size;
    block->data = block->copy;
    return 0;
}

int weir__http_message_keep(struct weir__http_message *message)
{
    int err = keep_block(&message->head);

    return err != 0 ? err : keep_block(&message->trailer);
}

void weir__http_message_free(struct weir__http_message *message)
{
    if (message == NULL)
        return;
    weir_memory_free(message->head.copy, message->head.capacity);
    weir_memory_free(message->trailer.copy, message->trailer.capacity);
    free_table(message);
    weir_memory_free(message, sizeof(*message));
}

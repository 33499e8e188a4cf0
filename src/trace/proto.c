/* SPDX-License-Identifier: MIT */
/*
 * proto -- see proto.h.
 *
 * Tested by  test/unit/trace/proto.c, test/unit/trace/perfetto.c
 */
#include "trace/proto.h"

#include <string.h>

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2 };

enum { LONGEST = 10 }; /* a varint */

static uint8_t *key(uint8_t *to, uint32_t field, enum wire wire)
{
    return weir__proto_varint(to, (uint64_t)field << 3 | wire);
}

/* Whether so many bytes fit behind a key and a number. */
static bool has_room(struct weir__proto *message, size_t bytes)
{
    if (bytes > WEIR__PROTO_BYTES - 2 * LONGEST ||
        message->size > WEIR__PROTO_BYTES - 2 * LONGEST - bytes)
        message->is_full = true;
    return !message->is_full;
}

static void end_at(struct weir__proto *message, const uint8_t *end)
{
    message->size = (size_t)(end - message->bytes);
}

void weir__proto_number(struct weir__proto *message, uint32_t field,
                        uint64_t value)
{
    uint8_t *to = message->bytes + message->size;

    if (has_room(message, 0))
        end_at(message, weir__proto_varint(key(to, field, VARINT), value));
}

void weir__proto_fixed64(struct weir__proto *message, uint32_t field,
                         uint64_t value)
{
    uint8_t *to = message->bytes + message->size;

    if (!has_room(message, sizeof(value)))
        return;
    to = key(to, field, FIXED64);
    for (unsigned i = 0; i < sizeof(value); i++)
        *to++ = (uint8_t)(value >> 8 * i);
    end_at(message, to);
}

void weir__proto_bytes(struct weir__proto *message, uint32_t field,
                       const void *bytes, size_t size)
{
    uint8_t *to = message->bytes + message->size;

    if (!has_room(message, size))
        return;
    to = weir__proto_varint(key(to, field, BYTES), size);
    memcpy(to, bytes, size);
    end_at(message, to + size);
}

void weir__proto_text(struct weir__proto *message, uint32_t field,
                      const char *text)
{
    weir__proto_bytes(message, field, text, strlen(text));
}

void weir__proto_message(struct weir__proto *message, uint32_t field,
                         const struct weir__proto *inner)
{
    if (inner->is_full)
        message->is_full = true;
    weir__proto_bytes(message, field, inner->bytes, inner->size);
}

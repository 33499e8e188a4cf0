/* SPDX-License-Identifier: MIT */
/*
 * proto -- messages in the wire format of Protocol Buffers.
 *
 *     struct weir__proto event = {0};
 *     weir__proto_number(&event, 9, 1);               field 9: varint
 *     weir__proto_text(&event, 23, "timer");          field 23: bytes
 *     weir__proto_message(&packet, 11, &event);       field 11: a message
 *
 * A message is built in a block of fixed size.  What does not fit makes it
 * `is_full`, and changes nothing.
 */
#ifndef WEIR_SRC_PROTO_H
#define WEIR_SRC_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR__PROTO_BYTES = 8192 };

struct weir__proto {
    size_t size;
    bool is_full;
    uint8_t bytes[WEIR__PROTO_BYTES];
};

static inline void weir__proto_begin(struct weir__proto *message)
{
    message->size = 0;
    message->is_full = false;
}

/* The encoding of a number; returns its end.  At most 10 bytes. */
static inline uint8_t *weir__proto_varint(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

void weir__proto_number(struct weir__proto *message, uint32_t field,
                        uint64_t value);
void weir__proto_fixed64(struct weir__proto *message, uint32_t field,
                         uint64_t value);
void weir__proto_bytes(struct weir__proto *message, uint32_t field,
                       const void *bytes, size_t size);
void weir__proto_text(struct weir__proto *message, uint32_t field,
                      const char *text);
void weir__proto_message(struct weir__proto *message, uint32_t field,
                         const struct weir__proto *inner);

#endif /* WEIR_SRC_PROTO_H */

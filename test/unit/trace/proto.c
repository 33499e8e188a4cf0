/* SPDX-License-Identifier: MIT */
/*
 * proto -- the wire format, against examples of its documentation.
 */
#include "trace/proto.h"

#include <string.h>

#include "support/suite.h"

static void expect_bytes(const struct weir__proto *message, const char *bytes,
                         size_t size)
{
    expect_int(message->size, size);
    expect(memcmp(message->bytes, bytes, size) == 0);
}

CASE(proto_numbers_are_varints)
{
    struct weir__proto message = {0};

    weir__proto_number(&message, 1, 150);
    expect_bytes(&message, "\x08\x96\x01", 3);
    weir__proto_begin(&message);
    weir__proto_number(&message, 60, UINT64_MAX);
    expect_bytes(&message, "\xe0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                 12);
}

CASE(proto_texts_and_messages_have_a_length)
{
    struct weir__proto message = {0}, inner = {0};

    weir__proto_text(&message, 2, "testing");
    expect_bytes(&message, "\x12\x07testing", 9);
    weir__proto_number(&inner, 1, 150);
    weir__proto_begin(&message);
    weir__proto_message(&message, 3, &inner);
    expect_bytes(&message, "\x1a\x03\x08\x96\x01", 5);
}

CASE(proto_fixed64_is_little_endian)
{
    struct weir__proto message = {0};

    weir__proto_fixed64(&message, 1, UINT64_C(0x0102030405060708));
    expect_bytes(&message, "\x09\x08\x07\x06\x05\x04\x03\x02\x01", 9);
}

CASE(proto_what_does_not_fit_changes_nothing)
{
    static struct weir__proto message, outer;
    static char text[WEIR__PROTO_BYTES];

    memset(text, 'x', sizeof(text));
    weir__proto_number(&message, 1, 1);
    weir__proto_bytes(&message, 2, text, sizeof(text));
    expect(message.is_full);
    expect_bytes(&message, "\x08\x01", 2);
    weir__proto_number(&message, 1, 1);
    expect_int(message.size, 2);
    weir__proto_message(&outer, 1, &message);
    expect(outer.is_full);
    weir__proto_begin(&message);
    while (!message.is_full)
        weir__proto_bytes(&message, 2, text, 100);
    expect(message.size <= WEIR__PROTO_BYTES && message.size > 8000);
}

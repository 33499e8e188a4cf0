/* SPDX-License-Identifier: MIT */
/*
 * dns_message -- DNS messages, right and wrong ones, for the tests of queries.
 *
 *     struct message message;
 *     message_begin(&message, query, 0);           a copy of its question
 *     size_t mark = record_begin(&message, "host.test", WEIR_DNS_MX, 300);
 *     put_16(&message, 10);
 *     put_name(&message, "mail.test");
 *     record_end(&message, mark);
 */
#ifndef WEIR_TEST_NET_NAMES_DNS_MESSAGE_H
#define WEIR_TEST_NET_NAMES_DNS_MESSAGE_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "support/suite.h"
#include "weir/net/query.h"

struct message {
    unsigned char bytes[65536];
    size_t size;
};

enum {
    DNS_HEADER = 12,
    DNS_ANSWER = 0x8180, /* response, recursion desired and available */
    DNS_TRUNCATED = 0x0200,
};

static inline void put_bytes(struct message *message, const void *bytes,
                             size_t size)
{
    expect(size <= sizeof(message->bytes) - message->size);
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static inline void put_8(struct message *message, unsigned number)
{
    unsigned char byte = (unsigned char)number;

    put_bytes(message, &byte, 1);
}

static inline void put_16(struct message *message, unsigned number)
{
    put_8(message, number >> 8);
    put_8(message, number & 255);
}

static inline void put_32(struct message *message, uint32_t number)
{
    put_16(message, number >> 16);
    put_16(message, number & 65535);
}

static inline void put_string(struct message *message, const char *text)
{
    put_8(message, (unsigned)strlen(text));
    put_bytes(message, text, strlen(text));
}

static inline void put_name(struct message *message, const char *name)
{
    while (*name != '\0') {
        size_t length = strcspn(name, ".");

        put_8(message, (unsigned)length);
        put_bytes(message, name, length);
        name += length + (name[length] == '.');
    }
    put_8(message, 0);
}

static inline void set_16(struct message *message, size_t at, unsigned number)
{
    message->bytes[at] = (unsigned char)(number >> 8);
    message->bytes[at + 1] = (unsigned char)number;
}

static inline unsigned get_16(const struct message *message, size_t at)
{
    return (unsigned)message->bytes[at] << 8 | message->bytes[at + 1];
}

/* Begin an answer to a question. */
static inline void message_begin(struct message *message, const char *name,
                                 unsigned type, unsigned id, unsigned code)
{
    message->size = 0;
    put_16(message, id);
    put_16(message, DNS_ANSWER | code);
    put_16(message, 1);
    put_16(message, 0);
    put_32(message, 0);
    put_name(message, name);
    put_16(message, type);
    put_16(message, 1);
}

/* The record is counted, and its size is filled in by record_end. */
static inline size_t record_begin(struct message *message, const char *name,
                                  unsigned type, uint32_t ttl_s)
{
    put_name(message, name);
    put_16(message, type);
    put_16(message, 1);
    put_32(message, ttl_s);
    put_16(message, 0);
    set_16(message, 6, get_16(message, 6) + 1);
    return message->size;
}

static inline void record_end(struct message *message, size_t mark)
{
    set_16(message, mark - 2, (unsigned)(message->size - mark));
}

static inline void put_address(struct message *message, const char *text)
{
    unsigned char bytes[16];
    bool is_ipv6 = strchr(text, ':') != NULL;

    expect_int(inet_pton(is_ipv6 ? AF_INET6 : AF_INET, text, bytes), 1);
    put_bytes(message, bytes, is_ipv6 ? 16 : 4);
}

static inline void put_data(struct message *message, unsigned type)
{
    switch (type) {
    case WEIR_DNS_A:
        put_address(message, "192.0.2.1");
        break;
    case WEIR_DNS_AAAA:
        put_address(message, "2001:db8::1");
        break;
    case WEIR_DNS_CNAME:
    case WEIR_DNS_NS:
    case WEIR_DNS_PTR:
        put_name(message, "host.test");
        break;
    case WEIR_DNS_MX:
        put_16(message, 10);
        put_name(message, "mail.test");
        break;
    case WEIR_DNS_TXT:
        put_string(message, "one");
        put_string(message, "");
        put_8(message, 3);
        put_bytes(message, "\0\xff!", 3);
        break;
    case WEIR_DNS_SOA:
        put_name(message, "ns.test");
        put_name(message, "admin.test");
        for (uint32_t i = 1; i <= 5; i++)
            put_32(message, i * 1000000000U / 2);
        break;
    case WEIR_DNS_SRV:
        put_16(message, 1);
        put_16(message, 2);
        put_16(message, 65535);
        put_name(message, "srv.test");
        break;
    case WEIR_DNS_NAPTR:
        put_16(message, 100);
        put_16(message, 50);
        put_string(message, "s");
        put_string(message, "z3950+N2L+N2C");
        put_string(message, "");
        put_name(message, "replacement.test");
        break;
    case WEIR_DNS_TLSA:
        put_8(message, 3);
        put_8(message, 1);
        put_8(message, 2);
        put_bytes(message, "\xab\0\xcd", 3);
        break;
    case WEIR_DNS_CAA:
        put_8(message, 128);
        put_string(message, "issue");
        put_bytes(message, "ca.test", 7);
        break;
    default:
        put_bytes(message, "raw", 3);
        break;
    }
}

static const unsigned all_types[] = {
    WEIR_DNS_A,
    WEIR_DNS_NS,
    WEIR_DNS_CNAME,
    WEIR_DNS_SOA,
    WEIR_DNS_PTR,
    WEIR_DNS_MX,
    WEIR_DNS_TXT,
    WEIR_DNS_AAAA,
    WEIR_DNS_SRV,
    WEIR_DNS_NAPTR,
    WEIR_DNS_TLSA,
    WEIR_DNS_CAA,
    65280 /* one for private use */,
};

enum { ALL_TYPES = sizeof(all_types) / sizeof(all_types[0]) };

/* Add a record of a type, or of all. */
static inline void put_record(struct message *message, const char *name,
                              unsigned type)
{
    for (size_t i = 0; i < ALL_TYPES; i++) {
        size_t mark;

        if (type != WEIR_DNS_ANY && type != all_types[i])
            continue;
        mark = record_begin(message, name, all_types[i], 300 + (uint32_t)i);
        put_data(message, all_types[i]);
        record_end(message, mark);
    }
}

#endif /* WEIR_TEST_NET_NAMES_DNS_MESSAGE_H */

/* SPDX-License-Identifier: MIT */
/*
 * records -- the answers of a DNS message (RFC 1035) as one block of memory.
 *
 * The message comes from the network: nothing in it is trusted.  A cursor never
 * moves past its end, and each record is read within the bounds of its data.
 * Names are expanded by c-ares, which refuses loops of compression.
 *
 * The message is read twice by the same code: once without memory, to add up
 * what is needed, and once to fill the block.  The block has the struct, the
 * records, and what they point to.
 */
#include "names/records.h"

#include <ares.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdalign.h>
#include <string.h>

#include "weir/host/memory.h"

enum { QUESTION = 4, CLASS_IN = 1 };

/* Part of a message that is being read.  After the first error everything that
 * is read is 0, and nothing moves. */
struct cursor {
    const unsigned char *at, *end;
    const unsigned char *message; /* where names may point to */
    size_t message_size;
    int err;
};

/* The block that is being filled; base is NULL while it is measured.  The
 * second reading uses what the first one has measured.  If it ever did not,
 * nothing would be written beyond the limit. */
struct arena {
    char *base;
    size_t used, limit;
};

/* ---- the block ---- */

static void *take(struct arena *arena, size_t size, size_t align)
{
    size_t begin = (arena->used + align - 1) & ~(align - 1);

    arena->used = begin + size;
    if (arena->base == NULL || arena->used > arena->limit)
        return NULL;
    return arena->base + begin;
}

/* Copy bytes, followed by a NUL.  Returns NULL while measuring. */
static const char *put(struct arena *arena, const void *bytes, size_t size)
{
    char *copy = take(arena, size + 1, 1);

    if (copy != NULL) {
        memcpy(copy, bytes, size);
        copy[size] = '\0';
    }
    return copy;
}

/* ---- numbers, bytes, names ---- */

static const unsigned char *read_bytes(struct cursor *cursor, size_t size)
{
    const unsigned char *bytes = cursor->at;

    if (cursor->err == 0 && (size_t)(cursor->end - cursor->at) < size)
        cursor->err = -EBADMSG;
    if (cursor->err != 0)
        return NULL;
    cursor->at += size;
    return bytes;
}

static uint32_t read_number(struct cursor *cursor, size_t size)
{
    const unsigned char *bytes = read_bytes(cursor, size);
    uint32_t number = 0;

    for (size_t i = 0; bytes != NULL && i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

static uint8_t read_8(struct cursor *cursor)
{
    return (uint8_t)read_number(cursor, 1);
}

static uint16_t read_16(struct cursor *cursor)
{
    return (uint16_t)read_number(cursor, 2);
}

static uint32_t read_32(struct cursor *cursor)
{
    return read_number(cursor, 4);
}

static const char *read_name(struct cursor *cursor, struct arena *arena)
{
    const char *name = NULL;
    char *expanded;
    long length;
    int status;

    if (cursor->err != 0)
        return NULL;
    status = ares_expand_name(cursor->at, cursor->message,
                              (int)cursor->message_size, &expanded, &length);
    if (status != ARES_SUCCESS) {
        cursor->err = status == ARES_ENOMEM ? -ENOMEM : -EBADMSG;
        return NULL;
    }
    if (read_bytes(cursor, (size_t)length) != NULL)
        name = put(arena, expanded, strlen(expanded));
    ares_free_string(expanded);
    return name;
}

/* Bytes that a length of one byte precedes. */
static weir_bytes read_string(struct cursor *cursor, struct arena *arena)
{
    size_t size = read_8(cursor);
    const unsigned char *bytes = read_bytes(cursor, size);

    if (bytes == NULL)
        return (weir_bytes){NULL, 0};
    return (weir_bytes){put(arena, bytes, size), size};
}

/* A string that users see without its length, so it cannot contain NULs. */
static const char *read_text(struct cursor *cursor, struct arena *arena)
{
    weir_bytes string = read_string(cursor, arena);

    if (cursor->err == 0 &&
        memchr(cursor->at - string.size, '\0', string.size) != NULL)
        cursor->err = -EBADMSG;
    return string.data;
}

static weir_bytes read_rest(struct cursor *cursor, struct arena *arena)
{
    size_t size = (size_t)(cursor->end - cursor->at);
    const unsigned char *bytes = read_bytes(cursor, size);

    if (bytes == NULL)
        return (weir_bytes){NULL, 0};
    return (weir_bytes){put(arena, bytes, size), size};
}

/* ---- records ---- */

static void read_address(struct cursor *cursor, weir_dns_record *record)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
    bool is_ipv4 = record->type == WEIR_DNS_A;
    size_t size = is_ipv4 ? sizeof(ipv4.sin_addr) : sizeof(ipv6.sin6_addr);
    const unsigned char *bytes = read_bytes(cursor, size);

    if (bytes == NULL)
        return;
    memcpy(is_ipv4 ? (void *)&ipv4.sin_addr : (void *)&ipv6.sin6_addr, bytes,
           size);
    cursor->err =
        is_ipv4 ? weir_address_from(&record->as.address, &ipv4, sizeof(ipv4))
                : weir_address_from(&record->as.address, &ipv6, sizeof(ipv6));
}

static void read_txt(struct cursor *cursor, struct arena *arena,
                     weir_dns_record *record)
{
    const unsigned char *begin = cursor->at;
    struct arena unused = {0};
    weir_bytes *parts;
    size_t count = 0;

    while (cursor->err == 0 && cursor->at < cursor->end) {
        (void)read_string(cursor, &unused);
        count++;
    }
    if (cursor->err != 0)
        return;
    cursor->at = begin;
    parts = take(arena, count * sizeof(*parts), alignof(weir_bytes));
    for (size_t i = 0; i < count; i++) {
        weir_bytes part = read_string(cursor, arena);

        if (parts != NULL)
            parts[i] = part;
    }
    record->as.txt.parts = parts;
    record->as.txt.count = count;
}

static void read_soa(struct cursor *cursor, struct arena *arena,
                     weir_dns_record *record)
{
    record->as.soa.primary = read_name(cursor, arena);
    record->as.soa.mailbox = read_name(cursor, arena);
    record->as.soa.serial = read_32(cursor);
    record->as.soa.refresh_s = read_32(cursor);
    record->as.soa.retry_s = read_32(cursor);
    record->as.soa.expire_s = read_32(cursor);
    record->as.soa.minimum_ttl_s = read_32(cursor);
}

static void read_srv(struct cursor *cursor, struct arena *arena,
                     weir_dns_record *record)
{
    record->as.srv.priority = read_16(cursor);
    record->as.srv.weight = read_16(cursor);
    record->as.srv.port = read_16(cursor);
    record->as.srv.host = read_name(cursor, arena);
}

static void read_naptr(struct cursor *cursor, struct arena *arena,
                       weir_dns_record *record)
{
    record->as.naptr.order = read_16(cursor);
    record->as.naptr.preference = read_16(cursor);
    record->as.naptr.flags = read_text(cursor, arena);
    record->as.naptr.service = read_text(cursor, arena);
    record->as.naptr.regexp = read_text(cursor, arena);
    record->as.naptr.replacement = read_name(cursor, arena);
}

static void read_caa(struct cursor *cursor, struct arena *arena,
                     weir_dns_record *record)
{
    record->as.caa.flags = read_8(cursor);
    record->as.caa.tag = read_text(cursor, arena);
    record->as.caa.value = read_rest(cursor, arena);
}

static void read_tlsa(struct cursor *cursor, struct arena *arena,
                      weir_dns_record *record)
{
    record->as.tlsa.usage = read_8(cursor);
    record->as.tlsa.selector = read_8(cursor);
    record->as.tlsa.matching = read_8(cursor);
    record->as.tlsa.data = read_rest(cursor, arena);
}

static void read_data(struct cursor *cursor, struct arena *arena,
                      weir_dns_record *record)
{
    switch (record->type) {
    case WEIR_DNS_A:
    case WEIR_DNS_AAAA:
        read_address(cursor, record);
        break;
    case WEIR_DNS_CNAME:
    case WEIR_DNS_NS:
    case WEIR_DNS_PTR:
        record->as.host = read_name(cursor, arena);
        break;
    case WEIR_DNS_MX:
        record->as.mx.priority = read_16(cursor);
        record->as.mx.host = read_name(cursor, arena);
        break;
    case WEIR_DNS_TXT:
        read_txt(cursor, arena, record);
        break;
    case WEIR_DNS_SOA:
        read_soa(cursor, arena, record);
        break;
    case WEIR_DNS_SRV:
        read_srv(cursor, arena, record);
        break;
    case WEIR_DNS_NAPTR:
        read_naptr(cursor, arena, record);
        break;
    case WEIR_DNS_CAA:
        read_caa(cursor, arena, record);
        break;
    case WEIR_DNS_TLSA:
        read_tlsa(cursor, arena, record);
        break;
    default: /* of a type without members: only its bytes */
        cursor->at = cursor->end;
        break;
    }
    if (cursor->err == 0 && cursor->at != cursor->end)
        cursor->err = -EBADMSG;
}

/* Read one record of the message.  Returns whether it is one of the type. */
static bool read_record(struct cursor *cursor, struct arena *arena,
                        unsigned type, weir_dns_record *record)
{
    struct cursor name = *cursor, data;
    struct arena unused = {0};
    unsigned class;
    size_t size;

    memset(record, 0, sizeof(*record));
    (void)read_name(cursor, &unused);
    record->type = read_16(cursor);
    class = read_16(cursor);
    record->ttl_s = read_32(cursor);
    if (record->ttl_s > INT32_MAX) /* RFC 2181, section 8 */
        record->ttl_s = 0;
    size = read_16(cursor);
    data = *cursor;
    if (read_bytes(cursor, size) == NULL || class != CLASS_IN ||
        (type != WEIR_DNS_ANY && type != record->type))
        return false;
    data.end = cursor->at;
    record->data = (weir_bytes){put(arena, data.at, size), size};
    record->name = read_name(&name, arena);
    read_data(&data, arena, record);
    cursor->err = name.err != 0 ? name.err : data.err;
    return cursor->err == 0;
}

/* ---- messages ---- */

static void skip_questions(struct cursor *cursor, unsigned count)
{
    struct arena unused = {0};

    while (count-- > 0 && cursor->err == 0) {
        (void)read_name(cursor, &unused);
        (void)read_bytes(cursor, QUESTION);
    }
}

/* Read the answers into records, or measure them if that is NULL.  Returns how
 * many there are, or an error. */
static int read_message(const unsigned char *message, size_t size,
                        unsigned type, struct arena *arena,
                        weir_dns_record *records)
{
    struct cursor cursor = {message, message + size, message, size, 0};
    unsigned questions, answers;
    int count = 0;

    (void)read_bytes(&cursor, 4);
    questions = read_16(&cursor);
    answers = read_16(&cursor);
    (void)read_bytes(&cursor, 4);
    skip_questions(&cursor, questions);
    for (unsigned i = 0; i < answers && cursor.err == 0; i++) {
        weir_dns_record record;

        if (!read_record(&cursor, arena, type, &record))
            continue;
        if (records != NULL)
            records[count] = record;
        if (records != NULL && count > 0)
            records[count - 1].next = &records[count];
        count++;
    }
    return cursor.err != 0 ? cursor.err : count;
}

int weir__records_read(struct weir__records **made,
                       const unsigned char *message, size_t size, unsigned type)
{
    struct arena arena = {0};
    struct weir__records *records;
    weir_dns_record *list;
    int count = read_message(message, size, type, &arena, NULL);
    size_t head = sizeof(*records), total;

    if (count <= 0)
        return count < 0 ? count : WEIR_ENAME;
    head += (size_t)count * sizeof(*list);
    total = head + arena.used; /* head is aligned, so the sum is right */
    records = weir_memory_alloc(total);
    if (records == NULL)
        return -ENOMEM;
    list = (weir_dns_record *)(records + 1);
    arena = (struct arena){(char *)records + head, 0, arena.used};
    count = read_message(message, size, type, &arena, list);
    if (count < 0) { /* c-ares has no memory */
        weir_memory_free(records, total);
        return count;
    }
    *records = (struct weir__records){
        .public = {.records = list, .count = (size_t)count}, .size = total};
    *made = records;
    return 0;
}

void weir__records_free(struct weir__records *records)
{
    if (records != NULL)
        weir_memory_free(records, records->size);
}

const weir_query_result *weir_query_result_take(const weir_query_result *public)
{
    struct weir__records *records = (struct weir__records *)public;

    if (public == NULL || public->count == 0)
        return NULL;
    *records->owner = NULL;
    records->owner = NULL;
    return public;
}

void weir_query_result_free(const weir_query_result *public)
{
    weir__records_free((struct weir__records *)public);
}

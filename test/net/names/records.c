/* SPDX-License-Identifier: MIT */
/*
 * Records: DNS messages as they should be, cut, changed, and made of noise.
 */
#include "names/records.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "dns_message.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/memory.h"

static struct message message;

/* A copy of the exact size, so that ASan sees what is read beyond it. */
static int read_exactly(struct weir__records **records,
                        const unsigned char *bytes, size_t size, unsigned type)
{
    unsigned char *copy = malloc(size + (size == 0));
    int err;

    memcpy(copy, bytes, size);
    err = weir__records_read(records, copy, size, type);
    free(copy);
    return err;
}

static struct weir__records *read_all(unsigned type)
{
    struct weir__records *records;

    expect_status(read_exactly(&records, message.bytes, message.size, type), 0);
    return records;
}

static const weir_dns_record *read_one(struct weir__records **records,
                                       unsigned type)
{
    message_begin(&message, "all.test", type, 1, 0);
    put_record(&message, "all.test", type);
    *records = read_all(type);
    expect_int((*records)->public.count, 1);
    expect_int((*records)->public.records->type, type);
    expect_string((*records)->public.records->name, "all.test");
    return (*records)->public.records;
}

static void expect_bytes(weir_bytes bytes, const char *expected, size_t size)
{
    expect_int(bytes.size, size);
    expect_int(memcmp(bytes.data, expected, size), 0);
}

CASE(records_of_addresses_are_addresses)
{
    struct weir__records *records;
    char text[WEIR_ADDRESS_TEXT];
    const weir_dns_record *record = read_one(&records, WEIR_DNS_A);

    weir_address_format(&record->as.address, text, sizeof(text));
    expect_string(text, "192.0.2.1:0");
    expect_int(record->ttl_s, 300);
    expect_bytes(record->data, "\xc0\0\2\1", 4);
    weir__records_free(records);
    record = read_one(&records, WEIR_DNS_AAAA);
    weir_address_format(&record->as.address, text, sizeof(text));
    expect_string(text, "[2001:db8::1]:0");
    weir__records_free(records);
}

CASE(records_of_hosts_have_their_names)
{
    static const unsigned types[] = {WEIR_DNS_CNAME, WEIR_DNS_NS, WEIR_DNS_PTR};
    struct weir__records *records;
    const weir_dns_record *record;

    for (size_t i = 0; i < 3; i++) {
        expect_string(read_one(&records, types[i])->as.host, "host.test");
        weir__records_free(records);
    }
    record = read_one(&records, WEIR_DNS_MX);
    expect_int(record->as.mx.priority, 10);
    expect_string(record->as.mx.host, "mail.test");
    weir__records_free(records);
    record = read_one(&records, WEIR_DNS_SRV);
    expect_int(record->as.srv.priority, 1);
    expect_int(record->as.srv.weight, 2);
    expect_int(record->as.srv.port, 65535);
    expect_string(record->as.srv.host, "srv.test");
    weir__records_free(records);
}

CASE(records_of_text_keep_every_byte)
{
    struct weir__records *records;
    const weir_dns_record *record = read_one(&records, WEIR_DNS_TXT);

    expect_int(record->as.txt.count, 3);
    expect_bytes(record->as.txt.parts[0], "one", 3);
    expect_bytes(record->as.txt.parts[1], "", 0);
    expect_bytes(record->as.txt.parts[2], "\0\xff!", 3);
    weir__records_free(records);
}

CASE(records_of_zones_services_and_certificates_have_their_members)
{
    struct weir__records *records;
    const weir_dns_record *record = read_one(&records, WEIR_DNS_SOA);

    expect_string(record->as.soa.primary, "ns.test");
    expect_string(record->as.soa.mailbox, "admin.test");
    expect_int(record->as.soa.serial, 500000000);
    expect_int(record->as.soa.refresh_s, 1000000000);
    expect_int(record->as.soa.retry_s, 1500000000);
    expect_int(record->as.soa.expire_s, 2000000000);
    expect_int(record->as.soa.minimum_ttl_s,
               (uint32_t)(5 * UINT64_C(1000000000)) / 2);
    weir__records_free(records);
    record = read_one(&records, WEIR_DNS_NAPTR);
    expect_int(record->as.naptr.order, 100);
    expect_int(record->as.naptr.preference, 50);
    expect_string(record->as.naptr.flags, "s");
    expect_string(record->as.naptr.service, "z3950+N2L+N2C");
    expect_string(record->as.naptr.regexp, "");
    expect_string(record->as.naptr.replacement, "replacement.test");
    weir__records_free(records);
    record = read_one(&records, WEIR_DNS_CAA);
    expect_int(record->as.caa.flags, 128);
    expect_string(record->as.caa.tag, "issue");
    expect_bytes(record->as.caa.value, "ca.test", 7);
    weir__records_free(records);
    record = read_one(&records, WEIR_DNS_TLSA);
    expect_int(record->as.tlsa.usage, 3);
    expect_int(record->as.tlsa.selector, 1);
    expect_int(record->as.tlsa.matching, 2);
    expect_bytes(record->as.tlsa.data, "\xab\0\xcd", 3);
    weir__records_free(records);
    record = read_one(&records, 65280);
    expect_bytes(record->data, "raw", 3);
    weir__records_free(records);
}

CASE(records_of_other_types_and_classes_are_left_out)
{
    struct weir__records *records;
    const weir_dns_record *record;
    size_t mark;

    message_begin(&message, "a.test", WEIR_DNS_A, 1, 0);
    put_record(&message, "a.test", WEIR_DNS_ANY);
    mark = record_begin(&message, "chaos.test", WEIR_DNS_A, 60);
    put_address(&message, "192.0.2.2");
    record_end(&message, mark);
    set_16(&message, mark - 8, 3);
    records = read_all(WEIR_DNS_A);
    expect_int(records->public.count, 1);
    expect_string(records->public.records[0].name, "a.test");
    weir__records_free(records);
    records = read_all(WEIR_DNS_ANY);
    expect_int(records->public.count, ALL_TYPES);
    record = records->public.records;
    for (size_t i = 0; i < ALL_TYPES; i++, record = record->next) {
        expect_int(record->type, all_types[i]);
        expect_int(record->ttl_s, 300 + i);
    }
    expect(record == NULL);
    weir__records_free(records);
    expect_status(read_exactly(&records, message.bytes, message.size, 99),
                  WEIR_ENAME);
}

CASE(record_whose_time_to_live_is_negative_has_none)
{
    struct weir__records *records;
    size_t mark;

    message_begin(&message, "a.test", WEIR_DNS_A, 1, 0);
    mark = record_begin(&message, "a.test", WEIR_DNS_A, 0x80000000U);
    put_address(&message, "192.0.2.1");
    record_end(&message, mark);
    records = read_all(WEIR_DNS_A);
    expect_int(records->public.records->ttl_s, 0);
    weir__records_free(records);
}

CASE(record_names_may_be_compressed)
{
    struct weir__records *records;
    size_t mark;

    message_begin(&message, "a.test", WEIR_DNS_MX, 1, 0);
    put_16(&message, 0xc000 | DNS_HEADER); /* the name of the question */
    put_16(&message, WEIR_DNS_MX);
    put_16(&message, 1);
    put_32(&message, 60);
    put_16(&message, 0);
    set_16(&message, 6, 1);
    mark = message.size;
    put_16(&message, 5);
    put_8(&message, 4);
    put_bytes(&message, "mail", 4);
    put_16(&message, 0xc000 | (DNS_HEADER + 2)); /* "test" */
    record_end(&message, mark);
    records = read_all(WEIR_DNS_MX);
    expect_string(records->public.records->name, "a.test");
    expect_string(records->public.records->as.mx.host, "mail.test");
    weir__records_free(records);
}

CASE(record_name_with_special_bytes_is_escaped)
{
    struct weir__records *records;
    size_t mark;

    message_begin(&message, "a.test", WEIR_DNS_NS, 1, 0);
    mark = record_begin(&message, "a.test", WEIR_DNS_NS, 60);
    put_8(&message, 5);
    put_bytes(&message, "a.\0\\\xff", 5);
    put_8(&message, 0);
    record_end(&message, mark);
    records = read_all(WEIR_DNS_NS);
    expect_string(records->public.records->as.host, "a\\.\\000\\\\\\255");
    weir__records_free(records);
}

static void expect_bad(unsigned type)
{
    struct weir__records *records;

    expect_status(read_exactly(&records, message.bytes, message.size, type),
                  -EBADMSG);
}

CASE(record_that_does_not_fit_its_size_is_refused)
{
    for (size_t i = 0; i < ALL_TYPES - 1; i++) {
        unsigned type = all_types[i];
        size_t mark;

        if (type != WEIR_DNS_CAA && type != WEIR_DNS_TLSA) {
            message_begin(&message, "a.test", type, 1, 0);
            mark = record_begin(&message, "a.test", type, 60);
            put_data(&message, type);
            put_8(&message, 255); /* one byte more */
            record_end(&message, mark);
            expect_bad(type);
        }
        message_begin(&message, "a.test", type, 1, 0);
        mark = record_begin(&message, "a.test", type, 60);
        put_data(&message, type);
        message.size = mark + 1; /* one byte only */
        record_end(&message, mark);
        expect_bad(type);
    }
}

CASE(record_text_with_a_nul_is_refused)
{
    size_t mark;

    message_begin(&message, "a.test", WEIR_DNS_CAA, 1, 0);
    mark = record_begin(&message, "a.test", WEIR_DNS_CAA, 60);
    put_8(&message, 0);
    put_8(&message, 3);
    put_bytes(&message, "a\0b", 3);
    record_end(&message, mark);
    expect_bad(WEIR_DNS_CAA);
}

CASE(message_that_is_cut_anywhere_is_refused)
{
    struct weir__records *records;

    message_begin(&message, "a.test", WEIR_DNS_ANY, 1, 0);
    put_record(&message, "a.test", WEIR_DNS_ANY);
    for (size_t size = 0; size < message.size; size++)
        expect_status(read_exactly(&records, message.bytes, size, WEIR_DNS_ANY),
                      -EBADMSG);
}

CASE(records_without_memory_are_refused)
{
    struct failing_allocator memory;
    struct weir__records *records;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    message_begin(&message, "a.test", WEIR_DNS_A, 1, 0);
    put_record(&message, "a.test", WEIR_DNS_A);
    expect_status(weir__records_read(&records, message.bytes, message.size, 1),
                  -ENOMEM);
    records = read_all(WEIR_DNS_A);
    weir__records_free(records);
    expect_int(memory.live_bytes, 0);
}

/* ---- changed messages ---- */

enum { MESSAGES = 100000 };

static size_t use(const char *text)
{
    return text == NULL ? 0 : strlen(text);
}

/* Read every member, for ASan. */
static size_t use_record(const weir_dns_record *record)
{
    const unsigned char *data = record->data.data;
    size_t sum = use(record->name);

    for (size_t i = 0; i < record->data.size; i++)
        sum += data[i];
    switch (record->type) {
    case WEIR_DNS_CNAME:
    case WEIR_DNS_NS:
    case WEIR_DNS_PTR:
        return sum + use(record->as.host);
    case WEIR_DNS_MX:
        return sum + use(record->as.mx.host);
    case WEIR_DNS_SRV:
        return sum + use(record->as.srv.host);
    case WEIR_DNS_TXT:
        for (size_t i = 0; i < record->as.txt.count; i++)
            sum += use(record->as.txt.parts[i].data);
        return sum;
    case WEIR_DNS_SOA:
        return sum + use(record->as.soa.primary) + use(record->as.soa.mailbox);
    case WEIR_DNS_CAA:
        return sum + use(record->as.caa.tag) + use(record->as.caa.value.data);
    case WEIR_DNS_NAPTR:
        return sum + use(record->as.naptr.flags) +
               use(record->as.naptr.service) + use(record->as.naptr.regexp) +
               use(record->as.naptr.replacement);
    default:
        return sum;
    }
}

CASE(message_that_is_changed_at_random_is_read_or_refused)
{
    struct random random = {random_seed()};
    static uint64_t taken[2];
    static struct message changed;
    size_t sum = 0;

    message_begin(&message, "a.test", WEIR_DNS_ANY, 1, 0);
    put_record(&message, "a.test", WEIR_DNS_ANY);
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct weir__records *records;
        uint64_t changes = 1 + random_below(&random, 4);
        int err;

        changed.size = message.size;
        memcpy(changed.bytes, message.bytes, message.size);
        while (changes-- > 0) {
            size_t at = random_below(&random, changed.size);

            changed.bytes[at] = (unsigned char)(random_below(&random, 3) == 0
                                                    ? 0xc0
                                                    : random_next(&random));
        }
        if (random_below(&random, 8) == 0)
            changed.size = random_below(&random, changed.size);
        err = read_exactly(&records, changed.bytes, changed.size, WEIR_DNS_ANY);
        taken[err == 0]++;
        expect(err == 0 || err == -EBADMSG || err == WEIR_ENAME);
        if (err != 0)
            continue;
        for (size_t j = 0; j < records->public.count; j++)
            sum += use_record(&records->public.records[j]);
        weir__records_free(records);
    }
    fprintf(stderr, "# sum %zu\n", sum);
    expect_all_taken(taken);
}

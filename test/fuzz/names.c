/* SPDX-License-Identifier: MIT */
/*
 * Random DNS messages and texts of addresses, for libFuzzer.
 *
 * The first byte chooses the type that is asked for; the rest is the message,
 * and also a text.  An address that is parsed must survive being written.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/records.h"
#include "weir/net/address.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int holds)
{
    if (!holds)
        abort();
}

/* Read all that a record points to. */
static size_t use_record(const weir_dns_record *record)
{
    size_t sum = strlen(record->name) + strlen(record->data.data);

    if (record->type == WEIR_DNS_TXT)
        for (size_t i = 0; i < record->as.txt.count; i++)
            sum += strlen(record->as.txt.parts[i].data);
    if (record->type == WEIR_DNS_MX)
        sum += strlen(record->as.mx.host);
    if (record->type == WEIR_DNS_NAPTR)
        sum += strlen(record->as.naptr.replacement) +
               strlen(record->as.naptr.regexp);
    if (record->type == WEIR_DNS_SOA)
        sum += strlen(record->as.soa.mailbox);
    if (record->type == WEIR_DNS_CAA)
        sum += strlen(record->as.caa.tag) + strlen(record->as.caa.value.data);
    return sum;
}

static void read_message(unsigned type, const uint8_t *data, size_t size)
{
    struct weir__records *records;
    size_t sum = 0, count = 0;

    if (weir__records_read(&records, data, size, type) != 0)
        return;
    check(records->public.count > 0);
    for (const weir_dns_record *record = records->public.records;
         record != NULL; record = record->next, count++)
        sum += use_record(record);
    check(count == records->public.count);
    check(sum <= 70 * records->size);
    weir__records_free(records);
}

static void read_address(const uint8_t *data, size_t size)
{
    char given[200], text[WEIR_ADDRESS_TEXT];
    weir_address address, again;

    size = size < sizeof(given) ? size : sizeof(given) - 1;
    memcpy(given, data, size);
    given[size] = '\0';
    if (weir_address_parse(&address, given, 80) != 0)
        return;
    check(weir_address_format(&address, text, sizeof(text)) < sizeof(text));
    check(weir_address_parse(&again, text, 0) == 0);
    check(weir_address_is_equal(&address, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    read_message(data[0], data + 1, size - 1);
    read_message(WEIR_DNS_ANY, data + 1, size - 1);
    read_address(data + 1, size - 1);
    return 0;
}

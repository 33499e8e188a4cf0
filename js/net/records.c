/* SPDX-License-Identifier: MIT */
/*
 * records -- see records.h.
 *
 * Tested by  test/js/net/dns-records.js
 */
#include "net/records.h"

#include <stdlib.h>

#include "core/property.h"
#include "net/address.h"

enum { FIELDS = 9 }; /* the most that a record has, with type and TTL */

/* One byte is one character. */
static JSValue new_text(JSContext *context, weir_bytes bytes)
{
    const unsigned char *from = bytes.data;
    uint16_t *units = js_malloc(context, 2 * bytes.size + 2);
    JSValue text;

    if (units == NULL)
        return JS_EXCEPTION;
    for (size_t i = 0; i < bytes.size; i++)
        units[i] = from[i];
    text = JS_NewStringUTF16(context, units, bytes.size);
    js_free(context, units);
    return text;
}

static JSValue new_texts(JSContext *context, const weir_bytes *parts,
                         size_t count)
{
    JSValue list = JS_NewArray(context);

    for (size_t i = 0; i < count && !JS_IsException(list); i++)
        weir__js_put_element(context, &list, (uint32_t)i,
                             new_text(context, parts[i]));
    return list;
}

static int fill_soa(JSContext *context, const weir_dns_record *record,
                    JSValue *values)
{
    values[0] = JS_NewString(context, record->as.soa.primary);
    values[1] = JS_NewString(context, record->as.soa.mailbox);
    values[2] = JS_NewUint32(context, record->as.soa.serial);
    values[3] = JS_NewUint32(context, record->as.soa.refresh_s);
    values[4] = JS_NewUint32(context, record->as.soa.retry_s);
    values[5] = JS_NewUint32(context, record->as.soa.expire_s);
    values[6] = JS_NewUint32(context, record->as.soa.minimum_ttl_s);
    return 7;
}

static int fill_naptr(JSContext *context, const weir_dns_record *record,
                      JSValue *values)
{
    values[0] = JS_NewString(context, record->as.naptr.flags);
    values[1] = JS_NewString(context, record->as.naptr.service);
    values[2] = JS_NewString(context, record->as.naptr.regexp);
    values[3] = JS_NewString(context, record->as.naptr.replacement);
    values[4] = JS_NewUint32(context, record->as.naptr.order);
    values[5] = JS_NewUint32(context, record->as.naptr.preference);
    return 6;
}

/* Returns how many values were set. */
static int fill(JSContext *context, const weir_dns_record *record,
                JSValue *values)
{
    switch (record->type) {
    case WEIR_DNS_A:
    case WEIR_DNS_AAAA:
        values[0] = weir__js_address_text(context, &record->as.address);
        return 1;
    case WEIR_DNS_CNAME:
    case WEIR_DNS_NS:
    case WEIR_DNS_PTR:
        values[0] = JS_NewString(context, record->as.host);
        return 1;
    case WEIR_DNS_MX:
        values[0] = JS_NewString(context, record->as.mx.host);
        values[1] = JS_NewUint32(context, record->as.mx.priority);
        return 2;
    case WEIR_DNS_SRV:
        values[0] = JS_NewString(context, record->as.srv.host);
        values[1] = JS_NewUint32(context, record->as.srv.port);
        values[2] = JS_NewUint32(context, record->as.srv.priority);
        values[3] = JS_NewUint32(context, record->as.srv.weight);
        return 4;
    case WEIR_DNS_TXT:
        values[0] =
            new_texts(context, record->as.txt.parts, record->as.txt.count);
        return 1;
    case WEIR_DNS_CAA:
        values[0] = JS_NewUint32(context, record->as.caa.flags);
        values[1] = JS_NewString(context, record->as.caa.tag);
        values[2] = new_text(context, record->as.caa.value);
        return 3;
    case WEIR_DNS_SOA:
        return fill_soa(context, record, values);
    case WEIR_DNS_NAPTR:
        return fill_naptr(context, record, values);
    default:
        return 0;
    }
}

static JSValue new_record(JSContext *context, const weir_dns_record *record)
{
    JSValue values[FIELDS];
    int count;

    values[0] = JS_NewUint32(context, record->type);
    values[1] = JS_NewUint32(context, record->ttl_s);
    count = 2 + fill(context, record, values + 2);
    return weir__js_new_array(context, count, values);
}

JSValue weir__js_records(JSContext *context, const weir_query_result *result)
{
    JSValue list = JS_NewArray(context);
    uint32_t count = 0;

    for (const weir_dns_record *record = result->records;
         record != NULL && !JS_IsException(list); record = record->next)
        weir__js_put_element(context, &list, count++,
                             new_record(context, record));
    return list;
}

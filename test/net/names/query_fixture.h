/* SPDX-License-Identifier: MIT */
/*
 * query_fixture -- a loop, a resolver, and the server that it asks.
 *
 *     begin_all(NULL);
 *     expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
 *     end_all();
 */
#ifndef WEIR_TEST_NET_NAMES_QUERY_FIXTURE_H
#define WEIR_TEST_NET_NAMES_QUERY_FIXTURE_H

#include <errno.h>
#include <stdio.h>

#include "dns_server.h"
#include "support/failing_fixture.h"
#include "weir/clock.h"

static struct dns_server server;
static weir_resolver *resolver;

#define RESOLVER_OPTIONS(...)                                                  \
    (&(weir_resolver_options){.size = sizeof(weir_resolver_options),           \
                              __VA_ARGS__})
#define QUERY_OPTIONS(...)                                                     \
    (&(weir_query_options){.size = sizeof(weir_query_options), __VA_ARGS__})

struct answer {
    unsigned calls;
    int status;
    size_t count;
    char text[256]; /* the first record, or the name of the error */
    const weir_query_result *taken;
};

/* ---- records as texts ---- */

static inline void write_data(const weir_dns_record *record, char *text,
                              size_t size)
{
    char address[WEIR_ADDRESS_TEXT];

    switch (record->type) {
    case WEIR_DNS_A:
    case WEIR_DNS_AAAA:
        weir_address_format(&record->as.address, address, sizeof(address));
        snprintf(text, size, "%s %s", record->type == 1 ? "A" : "AAAA",
                 address);
        break;
    case WEIR_DNS_CNAME:
        snprintf(text, size, "CNAME %s", record->as.host);
        break;
    case WEIR_DNS_NS:
        snprintf(text, size, "NS %s", record->as.host);
        break;
    case WEIR_DNS_PTR:
        snprintf(text, size, "PTR %s", record->as.host);
        break;
    case WEIR_DNS_MX:
        snprintf(text, size, "MX %u %s", record->as.mx.priority,
                 record->as.mx.host);
        break;
    case WEIR_DNS_TXT:
        snprintf(text, size, "TXT %zu %s", record->as.txt.count,
                 (const char *)record->as.txt.parts[0].data);
        break;
    case WEIR_DNS_SRV:
        snprintf(text, size, "SRV %u %u %u %s", record->as.srv.priority,
                 record->as.srv.weight, record->as.srv.port,
                 record->as.srv.host);
        break;
    case WEIR_DNS_SOA:
        snprintf(text, size, "SOA %s %s", record->as.soa.primary,
                 record->as.soa.mailbox);
        break;
    case WEIR_DNS_NAPTR:
        snprintf(text, size, "NAPTR %u %u %s %s%s %s", record->as.naptr.order,
                 record->as.naptr.preference, record->as.naptr.flags,
                 record->as.naptr.service, record->as.naptr.regexp,
                 record->as.naptr.replacement);
        break;
    case WEIR_DNS_CAA:
        snprintf(text, size, "CAA %u %s %zu", record->as.caa.flags,
                 record->as.caa.tag, record->as.caa.value.size);
        break;
    case WEIR_DNS_TLSA:
        snprintf(text, size, "TLSA %zu", record->as.tlsa.data.size);
        break;
    default:
        snprintf(text, size, "%u %zu", record->type, record->data.size);
        break;
    }
}

static inline void answered(void *arg, int status,
                            const weir_query_result *result)
{
    struct answer *answer = arg;
    char data[160];

    expect(weir_loop_is_owner(loop));
    answer->calls++;
    answer->status = status;
    answer->count = result->count;
    if (status != 0) {
        expect_int(result->count, 0);
        expect(result->reason != NULL && result->reason[0] != '\0');
        snprintf(answer->text, sizeof(answer->text), "%s", result->error);
        return;
    }
    expect(result->count > 0);
    expect(result->error == NULL && result->reason == NULL);
    write_data(&result->records[0], data, sizeof(data));
    snprintf(answer->text, sizeof(answer->text), "%.90s %s",
             result->records[0].name, data);
}

/* ---- resolvers ---- */

static inline void open_resolver(const weir_resolver_options *options)
{
    weir_resolver_options own = {.size = sizeof(own)};

    if (options != NULL)
        own = *options;
    if (own.servers == NULL) {
        own.servers = &server.address;
        own.server_count = 1;
    }
    expect_status(weir_resolver_new(&resolver, loop, &own), 0);
}

static inline void close_resolver(void)
{
    weir_resolver_close(resolver);
    resolver = NULL;
}

static inline void begin_all(const weir_resolver_options *options)
{
    begin();
    server_start(&server);
    loop_make(NULL);
    open_resolver(options);
}

static inline void end_all(void)
{
    close_resolver();
    loop_end();
    server_stop(&server);
    expect_no_leak();
}

/* An address where nobody listens. */
static inline weir_address free_port(void)
{
    struct dns_server unused;

    bind_both(&unused);
    close(unused.tcp);
    close(unused.udp);
    return unused.address;
}

/* ---- queries ---- */

static inline weir_query *start(struct answer *answer, const char *name,
                                unsigned type,
                                const weir_query_options *options)
{
    weir_query *query;

    expect_status(weir_query_start(resolver, &query, name, type, answered,
                                   answer, options),
                  0);
    expect_int(answer->calls, 0);
    return query;
}

static inline struct answer ask(const char *name, unsigned type,
                                const weir_query_options *options)
{
    struct answer answer = {0};

    start(&answer, name, type, options);
    loop_run();
    expect_int(answer.calls, 1);
    return answer;
}

static inline void expect_answer(const char *name, unsigned type,
                                 const char *text)
{
    struct answer answer = ask(name, type, NULL);

    expect_status(answer.status, 0);
    expect_string(answer.text, text);
}

static inline void expect_failure(const char *name, unsigned type, int status,
                                  const char *error)
{
    struct answer answer = ask(name, type, NULL);

    expect_status(answer.status, status);
    expect_string(answer.text, error);
}

#endif /* WEIR_TEST_NET_NAMES_QUERY_FIXTURE_H */

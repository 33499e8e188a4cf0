/* SPDX-License-Identifier: MIT */
/*
 * Queries, answered by a server of our own: every type and every failure.
 */
#include "weir/net/query.h"

#include <netdb.h>
#include <stdio.h>

#include "query_fixture.h"

/* ---- types ---- */

CASE(query_finds_the_records_of_each_type)
{
    begin_all(NULL);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    expect_answer("all.test", WEIR_DNS_AAAA, "all.test AAAA [2001:db8::1]:0");
    expect_answer("all.test", WEIR_DNS_CNAME, "all.test CNAME host.test");
    expect_answer("all.test", WEIR_DNS_NS, "all.test NS host.test");
    expect_answer("all.test", WEIR_DNS_PTR, "all.test PTR host.test");
    expect_answer("all.test", WEIR_DNS_MX, "all.test MX 10 mail.test");
    expect_answer("all.test", WEIR_DNS_TXT, "all.test TXT 3 one");
    expect_answer("all.test", WEIR_DNS_SRV, "all.test SRV 1 2 65535 srv.test");
    expect_answer("all.test", WEIR_DNS_SOA, "all.test SOA ns.test admin.test");
    expect_answer("all.test", WEIR_DNS_NAPTR,
                  "all.test NAPTR 100 50 s z3950+N2L+N2C replacement.test");
    expect_answer("all.test", WEIR_DNS_CAA, "all.test CAA 128 issue 7");
    expect_answer("all.test", WEIR_DNS_TLSA, "all.test TLSA 3");
    expect_answer("all.test", 65280, "all.test 65280 3");
    end_all();
}

CASE(query_for_any_type_finds_records_of_all_types)
{
    struct answer answer;

    begin_all(NULL);
    answer = ask("all.test", WEIR_DNS_ANY, NULL);
    expect_status(answer.status, 0);
    expect_int(answer.count, ALL_TYPES);
    end_all();
}

CASE(query_follows_an_alias)
{
    begin_all(NULL);
    expect_answer("alias.test", WEIR_DNS_A, "target.test A 192.0.2.1:0");
    expect_failure("cname.test", WEIR_DNS_A, WEIR_ENAME, "ENODATA");
    expect_answer("cname.test", WEIR_DNS_CNAME, "cname.test CNAME target.test");
    end_all();
}

CASE(query_of_an_address_finds_its_name)
{
    struct answer answers[2] = {0};
    weir_address address;

    begin_all(NULL);
    expect_status(weir_address_parse(&address, "192.0.2.1:80", 0), 0);
    expect_status(weir_query_reverse(resolver, NULL, &address, answered,
                                     &answers[0], NULL),
                  0);
    expect_status(weir_address_parse(&address, "2001:db8::1", 0), 0);
    expect_status(weir_query_reverse(resolver, NULL, &address, answered,
                                     &answers[1], NULL),
                  0);
    loop_run();
    expect_string(answers[0].text, "1.2.0.192.in-addr.arpa PTR host.test");
    expect_string(answers[1].text,
                  "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0."
                  "0.2.ip6.arpa PTR host.test");
    expect_status(weir_address_parse(&address, "@path", 0), 0);
    /* covers: weir_query_reverse -EINVAL */
    expect_status(weir_query_reverse(resolver, NULL, &address, answered,
                                     &answers[0], NULL),
                  -EINVAL);
    expect_status(
        weir_query_reverse(resolver, NULL, NULL, answered, &answers[0], NULL),
        -EINVAL);
    expect_status(weir_address_parse(&address, "::1", 0), 0);
    expect_status(
        weir_query_reverse(NULL, NULL, &address, answered, &answers[0], NULL),
        -EINVAL);
    end_all();
}

/* ---- truncation and TCP ---- */

CASE(query_whose_answer_is_truncated_is_repeated_by_tcp)
{
    struct answer answer;

    begin_all(NULL);
    answer = ask("big.test", WEIR_DNS_A, NULL);
    expect_status(answer.status, 0);
    expect_int(answer.count, 1000);
    expect_int(server_asked(&server.by_udp), 1);
    expect_int(server_asked(&server.by_tcp), 1);
    end_all();
}

CASE(query_goes_by_tcp_alone_if_it_is_told_to)
{
    begin_all(RESOLVER_OPTIONS(.is_tcp = true));
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    expect_int(server_asked(&server.by_udp), 0);
    expect_int(server_asked(&server.by_tcp), 1);
    end_all();
}

CASE(query_whose_connection_is_closed_fails)
{
    struct answer answer;

    begin_all(RESOLVER_OPTIONS(.attempts = 1));
    answer = ask("cut.test", WEIR_DNS_A, NULL);
    expect(answer.status != 0);
    expect_int(answer.count, 0);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

/* ---- failures ---- */

CASE(query_tells_why_there_is_no_record)
{
    begin_all(RESOLVER_OPTIONS(.attempts = 1));
    expect_failure("code-3.test", WEIR_DNS_A, WEIR_ENAME, "ENOTFOUND");
    expect_failure("empty.test", WEIR_DNS_A, WEIR_ENAME, "ENODATA");
    expect_failure("code-1.test", WEIR_DNS_A, -EIO, "EFORMERR");
    expect_failure("code-2.test", WEIR_DNS_A, -EIO, "ESERVFAIL");
    expect_failure("code-4.test", WEIR_DNS_A, -EIO, "ENOTIMP");
    expect_failure("code-5.test", WEIR_DNS_A, -EIO, "EREFUSED");
    expect_failure("a..test", WEIR_DNS_A, -EINVAL, "EBADNAME");
    end_all();
}

CASE(query_whose_answer_is_malformed_fails)
{
    static const char *const names[] = {"size.test", "short.test"};

    begin_all(RESOLVER_OPTIONS(.attempts = 1));
    for (size_t i = 0; i < 2; i++) {
        expect_failure(names[i], WEIR_DNS_A, -EBADMSG, "EBADRESP");
        expect_failure(names[i], WEIR_DNS_NS, -EBADMSG, "EBADRESP");
    }
    expect_failure("loop.test", WEIR_DNS_NS, -EBADMSG, "EBADRESP");
    end_all();
}

CASE(query_ignores_an_answer_to_another_query)
{
    begin_all(NULL);
    expect_answer("stray.test", WEIR_DNS_A, "stray.test A 192.0.2.1:0");
    end_all();
}

CASE(query_is_repeated_if_there_is_no_answer)
{
    begin_all(RESOLVER_OPTIONS(.timeout_ns = WEIR_MS(50)));
    expect_answer("second.test", WEIR_DNS_A, "second.test A 192.0.2.1:0");
    expect(server_asked(&server.by_udp) >= 2);
    end_all();
}

CASE(query_without_an_answer_times_out)
{
    begin_all(RESOLVER_OPTIONS(.timeout_ns = WEIR_MS(10), .attempts = 3));
    expect_failure("silent.test", WEIR_DNS_A, -ETIMEDOUT, "ETIMEOUT");
    for (int i = 0; i < 3; i++)
        await_post(&server.asked);
    expect_int(server_asked(&server.by_udp), 3);
    expect_failure("garbage.test", WEIR_DNS_A, -ETIMEDOUT, "ETIMEOUT");
    end_all();
}

CASE(query_asks_the_next_server_if_one_is_down)
{
    weir_address servers[2];

    begin_all(NULL);
    close_resolver();
    servers[0] = free_port();
    servers[1] = server.address;
    open_resolver(
        &(weir_resolver_options){.size = sizeof(weir_resolver_options),
                                 .servers = servers,
                                 .server_count = 2});
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(query_without_a_server_fails)
{
    weir_address nobody;

    begin_all(NULL);
    close_resolver();
    nobody = free_port();
    open_resolver(
        RESOLVER_OPTIONS(.servers = &nobody, .server_count = 1, .attempts = 1));
    expect_failure("all.test", WEIR_DNS_A, -ECONNREFUSED, "ECONNREFUSED");
    close_resolver();
    open_resolver(RESOLVER_OPTIONS(.servers = &nobody, .server_count = 1,
                                   .attempts = 1, .is_tcp = true));
    expect_failure("all.test", WEIR_DNS_A, -ECONNREFUSED, "ECONNREFUSED");
    end_all();
}

/* ---- many at once ---- */

CASE(queries_at_once_are_answered_once_each)
{
    enum { QUERIES = 300 };
    static struct answer answers[QUERIES];

    begin_all(RESOLVER_OPTIONS(.is_tcp = true));
    for (unsigned i = 0; i < QUERIES; i++)
        start(&answers[i], i % 3 == 0 ? "all.test" : "alias.test", WEIR_DNS_A,
              NULL);
    loop_run();
    for (unsigned i = 0; i < QUERIES; i++) {
        expect_int(answers[i].calls, 1);
        expect_string(answers[i].text, i % 3 == 0
                                           ? "all.test A 192.0.2.1:0"
                                           : "target.test A 192.0.2.1:0");
    }
    end_all();
}

/* ---- results ---- */

static void take(void *arg, int status, const weir_query_result *result)
{
    struct answer *answer = arg;

    answer->calls++;
    answer->taken = weir_query_result_take(result);
    expect(status == 0 ? answer->taken == result : answer->taken == NULL);
}

static void take_and_free(void *arg, int status,
                          const weir_query_result *result)
{
    ++*(unsigned *)arg;
    weir_query_result_free(weir_query_result_take(result));
}

CASE(query_result_that_is_taken_is_the_callers)
{
    struct answer answer = {0}, failed = {0};
    unsigned calls = 0;

    begin_all(NULL);
    expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_MX,
                                   take, &answer, NULL),
                  0);
    expect_status(weir_query_start(resolver, NULL, "code-3.test", WEIR_DNS_MX,
                                   take, &failed, NULL),
                  0);
    expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_MX,
                                   take_and_free, &calls, NULL),
                  0);
    loop_run();
    close_resolver();
    loop_end();
    expect_int(failed.calls, 1);
    expect_int(calls, 1);
    expect_string(answer.taken->records->as.mx.host, "mail.test");
    weir_query_result_free(answer.taken);
    weir_query_result_free(NULL);
    expect(weir_query_result_take(NULL) == NULL);
    server_stop(&server);
    expect_no_leak();
}

/* ---- what is refused ---- */

static int start_status(weir_resolver *asked, const char *name, unsigned type,
                        const weir_query_options *options)
{
    static struct answer answer;

    return weir_query_start(asked, NULL, name, type, answered, &answer,
                            options);
}

CASE(query_for_nonsense_is_refused)
{
    weir_query_options options = {.size = 1};
    struct {
        weir_query_options known;
        uint64_t unknown;
    } larger = {.known = {.size = sizeof(larger)}, .unknown = 1};

    begin_all(NULL);
    /* covers: weir_query_start -EINVAL */
    expect_status(start_status(NULL, "all.test", 1, NULL), -EINVAL);
    expect_status(start_status(resolver, NULL, 1, NULL), -EINVAL);
    expect_status(start_status(resolver, "all.test", 0, NULL), -EINVAL);
    expect_status(start_status(resolver, "all.test", 65536, NULL), -EINVAL);
    expect_status(start_status(resolver, "all.test", 1, &options), -EINVAL);
    expect_status(
        start_status(resolver, "all.test", 1, QUERY_OPTIONS(.timeout_ns = -1)),
        -EINVAL);
    expect_status(
        weir_query_start(resolver, NULL, "all.test", 1, NULL, NULL, NULL),
        -EINVAL);
    /* covers: weir_query_start -E2BIG */
    expect_status(start_status(resolver, "all.test", 1, &larger.known), -E2BIG);
    expect_status(start_status(resolver, "all.test", 1,
                               QUERY_OPTIONS(.timeout_ns = INT64_MAX)),
                  -EOVERFLOW);
    end_all();
}

CASE(query_of_a_name_that_is_too_long_fails)
{
    char name[2000];

    begin_all(NULL);
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    expect_failure(name, WEIR_DNS_A, -EINVAL, "EBADNAME");
    for (size_t i = 0; i < sizeof(name) - 1; i += 2)
        name[i + 1] = '.';
    name[sizeof(name) - 1] = '\0';
    expect_failure(name, WEIR_DNS_A, -EINVAL, "EBADNAME");
    end_all();
}

/* SPDX-License-Identifier: MIT */
/*
 * Resolvers: their servers, how queries are cancelled, the end of the loop, and
 * what happens without memory, sockets and descriptors.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "query_fixture.h"

/* Wait until the server has a query that it does not answer. */
static void await_asked(unsigned count)
{
    while (count-- > 0)
        await_post(&server.asked);
}

/* ---- cancelling ---- */

CASE(query_that_is_cancelled_is_called_once)
{
    struct answer answer = {0};
    weir_query *query;

    begin_all(NULL);
    query = start(&answer, "silent.test", WEIR_DNS_A, NULL);
    expect_status(weir_query_cancel(query), 0);
    /* covers: weir_query_cancel -EALREADY */
    expect_status(weir_query_cancel(query), -EALREADY);
    expect_int(answer.calls, 0);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    expect_string(answer.text, "ECANCELED");
    /* covers: weir_query_cancel -EINVAL */
    expect_status(weir_query_cancel(NULL), -EINVAL);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

static void cancel_inside(void *arg, int status)
{
    expect_status(weir_query_cancel(arg), 0);
}

CASE(query_that_a_callback_cancels_leaves_the_others)
{
    struct answer silent = {0}, second = {0};
    weir_query *query;

    begin_all(RESOLVER_OPTIONS(.timeout_ns = WEIR_MS(50)));
    query = start(&silent, "silent.test", WEIR_DNS_A, NULL);
    start(&second, "second.test", WEIR_DNS_A, NULL);
    await_asked(2);
    expect_status(weir_loop_submit(loop, cancel_inside, query), 0);
    loop_run();
    expect_int(silent.calls, 1);
    expect_status(silent.status, WEIR_ECANCELED);
    expect_int(second.calls, 1);
    expect_status(second.status, 0);
    end_all();
}

/* Its answer comes while its user has not been told of the cancel. */
CASE(query_that_is_cancelled_after_its_answer_was_sent_is_cancelled)
{
    struct answer answer = {0};
    weir_query *query;

    begin_all(NULL);
    query = start(&answer, "all.test", WEIR_DNS_A, NULL);
    await_asked(1);
    expect_status(weir_query_cancel(query), 0);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    end_all();
}

CASE(resolver_that_is_cancelled_goes_on)
{
    struct answer answers[3] = {0};

    begin_all(NULL);
    weir_resolver_cancel(resolver);
    for (int i = 0; i < 3; i++)
        start(&answers[i], "silent.test", WEIR_DNS_A, NULL);
    await_asked(3);
    weir_resolver_cancel(resolver);
    loop_run();
    for (int i = 0; i < 3; i++) {
        expect_int(answers[i].calls, 1);
        expect_status(answers[i].status, WEIR_ECANCELED);
    }
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(resolver_that_is_closed_cancels_its_queries)
{
    struct answer answers[2] = {0};

    begin_all(NULL);
    start(&answers[0], "silent.test", WEIR_DNS_A, NULL);
    start(&answers[1], "silent.test", WEIR_DNS_A, NULL);
    await_asked(2);
    close_resolver();
    expect_int(answers[0].calls + answers[1].calls, 0);
    loop_run();
    for (int i = 0; i < 2; i++) {
        expect_int(answers[i].calls, 1);
        expect_status(answers[i].status, WEIR_ECANCELED);
    }
    end_all();
}

static void close_inside(void *arg, int status, const weir_query_result *result)
{
    expect_status(status, 0);
    ++*(unsigned *)arg;
    close_resolver();
}

CASE(resolver_may_be_closed_by_a_query)
{
    struct answer answer = {0};
    unsigned calls = 0;

    begin_all(NULL);
    start(&answer, "silent.test", WEIR_DNS_A, NULL);
    expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_A,
                                   close_inside, &calls, NULL),
                  0);
    loop_run();
    expect_int(calls, 1);
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    end_all(); /* closing NULL has no effect */
}

static void raise_error(void *arg, int status, const weir_query_result *result)
{
    ++*(unsigned *)arg;
    weir_raise(-EPROTO, "raised");
}

static void ignore_rejection(void *arg, weir_loop *where,
                             const weir_rejection *what)
{
    expect_status(what->code, -EPROTO);
}

CASE(query_whose_callback_raises_leaves_nothing)
{
    unsigned calls = 0;

    begin();
    server_start(&server);
    loop_make(LOOP_OPTIONS(.on_rejection = ignore_rejection));
    open_resolver(NULL);
    for (int i = 0; i < 2; i++)
        expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_TXT,
                                       raise_error, &calls, NULL),
                      0);
    loop_run();
    expect_int(calls, 2);
    end_all();
}

/* ---- timeouts ---- */

static void let_pass(void *arg, int status)
{
    expect_status(weir_clock_advance(WEIR_S(3)), 0);
}

CASE(query_that_takes_too_long_is_told_so)
{
    struct answer answer = {0};

    begin_all(NULL);
    expect_status(weir_clock_freeze(0), 0);
    start(&answer, "silent.test", WEIR_DNS_A,
          QUERY_OPTIONS(.timeout_ns = WEIR_S(3)));
    await_asked(1);
    expect_status(weir_loop_submit(loop, let_pass, NULL), 0);
    loop_run();
    expect_int(answer.calls, 1);
    expect_status(answer.status, -ETIMEDOUT);
    end_all();
}

CASE(query_that_is_answered_in_time_leaves_no_timer)
{
    weir_holder holders[4];
    struct answer answer;

    begin_all(NULL);
    answer =
        ask("all.test", WEIR_DNS_A, QUERY_OPTIONS(.timeout_ns = WEIR_S(3000)));
    expect_status(answer.status, 0);
    expect_int(weir_loop_report(loop, holders, 4, sizeof(weir_holder)), 0);
    end_all();
}

/* ---- sockets ---- */

static bool is_inherited(int fd)
{
    int flags = fcntl(fd, F_GETFD);

    return flags >= 0 && !(flags & FD_CLOEXEC);
}

CASE(query_has_sockets_that_no_program_inherits)
{
    enum { DESCRIPTORS = 100 };
    bool was_inherited[DESCRIPTORS];
    struct answer answers[2] = {0};
    weir_resolver *first;

    for (int fd = 0; fd < DESCRIPTORS; fd++)
        was_inherited[fd] = is_inherited(fd);
    begin_all(NULL);
    start(&answers[0], "silent.test", WEIR_DNS_A, NULL);
    first = resolver;
    open_resolver(RESOLVER_OPTIONS(.is_tcp = true));
    start(&answers[1], "silent.test", WEIR_DNS_A, NULL);
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        expect(was_inherited[fd] || !is_inherited(fd));
    weir_resolver_close(first);
    close_resolver();
    loop_run();
    expect_int(answers[0].calls + answers[1].calls, 2);
    end_all();
}

/* ---- the end of the loop ---- */

static void end_while_silent(int (*end_loop)(weir_loop *, int64_t), bool is_tcp)
{
    struct answer answer = {0};

    begin_all(RESOLVER_OPTIONS(.is_tcp = is_tcp));
    start(&answer, "silent.test", WEIR_DNS_A,
          QUERY_OPTIONS(.timeout_ns = is_tcp ? WEIR_S(1000) : 0));
    while (is_tcp && server_asked(&server.by_tcp) == 0)
        expect_status(weir_loop_step(loop, WEIR_MS(1)), 0);
    await_asked(1);
    if (end_loop != NULL)
        expect_status(end_loop(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(answer.calls, 1);
    expect_status(answer.status, WEIR_ECANCELED);
    close_resolver(); /* its loop is gone */
    server_stop(&server);
    expect_no_leak();
}

CASE(query_is_cancelled_by_a_shutdown)
{
    end_while_silent(weir_loop_shutdown, false);
}

CASE(query_is_cancelled_by_a_close)
{
    end_while_silent(weir_loop_close, false);
}

CASE(query_is_cancelled_by_the_free_of_its_loop)
{
    end_while_silent(NULL, false);
}

CASE(query_by_tcp_is_cancelled_by_a_shutdown)
{
    end_while_silent(weir_loop_shutdown, true);
}

CASE(query_by_tcp_is_cancelled_by_a_close)
{
    end_while_silent(weir_loop_close, true);
}

static void answered_anywhere(void *arg, int status,
                              const weir_query_result *result)
{
    ++*(unsigned *)arg;
}

CASE(query_on_a_loop_that_has_ended_is_refused)
{
    unsigned calls = 0;

    begin_all(NULL);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    /* covers: weir_query_start WEIR_ECLOSED */
    expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_A,
                                   answered_anywhere, &calls, NULL),
                  WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
    close_resolver();
    server_stop(&server);
    expect_int(calls, 0);
    expect_no_leak();
}

/* ---- servers ---- */

CASE(resolver_has_the_servers_it_was_given)
{
    weir_address servers[3], found[3];
    static const char *const texts[] = {"192.0.2.1", "192.0.2.2:5353",
                                        "[2001:db8::1]:54"};

    begin_all(NULL);
    for (int i = 0; i < 3; i++)
        expect_status(weir_address_parse(&servers[i], texts[i], 0), 0);
    expect_status(weir_resolver_set_servers(resolver, servers, 3), 0);
    expect_int(weir_resolver_servers(resolver, NULL, 0), 3);
    expect_int(weir_resolver_servers(resolver, found, 2), 2 + 1);
    expect_int(weir_resolver_servers(resolver, found, 3), 3);
    weir_address_set_port(&servers[0], 53); /* by default */
    for (int i = 0; i < 3; i++)
        expect(weir_address_is_equal(&servers[i], &found[i]));
    expect_status(weir_resolver_set_servers(resolver, NULL, 0), 0);
    expect_int(weir_resolver_servers(resolver, found, 3), 0);
    end_all();
}

CASE(resolver_that_rotates_asks_its_servers_in_turn)
{
    static struct dns_server other;
    weir_address servers[2];

    begin();
    server_start(&server);
    server_start(&other);
    servers[0] = server.address;
    servers[1] = other.address;
    loop_make(NULL);
    open_resolver(RESOLVER_OPTIONS(.servers = servers, .server_count = 2,
                                   .is_rotating = true));
    for (int i = 0; i < 4; i++)
        expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    expect_int(server_asked(&server.by_udp), 2);
    expect_int(server_asked(&other.by_udp), 2);
    server_stop(&other);
    end_all();
}

CASE(query_that_is_searched_tries_the_domains)
{
    struct answer answer;

    expect_int(setenv("LOCALDOMAIN", "nowhere test", 1), 0);
    begin_all(NULL);
    answer = ask("all", WEIR_DNS_A, QUERY_OPTIONS(.is_searched = true));
    expect_string(answer.text, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(resolver_without_servers_has_those_of_the_system)
{
    begin();
    loop_make(NULL);
    expect_status(weir_resolver_new(&resolver, loop, NULL), 0);
    expect(weir_resolver_servers(resolver, NULL, 0) > 0);
    close_resolver();
    end();
}

CASE(resolver_refuses_servers_that_are_not_ip_addresses)
{
    weir_address address = {0};
    struct answer answer = {0};

    begin_all(NULL);
    /* covers: weir_resolver_set_servers -EINVAL */
    expect_status(weir_resolver_set_servers(resolver, NULL, 1), -EINVAL);
    expect_status(weir_resolver_set_servers(NULL, &server.address, 1), -EINVAL);
    expect_status(weir_resolver_set_servers(resolver, &address, 1), -EINVAL);
    expect_status(weir_address_parse(&address, "@name", 0), 0);
    expect_status(weir_resolver_set_servers(resolver, &address, 1), -EINVAL);
    expect_status(weir_address_parse(&address, "fe80::1%lo", 0), 0);
    expect_status(weir_resolver_set_servers(resolver, &address, 1), -EINVAL);
    start(&answer, "silent.test", WEIR_DNS_A, NULL);
    /* covers: weir_resolver_set_servers -EBUSY */
    expect_status(weir_resolver_set_servers(resolver, &server.address, 1),
                  -EBUSY);
    weir_resolver_cancel(resolver);
    loop_run();
    expect_status(weir_resolver_set_servers(resolver, &server.address, 1), 0);
    memory.fail_at = memory.calls + 1;
    /* covers: weir_resolver_set_servers -ENOMEM */
    expect_status(weir_resolver_set_servers(resolver, &server.address, 1),
                  -ENOMEM);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(resolver_with_nonsense_is_refused)
{
    weir_resolver *made = NULL;
    weir_address address = {0};
    struct {
        weir_resolver_options known;
        uint64_t unknown;
    } larger = {.known = {.size = sizeof(larger)}, .unknown = 1};

    begin();
    loop_make(NULL);
    /* covers: weir_resolver_new -EINVAL */
    expect_status(weir_resolver_new(NULL, loop, NULL), -EINVAL);
    expect_status(weir_resolver_new(&made, NULL, NULL), -EINVAL);
    expect_status(
        weir_resolver_new(&made, loop, RESOLVER_OPTIONS(.timeout_ns = -1)),
        -EINVAL);
    expect_status(
        weir_resolver_new(&made, loop, RESOLVER_OPTIONS(.server_count = 1)),
        -EINVAL);
    expect_status(
        weir_resolver_new(&made, loop, RESOLVER_OPTIONS(.servers = &address)),
        -EINVAL);
    expect_status(weir_resolver_new(
                      &made, loop,
                      RESOLVER_OPTIONS(.servers = &address, .server_count = 1)),
                  -EINVAL);
    /* covers: weir_resolver_new -E2BIG */
    expect_status(weir_resolver_new(&made, loop, &larger.known), -E2BIG);
    memory.fail_at = memory.calls + 1;
    /* covers: weir_resolver_new -ENOMEM */
    expect_status(weir_resolver_new(&made, loop, NULL), -ENOMEM);
    expect(made == NULL);
    end();
}

/* ---- without memory, sockets, descriptors ---- */

static bool ask_failing(uint64_t nth)
{
    struct answer answer = {0};
    bool has_failed;
    int err;

    begin_all(NULL);
    memory.fail_at = memory.calls + nth;
    err = weir_query_start(resolver, NULL, "all.test", WEIR_DNS_TXT, answered,
                           &answer, QUERY_OPTIONS(.timeout_ns = WEIR_S(1000)));
    loop_run();
    has_failed = memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    /* covers: weir_query_start -ENOMEM */
    expect(err == 0 || err == -ENOMEM);
    expect_int(answer.calls, err == 0);
    expect(answer.status == 0 || answer.status == -ENOMEM);
    expect(has_failed || (err == 0 && answer.status == 0));
    end_all();
    return has_failed;
}

CASE(query_without_memory_is_refused_or_tells_so)
{
    uint64_t nth = 1;

    while (ask_failing(nth))
        nth++;
    expect(nth > 5);
}

CASE(query_whose_socket_cannot_be_watched_fails)
{
    begin_all(NULL);
    failing_syscalls_set(CALL_EPOLL_CTL, 1, FAILING_ALWAYS, ENOSPC);
#ifndef WEIR_POLLER_POLL
    expect_failure("all.test", WEIR_DNS_A, -ENOSPC, "ENOSPC");
#endif
    failing_syscalls_set(CALL_EPOLL_CTL, 1, 0, 0);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(query_on_a_loop_without_descriptors_fails)
{
    begin();
    server_start(&server);
    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_NEVER));
    open_resolver(NULL);
    expect_failure("all.test", WEIR_DNS_A, WEIR_ENOFDS, "ENOFDS");
    end_all();
}

/* Set how many descriptors this process may have. */
static void limit_descriptors(rlim_t count)
{
    struct rlimit limit;

    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = count;
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

CASE(query_without_a_socket_fails)
{
    begin_all(RESOLVER_OPTIONS(.attempts = 1));
    limit_descriptors(0);
    expect_failure("all.test", WEIR_DNS_A, -ECONNREFUSED, "ECONNREFUSED");
    limit_descriptors(1000);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

CASE(resolver_without_the_configuration_of_the_system_asks_this_host)
{
    weir_address address, found;

    begin();
    loop_make(NULL);
    limit_descriptors(0); /* c-ares cannot open /etc/resolv.conf */
    expect_status(weir_resolver_new(&resolver, loop, NULL), 0);
    limit_descriptors(1000);
    expect_status(weir_address_parse(&address, "127.0.0.1:53", 0), 0);
    expect_int(weir_resolver_servers(resolver, &found, 1), 1);
    expect(weir_address_is_equal(&address, &found));
    close_resolver();
    end();
}

static void in_child(void)
{
    unsigned calls = 0;

    /* covers: weir_query_start WEIR_EFORKED */
    expect_status(weir_query_start(resolver, NULL, "all.test", WEIR_DNS_A,
                                   answered_anywhere, &calls, NULL),
                  WEIR_EFORKED);
    close_resolver();
    expect_status(weir_loop_free(loop), 0);
    _exit(calls == 0 ? 7 : 8);
}

CASE(resolver_of_a_parent_can_be_closed_in_a_child)
{
    struct answer answer = {0};
    int status;
    pid_t child;

    begin_all(NULL);
    start(&answer, "silent.test", WEIR_DNS_A, NULL);
    await_asked(1);
    child = fork();
    if (child == 0)
        in_child();
    expect_int(waitpid(child, &status, 0), child);
    expect(WIFEXITED(status));
    expect_int(WEXITSTATUS(status), 7);
    weir_resolver_cancel(resolver);
    loop_run();
    expect_int(answer.calls, 1);
    expect_answer("all.test", WEIR_DNS_A, "all.test A 192.0.2.1:0");
    end_all();
}

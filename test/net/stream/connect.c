/* SPDX-License-Identifier: MIT */
/*
 * connect -- who wins, and what a loser is told.
 */
#include "weir/net/connect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/net/listener.h"

static weir_listener *listener;
static weir_address where;
static weir_stream *accepted, *connected;
static int outcome = 1;

static void on_stream(void *arg, weir_stream *stream)
{
    accepted = stream;
}

static void listen_at(const char *text)
{
    weir_listener_options options = {.size = sizeof(options),
                                     .on_stream = on_stream};

    expect_status(weir_address_parse(&options.address, text, 0), 0);
    expect_status(weir_listener_open(&listener, loop, &options), 0);
    weir_listener_address(listener, &where);
}

static void on_connect(void *word, int status, weir_stream *stream)
{
    note(word);
    outcome = status;
    connected = stream;
    expect((status == 0) == (stream != NULL));
}

static void run_until_done(void)
{
    for (int i = 0; i < 1000 && outcome == 1; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(100)), 0);
    expect(outcome != 1);
}

static void end_all(void)
{
    if (connected != NULL)
        weir_stream_close(connected, NULL, NULL);
    for (int i = 0; i < 50 && accepted == NULL && connected != NULL; i++)
        expect_status(weir_loop_step(loop, WEIR_MS(20)), 0);
    if (accepted != NULL)
        weir_stream_close(accepted, NULL, NULL);
    if (listener != NULL)
        weir_listener_close(listener, NULL, NULL);
    loop_run();
    loop_end();
}

CASE(connect_to_a_number_succeeds_after_the_call)
{
    loop_make(NULL);
    listen_at("127.0.0.1:0");
    expect_status(weir_connect(loop, NULL, "127.0.0.1",
                               weir_address_port(&where), on_connect,
                               "connected", NULL),
                  0);
    expect_recorded("");
    run_until_done();
    expect_recorded("connected");
    expect_status(outcome, 0);
    end_all();
}

CASE(connect_to_a_name_looks_it_up)
{
    loop_make(NULL);
    listen_at("127.0.0.1:0");
    expect_status(weir_connect(loop, NULL, "localhost",
                               weir_address_port(&where), on_connect,
                               "connected", NULL),
                  0);
    run_until_done();
    expect_status(outcome, 0);
    end_all();
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(connect_to_a_unix_socket)
{
    char text[WEIR_ADDRESS_TEXT];

    loop_make(NULL);
    snprintf(text, sizeof(text), "@weir-connect-%d", (int)getpid());
    listen_at(text);
    expect_status(weir_connect(loop, NULL, text, 0, on_connect, "c", NULL), 0);
    expect_recorded("");
    run_until_done();
    expect_status(outcome, 0);
    end_all();
}

CASE(connect_where_nobody_listens_is_refused)
{
    loop_make(NULL);
    listen_at("127.0.0.1:0");
    weir_listener_close(listener, NULL, NULL);
    listener = NULL;
    loop_run();
    expect_status(weir_connect_addresses(loop, NULL, &where, 1, on_connect,
                                         "failed", NULL),
                  0);
    run_until_done();
    expect_status(outcome, -ECONNREFUSED);
    end_all();
}

CASE(connect_goes_on_with_the_next_address_after_a_failure)
{
    weir_address both[2];

    loop_make(NULL);
    listen_at("127.0.0.1:0");
    expect_status(weir_address_parse(&both[0], "127.0.0.1:1", 0), 0);
    both[1] = where;
    expect_status(
        weir_connect_addresses(loop, NULL, both, 2, on_connect, "c", NULL), 0);
    run_until_done();
    expect_status(outcome, 0);
    end_all();
}

/* A socket whose queue is full neither accepts nor refuses. */
static void make_silent(weir_address *address, int fds[4])
{
    size_t size;
    const struct sockaddr *name;
    struct sockaddr_storage bound;
    socklen_t length = sizeof(bound);

    expect_status(weir_address_parse(address, "127.0.0.1:0", 0), 0);
    name = weir_address_sockaddr(address, &size);
    fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(bind(fds[0], name, (socklen_t)size), 0);
    expect_int(listen(fds[0], 0), 0);
    expect_int(getsockname(fds[0], (struct sockaddr *)&bound, &length), 0);
    expect_status(weir_address_from(address, &bound, length), 0);
    name = weir_address_sockaddr(address, &size);
    for (int i = 1; i < 4; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(fds[i], name, (socklen_t)size);
    }
}

static void close_silent(int fds[4])
{
    for (int i = 0; i < 4; i++)
        close(fds[i]);
}

CASE(connect_does_not_wait_for_an_address_that_is_silent)
{
    weir_connect_options options = {.size = sizeof(options),
                                    .delay_ns = WEIR_MS(5)};
    weir_address both[2];
    int silent[4];

    loop_make(NULL);
    listen_at("127.0.0.1:0");
    make_silent(&both[0], silent);
    both[1] = where;
    expect_status(
        weir_connect_addresses(loop, NULL, both, 2, on_connect, "c", &options),
        0);
    run_until_done();
    expect_status(outcome, 0);
    close_silent(silent);
    end_all();
}

CASE(connect_times_out)
{
    weir_connect_options options = {.size = sizeof(options),
                                    .timeout_ns = WEIR_MS(10)};
    weir_address address;
    int silent[4];

    loop_make(NULL);
    make_silent(&address, silent);
    expect_status(weir_connect_addresses(loop, NULL, &address, 1, on_connect,
                                         "c", &options),
                  0);
    run_until_done();
    expect_status(outcome, -ETIMEDOUT);
    close_silent(silent);
    end_all();
}

CASE(connect_can_be_cancelled)
{
    weir_connecting *connecting;
    weir_address address;
    int silent[4];

    loop_make(NULL);
    make_silent(&address, silent);
    expect_status(weir_connect_addresses(loop, &connecting, &address, 1,
                                         on_connect, "c", NULL),
                  0);
    weir_connect_cancel(connecting);
    expect_recorded("");
    run_until_done();
    expect_status(outcome, WEIR_ECANCELED);
    outcome = 1;
    expect_status(weir_connect(loop, &connecting, "localhost", 1, on_connect,
                               "lookup", NULL),
                  0);
    weir_connect_cancel(connecting);
    run_until_done();
    expect_status(outcome, WEIR_ECANCELED);
    close_silent(silent);
    end_all();
    expect_status(weir_lookup_end_threads(), 0);
}

CASE(connect_ends_with_the_loop)
{
    weir_address address;
    int silent[4];

    loop_make(NULL);
    make_silent(&address, silent);
    expect_status(
        weir_connect_addresses(loop, NULL, &address, 1, on_connect, "c", NULL),
        0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(outcome, WEIR_ECANCELED);
    expect_recorded("c");
    close_silent(silent);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_connect -EINVAL
 * covers: weir_connect -E2BIG
 * covers: weir_connect_addresses -EINVAL
 * covers: weir_connect_addresses -E2BIG */
CASE(connect_refuses_nonsense)
{
    struct {
        weir_connect_options options;
        int unknown;
    } newer = {{.size = sizeof(newer)}, 1};
    weir_connect_options negative = {.size = sizeof(negative), .delay_ns = -1};
    weir_address address;

    loop_make(NULL);
    expect_status(weir_address_parse(&address, "127.0.0.1:1", 0), 0);
    expect_status(weir_connect(loop, NULL, "", 1, on_connect, "", NULL),
                  -EINVAL);
    expect_status(weir_connect(loop, NULL, NULL, 1, on_connect, "", NULL),
                  -EINVAL);
    expect_status(weir_connect(NULL, NULL, "x", 1, on_connect, "", NULL),
                  -EINVAL);
    expect_status(weir_connect(loop, NULL, "x", 1, NULL, "", NULL), -EINVAL);
    expect_status(
        weir_connect(loop, NULL, "x", 1, on_connect, "", &newer.options),
        -E2BIG);
    expect_status(weir_connect_addresses(loop, NULL, &address, 1, on_connect,
                                         "", &newer.options),
                  -E2BIG);
    expect_status(
        weir_connect_addresses(loop, NULL, &address, 0, on_connect, "", NULL),
        -EINVAL);
    expect_status(weir_connect_addresses(loop, NULL, &address, 1, on_connect,
                                         "", &negative),
                  -EINVAL);
    loop_end();
}

/* covers: weir_connect_addresses WEIR_ECLOSED */
CASE(connect_on_a_loop_that_has_ended_is_refused)
{
    weir_address address;

    loop_make(NULL);
    expect_status(weir_address_parse(&address, "127.0.0.1:1", 0), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(
        weir_connect_addresses(loop, NULL, &address, 1, on_connect, "", NULL),
        WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
}

/* covers: weir_connect -ENOMEM
 * covers: weir_connect_addresses -ENOMEM */
CASE(connect_without_memory_is_refused)
{
    static struct failing_allocator memory;
    int failures = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    listen_at("127.0.0.1:0");
    for (uint64_t nth = 1; outcome == 1; nth++) {
        int err;

        memory.fail_at = memory.calls + nth;
        err = weir_connect(loop, NULL, "127.0.0.1", weir_address_port(&where),
                           on_connect, "c", NULL);
        memory.fail_at = 0;
        if (err == 0)
            run_until_done();
        else
            expect_status(err, -ENOMEM);
        if (outcome == -ENOMEM)
            outcome = 1;
        failures += err != 0;
    }
    expect(failures > 0);
    expect_status(outcome, 0);
    end_all();
    expect_int(memory.live, 0);
}

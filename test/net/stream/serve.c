/* SPDX-License-Identifier: MIT */
/*
 * serve -- connections as a part of a service, and what its drain does to them.
 * The clients are blocking sockets of the test.
 */
#include <errno.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir/net/serve.h"

static struct failing_allocator memory;
static weir_service *service;
static weir_address address;

/* Written on the server's thread, read after the service has ended. */
static struct {
    int accepted, drained, closed;
    void *drain_arg;
} seen;

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status != 0)
        weir_stream_finish(stream, WEIR_S(5), NULL, NULL);
    else
        expect_status(weir_stream_write(stream, &bytes, 1, NULL, NULL), 0);
}

static void on_stream(void *arg, weir_stream *stream)
{
    seen.accepted++;
    weir_stream_set_arg(stream, &seen.accepted);
    expect_status(weir_stream_read(stream, on_read, NULL), 0);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    seen.closed++;
}

static void on_drain(void *arg, weir_stream *stream)
{
    seen.drained++;
    seen.drain_arg = arg;
    weir_stream_finish(stream, WEIR_S(5), on_closed, NULL);
}

static void on_drain_ignored(void *arg, weir_stream *stream)
{
    seen.drained++;
}

static void on_drain_raising(void *arg, weir_stream *stream)
{
    seen.drained++;
    weir_stream_finish(stream, WEIR_S(5), on_closed, NULL);
    weir_raise(-EIO, "on purpose");
}

/* ---- fixture ---- */

static void make_service(int64_t timeout_ns)
{
    weir_service_options options = {
        .size = sizeof(options), .no_signals = true, .timeout_ns = timeout_ns};

    expect_status(weir_service_new(&service, &options), 0);
}

static void begin(int64_t timeout_ns)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make_service(timeout_ns);
}

static void start(void (*drain)(void *arg, weir_stream *stream),
                  int64_t timeout_ns)
{
    weir_serve_options options = {
        .size = sizeof(options), .on_stream = on_stream, .on_drain = drain};

    begin(timeout_ns);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_start(service), 0);
}

static void end(int status)
{
    expect_status(weir_service_wait(service, WEIR_S(50)), status);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
}

static int connect_to(int client)
{
    struct timeval limit = {.tv_sec = 30};
    size_t size;
    const void *name = weir_address_sockaddr(&address, &size);

    expect_int(
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
    return connect(client, name, (socklen_t)size) != 0 ? -errno : 0;
}

static int connect_status(int *client)
{
    *client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect(*client >= 0);
    return connect_to(*client);
}

static int connect_client(void)
{
    int client;

    expect_status(connect_status(&client), 0);
    return client;
}

static void expect_echo(int client)
{
    char text[5];

    expect_int(send(client, "hello", 5, MSG_NOSIGNAL), 5);
    expect_int(recv(client, text, 5, MSG_WAITALL), 5);
    expect(memcmp(text, "hello", 5) == 0);
}

static void expect_end(int client)
{
    char byte;

    expect_int(recv(client, &byte, 1, 0), 0);
    close(client);
}

/* ---- the drain ---- */

CASE(a_service_ends_when_its_streams_have_been_finished)
{
    int clients[3];

    start(NULL, 0);
    for (int i = 0; i < 3; i++) {
        clients[i] = connect_client();
        expect_echo(clients[i]);
    }
    expect_status(weir_service_stop(service), 0);
    for (int i = 0; i < 3; i++)
        expect_end(clients[i]);
    end(0);
    expect_int(seen.accepted, 3);
}

CASE(on_drain_is_called_for_each_stream_with_its_own_argument)
{
    int clients[3];

    start(on_drain, 0);
    for (int i = 0; i < 3; i++) {
        clients[i] = connect_client();
        expect_echo(clients[i]);
    }
    close(clients[0]); /* is gone, or is told as well */
    expect_status(weir_service_stop(service), 0);
    expect_end(clients[1]);
    expect_end(clients[2]);
    end(0);
    expect(seen.drained == 2 || seen.drained == 3);
    expect_int(seen.closed, seen.drained);
    expect(seen.drain_arg == &seen.accepted);
}

CASE(on_drain_that_raises_fails_alone)
{
    int first, second;

    start(on_drain_raising, 0);
    first = connect_client();
    second = connect_client();
    expect_echo(first);
    expect_echo(second);
    expect_status(weir_service_stop(service), 0);
    expect_end(first);
    expect_end(second);
    end(0);
    expect_int(seen.drained, 2);
    expect_int(seen.closed, 2);
}

CASE(a_stream_that_stays_open_is_cut_off_at_the_deadline)
{
    int client;

    start(on_drain_ignored, WEIR_MS(100));
    client = connect_client();
    expect_echo(client);
    expect_status(weir_service_stop(service), 0);
    end(WEIR_EFORCED);
    close(client);
    expect_int(seen.drained, 1);
}

/* A client that takes less than it is sent.  The drain is that of the options. */
static void stop_with_a_client_that_stops_receiving(weir_serve_options options)
{
    static char text[12000];
    int client, room = 2048;

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_start(service), 0);
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)),
               0);
    expect_status(connect_to(client), 0);
    expect_int(send(client, text, sizeof(text), MSG_NOSIGNAL), sizeof(text));
    expect_int(recv(client, text, 1, MSG_PEEK), 1); /* it was answered */
    expect_status(weir_service_stop(service), 0);
    end(WEIR_EFORCED);
    close(client);
}

CASE(a_client_that_does_not_receive_everything_makes_the_end_a_forced_one)
{
    stop_with_a_client_that_stops_receiving(
        (weir_serve_options){.size = sizeof(weir_serve_options),
                             .on_stream = on_stream,
                             .linger_ns = WEIR_MS(20)});
}

static void on_drain_impatient(void *arg, weir_stream *stream)
{
    weir_stream_finish(stream, WEIR_MS(20), on_closed, NULL);
}

CASE(so_does_one_whose_stream_is_finished_by_its_owner)
{
    stop_with_a_client_that_stops_receiving(
        (weir_serve_options){.size = sizeof(weir_serve_options),
                             .on_stream = on_stream,
                             .on_drain = on_drain_impatient});
}

/* The streams of the service leave theirs. */
CASE(a_client_that_waits_for_a_descriptor_is_accepted_by_the_drain)
{
    struct rlimit limit, little;
    int first, second, last;

    start(NULL, 0);
    first = connect_client();
    expect_echo(first);
    second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    last = dup(second); /* no descriptor below this one is free */
    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    little = (struct rlimit){(rlim_t)last, limit.rlim_max};
    close(last);
    expect_int(setrlimit(RLIMIT_NOFILE, &little), 0);
    expect_status(connect_to(second), 0);
    expect_status(weir_service_stop(service), 0);
    expect_end(first);
    expect_end(second); /* not a reset */
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    end(0);
    expect_int(seen.accepted, 2);
}

CASE(a_service_that_cannot_listen_ends_with_the_reason)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_service_start(service), 0);
    end(-ENOMEM);
}

static void on_error(void *arg, weir_listener *listener, int err)
{
    expect_status(err, -EMFILE);
    expect_int(sem_post(arg), 0);
}

CASE(on_error_of_the_listener_gets_the_argument_of_the_options)
{
    sem_t told;
    weir_listener_options listening = {.size = sizeof(listening),
                                       .on_error = on_error};
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream,
                                  .arg = &told,
                                  .listener = &listening};
    struct rlimit limit, little;
    int first, client, last;

    expect_int(sem_init(&told, 0, 0), 0);
    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_start(service), 0);
    first = connect_client();
    expect_echo(first); /* it listens */
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    last = dup(client); /* no descriptor below this one is free */
    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    little = limit;
    little.rlim_cur = (rlim_t)last;
    close(last);
    expect_int(setrlimit(RLIMIT_NOFILE, &little), 0);
    expect_status(connect_to(client), 0);
    while (sem_wait(&told) != 0)
        expect_int(errno, EINTR);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_echo(client); /* accepted as soon as there is a descriptor */
    expect_status(weir_service_stop(service), 0);
    expect_end(client);
    expect_end(first);
    end(0);
}

CASE(connections_of_a_service_that_has_not_started_wait)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    int client;

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    client = connect_client();
    expect_status(weir_service_start(service), 0);
    expect_echo(client);
    expect_status(weir_service_stop(service), 0);
    expect_end(client);
    end(0);
}

CASE(a_service_that_was_stopped_before_its_start_serves_nobody)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    int client;

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_start(service), 0);
    end(0);
    expect_status(connect_status(&client), -ECONNREFUSED);
    close(client);
}

CASE(a_service_that_is_never_started_releases_the_address)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    int client;

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
    expect_status(connect_status(&client), -ECONNREFUSED);
    close(client);
}

CASE(two_addresses_share_a_loop_of_the_service)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    weir_address other;
    int first, second;

    begin(0);
    expect_status(weir_service_add_loop(service, &options.loop, NULL), 0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &other), 0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    expect_status(weir_service_start(service), 0);
    first = connect_client();
    address = other;
    second = connect_client();
    expect_echo(first);
    expect_echo(second);
    expect_status(weir_service_stop(service), 0);
    expect_end(first);
    expect_end(second);
    end(0);
    expect_int(seen.accepted, 2);
}

/* ---- nonsense, and no memory ---- */

/* covers: weir_serve -EINVAL
 * covers: weir_serve -E2BIG
 * covers: weir_serve -EALREADY */
CASE(serving_refuses_nonsense)
{
    struct {
        weir_serve_options options;
        int newer;
    } later = {.options.size = sizeof(later),
               .options.on_stream = on_stream,
               .newer = 1};
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    weir_serve_options wrong = options;
    weir_loop *other;

    begin(0);
    expect_status(weir_serve(NULL, "127.0.0.1:0", &options, NULL), -EINVAL);
    expect_status(weir_serve(service, NULL, &options, NULL), -EINVAL);
    expect_status(weir_serve(service, "127.0.0.1:0", NULL, NULL), -EINVAL);
    expect_status(weir_serve(service, "nowhere", &options, NULL), -EINVAL);
    expect_status(weir_serve(service, "127.0.0.1:0", &later.options, NULL),
                  -E2BIG);
    wrong.on_stream = NULL;
    expect_status(weir_serve(service, "127.0.0.1:0", &wrong, NULL), -EINVAL);
    wrong = options;
    wrong.linger_ns = -1;
    expect_status(weir_serve(service, "127.0.0.1:0", &wrong, NULL), -EINVAL);
    expect_status(weir_loop_new(&other, NULL), 0);
    wrong = options;
    wrong.loop = other;
    expect_status(weir_serve(service, "127.0.0.1:0", &wrong, NULL), -EINVAL);
    expect_status(weir_loop_free(other), 0);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, NULL),
                  -EALREADY);
    expect_status(weir_service_stop(service), 0);
    end(0);
}

CASE(an_address_that_is_in_use_is_refused)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    char text[WEIR_ADDRESS_TEXT];

    begin(0);
    expect_status(weir_serve(service, "127.0.0.1:0", &options, &address), 0);
    weir_address_format(&address, text, sizeof(text));
    expect_status(weir_serve(service, text, &options, NULL), -EADDRINUSE);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
}

/* covers: weir_serve -ENOMEM */
CASE(serving_without_memory_fails_and_leaves_nothing)
{
    weir_serve_options options = {.size = sizeof(options),
                                  .on_stream = on_stream};
    int status = -ENOMEM, failures = 0, client;

    while (status != 0) {
        begin(0);
        memory.fail_at = memory.calls + (uint64_t)failures + 1;
        status = weir_serve(service, "127.0.0.1:0", &options, &address);
        memory.fail_at = 0;
        expect(status == 0 || status == -ENOMEM);
        failures += status != 0;
        if (status != 0 && failures > 1) {
            expect_status(connect_status(&client), -ECONNREFUSED);
            close(client);
        }
        expect_status(weir_service_start(service), 0);
        expect_status(weir_service_stop(service), 0);
        end(0);
    }
    expect(failures >= 3);
}

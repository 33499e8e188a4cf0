/* SPDX-License-Identifier: MIT */
/*
 * failing -- streams and listeners with every system call and every allocation
 * failing once (sweep.h).
 *
 * Both ends of each connection are on one loop, on a clock that stands still
 * unless nothing happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/support/sweep.h"
#include "net/support/tls_fixture.h"
#include "weir/net/connect.h"
#include "weir/net/listener.h"
#include "weir/timer.h"

enum { LARGE = 300000 };

static char pattern[LARGE];

/* One run of a scenario. */
static struct {
    weir_loop *loop;
    int status; /* the first error */
    unsigned begun, ended;
    weir_listener *listener;     /* NULL: none, or it is being closed */
    weir_stream *client;         /* NULL: none, or it is being closed */
    unsigned listeners, streams; /* that have not been reported as closed */
    bool is_connecting, is_over;
    weir_timer watchdog;
    size_t received, expected;
} run;

static int file = -1; /* with the pattern */

/* For the server and the client of a run; NULL: no TLS. */
static weir_tls *server_tls, *client_tls;

static void fail(int err)
{
    sweep_note(&run.status, err);
}

static void check_over(void)
{
    run.is_over = run.listeners == 0 && run.streams == 0 && !run.is_connecting;
}

static void fill_pattern(void)
{
    for (size_t i = 0; i < LARGE; i++)
        pattern[i] = (char)(i * 7 + i / 251);
}

/* ---- the end ---- */

static void on_listener_gone(void *arg, weir_listener *listener, int status)
{
    run.ended++;
    run.listeners--;
    if (status != 0)
        fail(status);
    check_over();
}

static void drain_listener(void)
{
    weir_listener *listener = run.listener;

    if (listener == NULL)
        return;
    run.listener = NULL;
    run.begun++;
    weir_listener_drain(listener, on_listener_gone, NULL);
}

static void on_stream_gone(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    run.streams--;
    if (status != 0)
        fail(status);
    check_over();
}

static void close_stream(weir_stream *stream)
{
    run.begun++;
    weir_stream_close(stream, on_stream_gone, NULL);
}

static void close_client(void)
{
    weir_stream *client = run.client;

    run.client = NULL;
    if (client != NULL)
        close_stream(client);
    drain_listener();
}

/* A peer that was never accepted waits for ever, which is the client's
 * business. */
static void on_watchdog(void *arg, int status)
{
    weir_listener *listener = run.listener;

    run.watchdog = 0;
    if (status != 0)
        return;
    fail(-ETIMEDOUT);
    run.listener = NULL;
    if (listener != NULL) {
        run.begun++;
        weir_listener_close(listener, on_listener_gone, NULL);
    }
    close_client();
}

/* ---- the server: echo ---- */

static void on_server_read(void *arg, weir_stream *stream, int status,
                           weir_bytes bytes)
{
    int fds[4];
    size_t count;
    int err;

    if (status == WEIR_EEOF) {
        run.begun++;
        weir_stream_finish(stream, WEIR_S(5), on_stream_gone, NULL);
        return;
    }
    count = weir_stream_take_fds(stream, fds, 4);
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
    err =
        status != 0 ? status : weir_stream_write(stream, &bytes, 1, NULL, NULL);
    if (err != 0) {
        fail(err);
        close_stream(stream);
    }
}

static void on_server_stream(void *arg, weir_stream *stream)
{
    int err = server_tls != NULL ? weir_tls_start(stream, server_tls, NULL) : 0;

    run.streams++;
    if (err == 0)
        err = weir_stream_read(stream, on_server_read, NULL);
    if (err != 0) {
        fail(err);
        close_stream(stream);
    }
}

static void on_listener_error(void *arg, weir_listener *listener, int err)
{
    bool is_shortage =
        err == -EMFILE || err == -ENFILE || err == -ENOBUFS || err == -ENOMEM;

    expect(listener != NULL);
    if (!is_shortage) { /* it has stopped */
        fail(err);
        drain_listener();
    }
}

/* ---- the client ---- */

/* A client that cannot send expects no answer. */
static void on_sent(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    if (status == 0)
        return;
    fail(status);
    if (stream == run.client)
        close_client();
}

/* Count what was accepted. */
static int accepted(int err)
{
    if (err == 0)
        run.begun++;
    return err;
}

static void on_client_read(void *arg, weir_stream *stream, int status,
                           weir_bytes bytes)
{
    expect(run.client == stream);
    if (status == 0) {
        expect(run.received + bytes.size <= run.expected);
        for (size_t i = 0; i < bytes.size; i++)
            expect(((const char *)bytes.data)[i] ==
                   pattern[(run.received + i) % LARGE]);
        run.received += bytes.size;
        return;
    }
    if (status != WEIR_EEOF)
        fail(status);
    else if (run.received != run.expected)
        fail(WEIR_ETRUNCATED);
    close_client();
}

static int send_bytes(weir_stream *stream)
{
    weir_bytes parts[2] = {{pattern, 1000}, {pattern + 1000, LARGE - 1000}};
    int err = accepted(weir_stream_write(stream, parts, 1, on_sent, NULL));

    run.expected = LARGE;
    if (err == 0)
        err = accepted(weir_stream_write(stream, parts + 1, 1, on_sent, NULL));
    return err;
}

static int send_file_of(weir_stream *stream, size_t size)
{
    weir_bytes head = {pattern, 1000};
    int err = accepted(weir_stream_write(stream, &head, 1, on_sent, NULL));

    run.expected = size;
    if (err == 0)
        err = accepted(weir_stream_send_file(
            stream, file, 1000, (int64_t)size - 1000, on_sent, NULL));
    return err;
}

static int send_file(weir_stream *stream)
{
    return send_file_of(stream, LARGE);
}

/* A few records of TLS. */
static int send_small_file(weir_stream *stream)
{
    return send_file_of(stream, 50000);
}

static int send_descriptors(weir_stream *stream)
{
    weir_bytes head = {pattern, 10}, tail = {pattern + 10, 90};
    int fds[2] = {file, 0};
    int err =
        accepted(weir_stream_send_fds(stream, head, fds, 2, on_sent, NULL));

    run.expected = 100;
    if (err == 0)
        err =
            accepted(weir_stream_send_fds(stream, tail, fds, 1, on_sent, NULL));
    return err;
}

static int (*send_all)(weir_stream *stream);

static void on_ready(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

static int start_tls(weir_stream *stream)
{
    weir_tls_start_options options = {.size = sizeof(options),
                                      .server_name = "localhost",
                                      .on_ready = on_ready};

    return client_tls != NULL
               ? accepted(weir_tls_start(stream, client_tls, &options))
               : 0;
}

static void on_connect(void *arg, int status, weir_stream *stream)
{
    weir_address address;
    int err = status;

    run.ended++;
    run.is_connecting = false;
    if (run.listener != NULL)
        weir_listener_resume(run.listener);
    expect((status == 0) == (stream != NULL));
    if (status == 0 && run.watchdog == 0)
        err = -ETIMEDOUT;
    if (stream != NULL) {
        run.streams++;
        run.client = stream;
        weir_stream_peer(stream, &address);
        weir_stream_local(stream, &address);
    }
    if (err == 0)
        err = weir_stream_set_timeouts(stream, WEIR_S(5), WEIR_S(20));
    if (err == 0)
        err = start_tls(stream);
    if (err == 0)
        err = send_all(stream);
    if (err == 0)
        err = accepted(weir_stream_shutdown(stream, on_sent, NULL));
    if (err == 0)
        err = weir_stream_read(stream, on_client_read, NULL);
    if (err != 0) {
        fail(err);
        close_client();
    }
}

/* ---- runs ---- */

static int begin_run(void)
{
    memset(&run, 0, sizeof(run));
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    return weir_loop_new(&run.loop, NULL);
}

/* Run until everything is closed, and return the first error. */
static int end_run(void)
{
    check_over();
    sweep_step(run.loop, &run.is_over, WEIR_S(100));
    if (run.watchdog != 0)
        expect_status(weir_timer_cancel(run.loop, run.watchdog), 0);
    expect_int(run.ended, run.begun);
    expect_status(weir_loop_shutdown(run.loop, -1), 0);
    expect_status(weir_loop_free(run.loop), 0);
    return run.status;
}

static int start_watchdog(void)
{
    return weir_timer_start(run.loop, &run.watchdog, WEIR_S(6), WEIR_TIMER_ONCE,
                            on_watchdog, NULL);
}

static int start_echo(const weir_listener_options *options)
{
    weir_address where;
    int err = start_watchdog();

    if (err != 0)
        return err;
    err = weir_listener_open(&run.listener, run.loop, options);
    if (err != 0) {
        run.listener = NULL;
        return err;
    }
    run.listeners++;
    weir_listener_address(run.listener, &where);
    weir_listener_pause(run.listener);
    err = accepted(weir_connect_addresses(run.loop, NULL, &where, 1, on_connect,
                                          NULL, NULL));
    if (err == 0)
        run.is_connecting = true;
    else
        drain_listener();
    return err;
}

static int echo(const char *address, int unix_mode,
                int (*send)(weir_stream *stream))
{
    weir_stream_options streams = {.size = sizeof(streams),
                                   .keep_alive_ns = WEIR_S(60)};
    weir_listener_options options = {.size = sizeof(options),
                                     .unix_mode = unix_mode,
                                     .stream = &streams,
                                     .on_stream = on_server_stream,
                                     .on_error = on_listener_error};
    int err;

    expect_status(weir_address_parse(&options.address, address, 0), 0);
    err = begin_run();
    if (err != 0)
        return err;
    send_all = send;
    fail(start_echo(&options));
    return end_run();
}

static int echo_tcp(void)
{
    return echo("127.0.0.1:0", 0, send_bytes);
}

CASE(tcp_echo_survives_every_failure)
{
    fill_pattern();
    sweep("echo over TCP", echo_tcp, CALL_SOCKET, CALL_SETSOCKOPT, CALL_BIND,
          CALL_LISTEN, CALL_GETSOCKNAME, CALL_GETPEERNAME, CALL_ACCEPT4,
          CALL_CONNECT, CALL_GETSOCKOPT, CALL_FCNTL, CALL_FSTAT, CALL_RECV,
          CALL_SEND, CALL_SHUTDOWN, CALL_CLOSE, CALL_EPOLL_CTL,
          CALL_EPOLL_CREATE1, CALL_EVENTFD);
}

static char unix_path[64];

/* The file of a server that has been killed.  These calls are not counted. */
static void leave_socket(void)
{
    weir_address address;
    size_t size;
    const void *name;
    int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);

    expect_status(weir_address_parse(&address, unix_path, 0), 0);
    name = weir_address_sockaddr(&address, &size);
    syscall(SYS_unlink, unix_path);
    expect_int(syscall(SYS_bind, fd, name, size), 0);
    syscall(SYS_close, fd);
}

static int echo_unix(void)
{
    leave_socket();
    return echo(unix_path, 0600, send_bytes);
}

static void name_unix_path(void)
{
    snprintf(unix_path, sizeof(unix_path), "/tmp/weir-failing-%d", getpid());
}

CASE(unix_echo_survives_every_failure)
{
    fill_pattern();
    name_unix_path();
    sweep("echo over a Unix socket", echo_unix, CALL_SOCKET, CALL_BIND,
          CALL_CHMOD, CALL_STAT, CALL_UNLINK, CALL_LISTEN, CALL_ACCEPT4,
          CALL_CONNECT, CALL_RECVMSG, CALL_SEND, CALL_SHUTDOWN);
    unlink(unix_path);
}

static void make_file(void)
{
    char path[] = "/tmp/weir-failing-XXXXXX";

    fill_pattern();
    file = mkstemp(path);
    expect(file >= 0);
    expect_int(unlink(path), 0);
    expect_int(write(file, pattern, LARGE), LARGE);
}

static int echo_file(void)
{
    return echo("127.0.0.1:0", 0, send_file);
}

CASE(sending_a_file_survives_every_failure)
{
    make_file();
    sweep("a file over TCP", echo_file, CALL_SENDFILE, CALL_SEND);
}

static int echo_descriptors(void)
{
    return echo(unix_path, 0, send_descriptors);
}

CASE(passing_descriptors_survives_every_failure)
{
    make_file();
    name_unix_path();
    sweep("descriptors over a Unix socket", echo_descriptors, CALL_FCNTL,
          CALL_SENDMSG, CALL_RECVMSG, CALL_CLOSE);
    unlink(unix_path);
}

/* ---- TLS ---- */

static int echo_tls(void)
{
    int status;

    sweep_spare(true);
    server_tls = server_make(&leaf, TLS_OPTIONS());
    client_tls = client_make(&root, TLS_OPTIONS());
    sweep_spare(false);
    status = echo("127.0.0.1:0", 0, send_small_file);
    weir_tls_unref(server_tls);
    weir_tls_unref(client_tls);
    expect_no_openssl_error();
    return status;
}

CASE_WITHIN(tls_echo_survives_every_failure, 180)
{
    make_file();
    identities_make();
    sweep("a file over TLS", echo_tls, CALL_RECV, CALL_SEND, CALL_PREAD,
          CALL_SHUTDOWN, CALL_EPOLL_CTL);
    identities_free();
}

/* ---- pipes ---- */

/* One pipe carries bytes to the client, as if a child wrote them. */
static void on_pipe_read(void *arg, weir_stream *stream, int status,
                         weir_bytes bytes)
{
    on_client_read(arg, stream, status, bytes);
}

static int make_pipe(void)
{
    weir_stream *writer = NULL;
    int ends[2], err;

    err = start_watchdog();
    if (err == 0 && pipe2(ends, O_CLOEXEC) != 0)
        err = -errno;
    if (err != 0)
        return err;
    err = weir_stream_open(&writer, run.loop, ends[1], NULL);
    if (err == 0)
        err = weir_stream_open(&run.client, run.loop, ends[0], NULL);
    if (run.client == NULL)
        close(ends[0]);
    else
        run.streams++;
    if (writer == NULL) {
        close(ends[1]);
    } else {
        run.streams++;
        if (err == 0)
            err = send_bytes(writer);
        if (err == 0)
            err = weir_stream_read(run.client, on_pipe_read, NULL);
        run.begun++;
        weir_stream_finish(writer, WEIR_S(5), on_stream_gone, NULL);
    }
    if (err != 0)
        close_client();
    return err;
}

static int pipe_bytes(void)
{
    int err = begin_run();

    if (err != 0)
        return err;
    fail(make_pipe());
    return end_run();
}

CASE(pipes_survive_every_failure)
{
    fill_pattern();
    sweep("a pipe", pipe_bytes, CALL_PIPE2, CALL_FSTAT, CALL_FCNTL, CALL_READ,
          CALL_WRITEV, CALL_OPEN, CALL_DUP3);
}

/* ---- a pair that is detached ---- */

static int make_pair(void)
{
    weir_stream *ends[2] = {NULL, NULL};
    weir_bytes bytes = {pattern, 1000};
    int err = start_watchdog(), fd = -EBUSY;

    if (err == 0)
        err = weir_stream_pair(ends, run.loop, NULL);
    if (err != 0)
        return err;
    run.streams = 2;
    run.expected = 1000;
    run.client = ends[1];
    err = weir_stream_read(ends[1], on_client_read, NULL);
    if (err == 0)
        err = weir_stream_write(ends[0], &bytes, 1, NULL, NULL);
    if (err == 0)
        fd = weir_stream_detach(ends[0]);
    if (fd >= 0) {
        run.streams--;
        close(fd);
    } else { /* the bytes wait, or it has failed */
        run.begun++;
        weir_stream_finish(ends[0], WEIR_S(5), on_stream_gone, NULL);
    }
    if (err != 0)
        close_client();
    return err;
}

static int pair(void)
{
    int err = begin_run();

    if (err != 0)
        return err;
    fail(make_pair());
    return end_run();
}

CASE(detaching_survives_every_failure)
{
    fill_pattern();
    sweep("a pair, one detached", pair, CALL_SOCKETPAIR, CALL_FSTAT, CALL_SEND,
          CALL_RECVMSG, CALL_CLOSE);
}

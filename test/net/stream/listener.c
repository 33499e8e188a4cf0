/* SPDX-License-Identifier: MIT */
/*
 * listener -- who gets a connection, and what happens to those that wait.
 */
#include "weir/net/listener.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"

static weir_listener *listener;
static weir_address where;
static weir_stream *streams[4096];
static size_t stream_count;
static int last_error;

static void on_stream(void *arg, weir_stream *stream)
{
    streams[stream_count++] = stream;
}

static void on_error(void *arg, weir_listener *which, int err)
{
    note("error");
    last_error = err;
}

#define LISTENER_OPTIONS(...)                                                  \
    (&(weir_listener_options){.size = sizeof(weir_listener_options),           \
                              .on_stream = on_stream,                          \
                              .on_error = on_error,                            \
                              __VA_ARGS__})

static weir_address parse(const char *text)
{
    weir_address address;

    expect_status(weir_address_parse(&address, text, 0), 0);
    return address;
}

static void open_listener(const weir_listener_options *options)
{
    expect_status(weir_listener_open(&listener, loop, options), 0);
    weir_listener_address(listener, &where);
}

/* Returns a connected socket, or -errno. */
static int join_at(const weir_address *address)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(address, &size);
    int fd = socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

    expect(fd >= 0);
    if (connect(fd, name, (socklen_t)size) == 0)
        return fd;
    close(fd);
    return -errno;
}

static void close_streams(void)
{
    while (stream_count > 0)
        weir_stream_close(streams[--stream_count], NULL, NULL);
}

static bool is_done;
static int last_status;

static void done(void *word, weir_listener *which, int status)
{
    is_done = true;
    note(word);
    last_status = status;
    if (status == WEIR_ECANCELED)
        note("(cancelled)");
}

static void run_until_done(void)
{
    while (!is_done)
        expect_status(weir_loop_step(loop, WEIR_S(1)), 0);
}

CASE(listener_accepts_at_both_families_and_unix)
{
    static const char *const places[] = {"127.0.0.1:0", "[::1]:0",
                                         "@weir-listener-test"};

    loop_make(NULL);
    for (int i = 0; i < 3; i++) {
        int fd;

        open_listener(LISTENER_OPTIONS(.address = parse(places[i])));
        fd = join_at(&where);
        expect(fd >= 0);
        loop_turns(3);
        expect_int(stream_count, 1);
        close(fd);
        close_streams();
        weir_listener_close(listener, done, "closed");
        loop_turns(2);
        expect_recorded("closed");
    }
    loop_end();
}

CASE(listener_at_any_address_accepts_ipv4_as_well)
{
    weir_address ipv4 = parse("127.0.0.1:0");
    int fd;

    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("[::]:0")));
    weir_address_set_port(&ipv4, weir_address_port(&where));
    fd = join_at(&ipv4);
    expect(fd >= 0);
    loop_turns(2);
    expect_int(stream_count, 1);
    close(fd);
    close_streams();
    weir_listener_close(listener, NULL, NULL);
    loop_turns(1);
    open_listener(
        LISTENER_OPTIONS(.address = parse("[::]:0"), .is_ipv6_only = true));
    weir_address_set_port(&ipv4, weir_address_port(&where));
    expect_int(join_at(&ipv4), -ECONNREFUSED);
    weir_listener_close(listener, NULL, NULL);
    loop_run();
    loop_end();
}

CASE(listener_accepts_a_bounded_batch_in_a_turn)
{
    int fds[10];

    loop_make(NULL);
    open_listener(
        LISTENER_OPTIONS(.address = parse("127.0.0.1:0"), .batch = 4));
    for (int i = 0; i < 10; i++)
        expect((fds[i] = join_at(&where)) >= 0);
    loop_turns(1);
    expect_int(stream_count, 4);
    loop_turns(2);
    expect_int(stream_count, 10);
    for (int i = 0; i < 10; i++)
        close(fds[i]);
    close_streams();
    weir_listener_close(listener, NULL, NULL);
    loop_run();
    loop_end();
}

/* What the kernel has accepted is not reset. */
CASE(listener_drain_accepts_what_is_queued)
{
    enum { CLIENTS = 300 };
    int fds[CLIENTS];
    char byte;

    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    weir_listener_pause(listener);
    for (int i = 0; i < CLIENTS; i++)
        expect((fds[i] = join_at(&where)) >= 0);
    loop_turns(2);
    expect_int(stream_count, 0);
    weir_listener_drain(listener, done, "drained");
    run_until_done();
    expect_recorded("drained");
    expect_int(stream_count, CLIENTS);
    expect_int(join_at(&where), -ECONNREFUSED);
    for (int i = 0; i < CLIENTS; i++) {
        expect_int(recv(fds[i], &byte, 1, MSG_DONTWAIT), -1);
        expect_int(errno, EAGAIN); /* not ECONNRESET */
        close(fds[i]);
    }
    close_streams();
    loop_run();
    loop_end();
}

CASE(listener_replaces_and_removes_the_file_of_a_unix_socket)
{
    char path[] = "/tmp/weir-listener-XXXXXX", text[64];
    weir_address address;
    struct stat about;
    int fd;

    loop_make(NULL);
    expect(mkdtemp(path) != NULL);
    snprintf(text, sizeof(text), "%s/socket", path);
    address = parse(text);
    open_listener(LISTENER_OPTIONS(.address = address, .unix_mode = 0600));
    expect_int(stat(text, &about), 0);
    expect_int(about.st_mode & 0777, 0600);
    expect_status(weir_listener_open(&(weir_listener *){NULL}, loop,
                                     LISTENER_OPTIONS(.address = address)),
                  -EADDRINUSE);
    fd = join_at(&address);
    expect(fd >= 0);
    weir_listener_drain(listener, done, "drained");
    expect_int(stat(text, &about), -1);
    run_until_done();
    expect_int(stream_count, 1);
    close_streams();
    close(fd);
    /* A file that a process has left behind is replaced. */
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    {
        size_t size;
        const void *name = weir_address_sockaddr(&address, &size);

        expect_int(bind(fd, name, (socklen_t)size), 0);
    }
    close(fd);
    expect_int(stat(text, &about), 0);
    open_listener(LISTENER_OPTIONS(.address = address));
    weir_listener_close(listener, NULL, NULL);
    loop_run();
    expect_int(stat(text, &about), -1);
    expect_int(rmdir(path), 0);
    loop_end();
}

CASE(listener_pauses_when_descriptors_run_out_and_resumes)
{
    struct rlimit old, limit;
    int fds[3], spare;

    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    for (int i = 0; i < 3; i++)
        expect((fds[i] = join_at(&where)) >= 0);
    expect_int(getrlimit(RLIMIT_NOFILE, &old), 0);
    spare = dup(0);
    limit = (struct rlimit){(rlim_t)spare, old.rlim_max};
    close(spare);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    loop_turns(5);
    expect_recorded("error");
    expect_int(last_error, -EMFILE);
    expect_int(stream_count, 0);
    expect_int(setrlimit(RLIMIT_NOFILE, &old), 0);
    while (stream_count < 3)
        expect_status(weir_loop_step(loop, WEIR_S(1)), 0);
    expect_recorded("");
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    close_streams();
    weir_listener_close(listener, NULL, NULL);
    loop_run();
    loop_end();
}

/* Let the process have no descriptor beyond those that are open. */
static struct rlimit take_descriptors(void)
{
    struct rlimit old, limit;
    int spare;

    expect_int(getrlimit(RLIMIT_NOFILE, &old), 0);
    spare = dup(0);
    limit = (struct rlimit){(rlim_t)spare, old.rlim_max};
    close(spare);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    return old;
}

/* What the kernel has accepted waits until there are descriptors. */
CASE(listener_drain_waits_for_descriptors)
{
    struct rlimit old;
    int fds[3];

    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    for (int i = 0; i < 3; i++)
        expect((fds[i] = join_at(&where)) >= 0);
    old = take_descriptors();
    is_done = false;
    weir_listener_drain(listener, done, "drained");
    for (int i = 0; i < 20; i++) {
        expect_status(weir_clock_advance(WEIR_MS(100)), 0);
        loop_turns(2);
    }
    expect_recorded("error");
    expect_int(last_error, -EMFILE);
    expect_int(stream_count, 0);
    expect_int(setrlimit(RLIMIT_NOFILE, &old), 0);
    expect_status(weir_clock_advance(WEIR_MS(100)), 0);
    run_until_done();
    expect_recorded("drained");
    expect_status(last_status, 0);
    expect_int(stream_count, 3);
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    close_streams();
    loop_run();
    loop_end();
    weir_clock_thaw();
}

CASE(listener_drain_without_descriptors_ends_with_the_reason)
{
    struct rlimit old;
    char byte;
    int fd;

    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    expect((fd = join_at(&where)) >= 0);
    old = take_descriptors();
    is_done = false;
    weir_listener_drain(listener, done, "drained");
    for (int i = 0; i < 99; i++) {
        expect_status(weir_clock_advance(WEIR_MS(100)), 0);
        loop_turns(2);
    }
    expect(!is_done);
    while (!is_done) {
        expect_status(weir_clock_advance(WEIR_MS(100)), 0);
        loop_turns(2);
    }
    expect_recorded("error drained");
    expect_status(last_status, -EMFILE);
    expect_int(stream_count, 0);
    expect_int(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    expect_int(errno, ECONNRESET);
    expect_int(setrlimit(RLIMIT_NOFILE, &old), 0);
    close(fd);
    loop_run();
    loop_end();
    weir_clock_thaw();
}

/* ---- other loops ---- */

static weir_loop *others[2];
static sem_t arrived;

static void on_other_stream(void *arg, weir_stream *stream)
{
    expect(weir_stream_loop(stream) == weir_loop_current());
    expect(weir_stream_loop(stream) == others[0] ||
           weir_stream_loop(stream) == others[1]);
    weir_stream_close(stream, NULL, NULL);
    expect_int(sem_post(&arrived), 0);
}

CASE(listener_hands_connections_to_other_loops_in_turn)
{
    struct runner runners[2];
    weir_listener_options options = {.size = sizeof(options),
                                     .address = parse("127.0.0.1:0"),
                                     .on_stream = on_other_stream,
                                     .loops = others,
                                     .loop_count = 2};
    int fds[20];

    expect_int(sem_init(&arrived, 0, 0), 0);
    loop_make(NULL);
    for (int i = 0; i < 2; i++) {
        expect_status(weir_loop_new(&others[i], NULL), 0);
        runner_start(&runners[i], others[i], WEIR_RUN_UNTIL_CLOSED);
    }
    open_listener(&options);
    for (int i = 0; i < 20; i++)
        expect((fds[i] = join_at(&where)) >= 0);
    weir_listener_drain(listener, done, "drained");
    loop_run();
    expect_recorded("drained");
    for (int i = 0; i < 20; i++) {
        await_post(&arrived);
        close(fds[i]);
    }
    for (int i = 0; i < 2; i++) {
        expect_status(weir_loop_shutdown(others[i], -1), 0);
        expect_status(runner_join(&runners[i]), 0);
        expect_status(weir_loop_free(others[i]), 0);
    }
    loop_end();
}

CASE(listener_ends_with_its_loop)
{
    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(join_at(&where), -ECONNREFUSED);
    weir_listener_close(listener, done, "closed");
    expect_recorded("closed (cancelled)");
    expect_status(weir_loop_free(loop), 0);
}

/* ---- inherited ---- */

/* covers: weir_listener_inherited -EINVAL */
CASE(listener_takes_sockets_that_were_passed_to_the_process)
{
    char text[32];
    int fds[4], fd;
    weir_address address = parse("127.0.0.1:0");
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(&address, &size);

    expect_int(weir_listener_inherited(fds, 4), 0);
    setenv("LISTEN_FDS", "x", 1);
    expect_int(weir_listener_inherited(fds, 4), -EINVAL);
    expect(getenv("LISTEN_FDS") == NULL);
    snprintf(text, sizeof(text), "%d", (int)getpid() + 1);
    setenv("LISTEN_PID", text, 1);
    setenv("LISTEN_FDS", "1", 1);
    expect_int(weir_listener_inherited(fds, 4), 0);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    expect_int(bind(fd, name, (socklen_t)size), 0);
    expect_int(listen(fd, 5), 0);
    expect_int(dup2(fd, 3), 3);
    snprintf(text, sizeof(text), "%d", (int)getpid());
    setenv("LISTEN_PID", text, 1);
    setenv("LISTEN_FDS", "1", 1);
    expect_int(weir_listener_inherited(fds, 4), 1);
    expect_int(fds[0], 3);
    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.has_fd = true, .fd = fds[0]));
    weir_listener_drain(listener, NULL, NULL);
    loop_run();
    /* Another process would go on accepting. */
    expect(join_at(&where) >= 0);
    close(fd);
    loop_end();
}

/* ---- errors ---- */

/* covers: weir_listener_open -EINVAL
 * covers: weir_listener_open -E2BIG
 * covers: weir_listener_open -EADDRINUSE
 * covers: weir_listener_open -EADDRNOTAVAIL
 * covers: weir_listener_open -EACCES */
CASE(listener_refuses_nonsense_and_addresses_that_it_cannot_have)
{
    struct {
        weir_listener_options options;
        int unknown;
    } newer = {{.size = sizeof(newer), .on_stream = on_stream}, 1};
    weir_stream_options backwards = {.size = sizeof(backwards),
                                     .keep_alive_ns = -1};
    weir_listener *other = NULL;
    int pipe_ends[2];

    loop_make(NULL);
    open_listener(LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
    expect_status(weir_listener_open(&other, loop, NULL), -EINVAL);
    expect_status(
        weir_listener_open(&other, loop, LISTENER_OPTIONS(.batch = 1)),
        -EINVAL);
    expect_status(
        weir_listener_open(NULL, loop, LISTENER_OPTIONS(.address = where)),
        -EINVAL);
    expect_status(
        weir_listener_open(&other, NULL, LISTENER_OPTIONS(.address = where)),
        -EINVAL);
    expect_status(
        weir_listener_open(&other, loop,
                           LISTENER_OPTIONS(.address = where, .backlog = -1)),
        -EINVAL);
    expect_status(weir_listener_open(
                      &other, loop,
                      LISTENER_OPTIONS(.address = where, .stream = &backwards)),
                  -EINVAL);
    expect_int(pipe(pipe_ends), 0);
    expect_status(
        weir_listener_open(
            &other, loop, LISTENER_OPTIONS(.has_fd = true, .fd = pipe_ends[0])),
        -EINVAL);
    expect_status(weir_listener_open(&other, loop, &newer.options), -E2BIG);
    expect_status(
        weir_listener_open(&other, loop, LISTENER_OPTIONS(.address = where)),
        -EADDRINUSE);
    expect_status(
        weir_listener_open(&other, loop,
                           LISTENER_OPTIONS(.address = parse("192.0.2.1:0"))),
        -EADDRNOTAVAIL);
    if (setresuid(-1, 65534, -1) == 0) {
        expect_status(
            weir_listener_open(
                &other, loop,
                LISTENER_OPTIONS(.address = parse("/root/weir-no-socket"))),
            -EACCES);
        expect_int(setresuid(-1, 0, -1), 0);
    } else {
        expect_status(
            weir_listener_open(&other, loop,
                               LISTENER_OPTIONS(.address = parse("/weir-no"))),
            -EACCES);
    }
    expect(other == NULL);
    weir_listener_close(listener, NULL, NULL);
    loop_run();
    loop_end();
}

/* covers: weir_listener_open -EMFILE
 * covers: weir_stream_pair -EMFILE
 * covers: weir_stream_send_fds -EMFILE */
CASE(listener_and_streams_without_descriptors_are_refused)
{
    struct rlimit old, limit;
    weir_stream *pair[2], *more[2];
    weir_listener *other = NULL;
    weir_bytes byte = WEIR_BYTES_OF("x");
    int spare, zero = 0;

    loop_make(LOOP_OPTIONS(.fd_mode = WEIR_FD_MODE_ALWAYS));
    expect_status(weir_stream_pair(pair, loop, NULL), 0);
    expect_int(getrlimit(RLIMIT_NOFILE, &old), 0);
    spare = dup(0);
    limit = (struct rlimit){(rlim_t)spare, old.rlim_max};
    close(spare);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    expect_status(
        weir_listener_open(&other, loop,
                           LISTENER_OPTIONS(.address = parse("127.0.0.1:0"))),
        -EMFILE);
    expect_status(weir_stream_pair(more, loop, NULL), -EMFILE);
    expect_status(weir_stream_send_fds(pair[0], byte, &zero, 1, NULL, NULL),
                  -EMFILE);
    expect_int(setrlimit(RLIMIT_NOFILE, &old), 0);
    weir_stream_close(pair[0], NULL, NULL);
    weir_stream_close(pair[1], NULL, NULL);
    loop_run();
    loop_end();
}

/* covers: weir_listener_open -ENOMEM
 * covers: weir_stream_open -ENOMEM
 * covers: weir_stream_write -ENOMEM
 * covers: weir_stream_send_file -ENOMEM
 * covers: weir_stream_send_fds -ENOMEM
 * covers: weir_stream_shutdown -ENOMEM */
static struct failing_allocator memory;
static weir_stream *pair_[2];

static void finished(void *arg, weir_stream *stream, int status)
{
}

static int try_listen(void)
{
    return weir_listener_open(
        &listener, loop, LISTENER_OPTIONS(.address = parse("127.0.0.1:0")));
}

static int try_open(void)
{
    int fd = dup(weir_stream_fd(pair_[0])), err;
    weir_stream *stream;

    err = weir_stream_open(&stream, loop, fd, NULL);
    if (err != 0)
        close(fd);
    else
        weir_stream_close(stream, NULL, NULL);
    return err;
}

static int try_write(void)
{
    weir_bytes byte = WEIR_BYTES_OF("x");

    return weir_stream_write(pair_[0], &byte, 1, finished, NULL);
}

static int try_send_fds(void)
{
    weir_bytes byte = WEIR_BYTES_OF("x");
    int fd = 0;

    return weir_stream_send_fds(pair_[0], byte, &fd, 1, NULL, NULL);
}

static int try_send_file(void)
{
    return weir_stream_send_file(pair_[0], 0, 0, 0, NULL, NULL);
}

static int try_shutdown(void)
{
    return weir_stream_shutdown(pair_[0], NULL, NULL);
}

CASE(listener_and_streams_without_memory_have_no_effect)
{
    static int (*const tries[])(void) = {try_listen,    try_open,
                                         try_write,     try_send_fds,
                                         try_send_file, try_shutdown};

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    expect_status(weir_stream_pair(pair_, loop, NULL), 0);
    for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
        int err, failures = 0;

        for (uint64_t nth = 1;; nth++) {
            memory.fail_at = memory.calls + nth;
            err = tries[i]();
            if (err == 0)
                break;
            expect_status(err, -ENOMEM);
            failures++;
        }
        memory.fail_at = 0;
        expect(failures > 0);
        loop_turns(2);
    }
    weir_listener_close(listener, NULL, NULL);
    weir_stream_close(pair_[0], NULL, NULL);
    weir_stream_close(pair_[1], NULL, NULL);
    loop_run();
    loop_end();
    expect_int(memory.live, 0);
}

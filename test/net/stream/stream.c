/* SPDX-License-Identifier: MIT */
/*
 * stream -- what the other end receives, and who is called when.
 */
#include "weir/net/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stream/stream.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/host/loop.h"

static weir_stream *ends[2];
static char received[1 << 20];
static size_t received_size;
static int last_status = 1;

static void make_pair(const weir_stream_options *options)
{
    loop_make(NULL);
    expect_status(weir_stream_pair(ends, loop, options), 0);
}

#define STREAM_OPTIONS(...)                                                    \
    (&(weir_stream_options){.size = sizeof(weir_stream_options), __VA_ARGS__})

static void collect(void *word, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status != 0) {
        last_status = status;
        note(word);
        return;
    }
    expect(received_size + bytes.size <= sizeof(received));
    memcpy(received + received_size, bytes.data, bytes.size);
    received_size += bytes.size;
}

static void finished(void *word, weir_stream *stream, int status)
{
    last_status = status;
    note(word);
    if (status == WEIR_ECANCELED)
        note("(cancelled)");
}

static void write_text(weir_stream *stream, const char *text, const char *word)
{
    weir_bytes bytes = {text, strlen(text)};

    expect_status(weir_stream_write(stream, &bytes, 1,
                                    word != NULL ? finished : NULL,
                                    (void *)word),
                  0);
}

static void close_both(void)
{
    weir_stream_close(ends[0], NULL, NULL);
    weir_stream_close(ends[1], NULL, NULL);
    loop_run();
}

/* covers: weir_stream_read WEIR_EEOF */
CASE(stream_delivers_what_is_written_in_order)
{
    weir_bytes parts[] = {WEIR_BYTES_OF("one "), WEIR_BYTES_OF(""),
                          WEIR_BYTES_OF("two ")};

    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    expect_status(weir_stream_write(ends[0], parts, 3, NULL, NULL), 0);
    write_text(ends[0], "three", "written");
    expect_recorded("");
    expect_status(weir_stream_shutdown(ends[0], finished, "shut"), 0);
    loop_turns(3);
    expect_recorded("written shut end");
    expect_int(received_size, 13);
    expect(memcmp(received, "one two three", 13) == 0);
    expect_int(last_status, WEIR_EEOF);
    expect_status(weir_stream_read(ends[1], collect, "again"), WEIR_EEOF);
    close_both();
    loop_end();
}

static char *make_large(size_t size)
{
    static char large[1000000];

    for (size_t i = 0; i < size; i++)
        large[i] = (char)(i * 7 + i / 251);
    return large;
}

static char three[3];

static void collect_three(void *word, weir_stream *stream, int status,
                          weir_bytes bytes)
{
    collect(word, stream, status, bytes);
    if (status == 0)
        expect_status(weir_stream_read_into(stream, three, sizeof(three),
                                            collect_three, word),
                      0);
}

CASE(stream_gives_all_that_was_pushed_back_before_what_it_reads)
{
    weir_bytes early = WEIR_BYTES_OF("pushed back, ");

    make_pair(NULL);
    expect_status(weir__stream_unread(ends[1], early), 0);
    write_text(ends[0], "and read", NULL);
    expect_status(weir_stream_shutdown(ends[0], NULL, NULL), 0);
    expect_status(weir_stream_read_into(ends[1], three, sizeof(three),
                                        collect_three, "end"),
                  0);
    loop_turns(10);
    expect_recorded("end");
    expect_int(received_size, 21);
    expect(memcmp(received, "pushed back, and read", 21) == 0);
    close_both();
    loop_end();
}

CASE(stream_that_is_full_says_so_and_drains)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair(NULL);
    expect(!weir_stream_is_full(ends[0]));
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "written"),
                  0);
    expect(weir_stream_is_full(ends[0]));
    expect(weir_stream_queued_bytes(ends[0]) > 0);
    loop_turns(3);
    expect_recorded("");
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    while (weir_stream_queued_bytes(ends[0]) > 0)
        loop_turns(1);
    loop_turns(3);
    expect_recorded("written");
    expect_int(received_size, LARGE);
    expect(memcmp(received, large, LARGE) == 0);
    close_both();
    loop_end();
}

static void drained(void *arg, weir_stream *stream)
{
    note("drained");
}

CASE(stream_calls_on_drain_after_it_was_full)
{
    make_pair(STREAM_OPTIONS(.high_water_bytes = 4, .on_drain = drained));
    write_text(ends[0], "abc", NULL);
    loop_turns(2);
    expect_recorded("");
    for (int i = 0; i < 20000 && !weir_stream_is_full(ends[0]); i++)
        write_text(ends[0], "0123456789012345678901234567890123456789", NULL);
    expect(weir_stream_is_full(ends[0]));
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    while (weir_stream_queued_bytes(ends[0]) > 0)
        loop_turns(1);
    loop_turns(2);
    expect_recorded("drained");
    close_both();
    loop_end();
}

CASE(stream_close_cancels_what_is_pending_and_calls_closed_last)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair(NULL);
    expect_status(weir_stream_read(ends[0], collect, "end"), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "a"), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "b"), 0);
    weir_stream_close(ends[0], finished, "closed");
    expect_recorded("");
    loop_turns(1);
    expect_recorded("a (cancelled) b (cancelled) closed");
    weir_stream_close(ends[1], NULL, NULL);
    loop_end();
}

CASE(stream_read_into_reads_once)
{
    char buffer[4];

    make_pair(NULL);
    expect_status(
        weir_stream_read_into(ends[1], buffer, sizeof(buffer), collect, "x"),
        0);
    expect_status(weir_stream_read(ends[1], collect, "y"), -EBUSY);
    write_text(ends[0], "0123456789", NULL);
    loop_turns(3);
    expect_int(received_size, 4);
    expect_status(
        weir_stream_read_into(ends[1], buffer, sizeof(buffer), collect, "x"),
        0);
    loop_turns(3);
    expect_int(received_size, 8);
    expect(memcmp(received, "01234567", 8) == 0);
    expect_status(
        weir_stream_read_into(ends[1], buffer, sizeof(buffer), collect, "x"),
        0);
    loop_turns(2);
    expect_status(
        weir_stream_read_into(ends[1], buffer, sizeof(buffer), collect, "x"),
        0);
    weir_stream_close(ends[1], finished, "closed");
    loop_turns(1);
    expect_recorded("x closed");
    weir_stream_close(ends[0], NULL, NULL);
    loop_end();
}

CASE(stream_pauses_and_resumes)
{
    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    weir_stream_pause(ends[1]);
    write_text(ends[0], "abc", NULL);
    weir_stream_close(ends[0], NULL, NULL);
    loop_turns(5);
    expect_int(received_size, 0);
    expect_recorded("");
    weir_stream_resume(ends[1]);
    loop_turns(3);
    expect_int(received_size, 3);
    expect_recorded("end");
    weir_stream_close(ends[1], NULL, NULL);
    loop_run();
    loop_end();
}

CASE(stream_that_was_stopped_has_another_reader)
{
    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], collect, "first"), 0);
    weir_stream_pause(ends[1]);
    weir_stream_stop(ends[1]);
    write_text(ends[0], "abc", NULL);
    weir_stream_close(ends[0], NULL, NULL);
    loop_turns(3);
    expect_int(received_size, 0);
    expect_status(weir_stream_read(ends[1], collect, "second"), 0);
    loop_turns(3);
    expect_int(received_size, 3);
    expect_recorded("second");
    weir_stream_close(ends[1], NULL, NULL);
    loop_run();
    loop_end();
}

static void end_of_owner(void *word, weir_stream *stream)
{
    note(word);
}

CASE(stream_tells_the_new_owner_that_the_loop_has_ended)
{
    make_pair(STREAM_OPTIONS(.on_end = end_of_owner, .arg = "old"));
    weir_stream_set_on_end(ends[0], end_of_owner, "new");
    weir_stream_close(ends[1], NULL, NULL);
    loop_turns(1);
    loop_end();
    expect_recorded("new");
}

/* A loop that is called for a hang-up nobody can act on would spin. */
CASE(stream_that_is_paused_does_not_spin_when_the_peer_leaves)
{
    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    weir_stream_pause(ends[1]);
    weir_stream_close(ends[0], NULL, NULL);
    loop_turns(5);
    loop_timer(WEIR_MS(20), "timer");
    for (int i = 0; i < 3; i++) /* one may end early, to take the timer over */
        expect_status(weir_loop_step(loop, WEIR_MS(40)), 0);
    expect_recorded("timer");
    weir_stream_close(ends[1], NULL, NULL);
    loop_end();
}

CASE(stream_finish_gives_the_peer_everything)
{
    enum { LARGE = 900000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair(NULL);
    write_text(ends[1], "unread input", NULL);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "written"),
                  0);
    weir_stream_finish(ends[0], WEIR_S(5), finished, "closed");
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    while (last_status != WEIR_EEOF)
        loop_turns(1);
    expect_recorded("written end");
    expect_int(received_size, LARGE);
    expect(memcmp(received, large, LARGE) == 0);
    weir_stream_close(ends[1], NULL, NULL);
    loop_turns(2);
    expect_recorded("closed");
    expect_int(last_status, 0);
    loop_end();
}

CASE(stream_finish_gives_up_on_a_peer_that_stays)
{
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
    weir_stream_finish(ends[0], WEIR_S(2), finished, "closed");
    loop_turns(2);
    expect_status(weir_clock_advance(WEIR_S(2) - 1), 0);
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_clock_advance(1), 0);
    loop_turns(2);
    expect_recorded("closed");
    expect_int(last_status, -ETIMEDOUT);
    weir_stream_close(ends[1], NULL, NULL);
    loop_end();
}

/* The lowest descriptor that is free: higher than before if one has leaked. */
static int lowest_free(void)
{
    int fd = dup(0);

    expect(fd >= 0);
    close(fd);
    return fd;
}

CASE(stream_finish_closes_descriptors_that_still_arrive)
{
    weir_bytes byte = WEIR_BYTES_OF("x");
    const int fds[] = {0, 0};
    int before;

    make_pair(NULL);
    weir_stream_finish(ends[0], WEIR_S(5), finished, "closed");
    loop_turns(2);
    before = lowest_free();
    for (int i = 0; i < 3; i++) {
        expect_status(weir_stream_send_fds(ends[1], byte, fds, 2, NULL, NULL),
                      0);
        loop_turns(2);
        expect_int(lowest_free(), before);
    }
    weir_stream_close(ends[1], NULL, NULL);
    loop_turns(3);
    expect_recorded("closed");
    loop_end();
}

/* Make ends[0] a TCP connection.  Returns the other end, which blocks and has
 * little room for what it does not read. */
static int make_tcp(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int room = 4096, fd;

    expect_int(setsockopt(peer, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
    expect_int(bind(listener, (struct sockaddr *)&at, size), 0);
    expect_int(listen(listener, 1), 0);
    expect_int(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    expect_int(connect(peer, (struct sockaddr *)&at, size), 0);
    fd = accept(listener, NULL, NULL);
    expect(fd >= 0);
    close(listener);
    room = 1 << 20;
    expect_int(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
    loop_make(NULL);
    expect_status(weir_stream_open(&ends[0], loop, fd, NULL), 0);
    return peer;
}

/* Read until the other end knows that its peer has received more. */
static size_t receive_some(int peer, int fd)
{
    static char data[16384];
    int before, now;
    size_t count = 0;

    expect_int(ioctl(fd, SIOCOUTQ, &before), 0);
    do {
        ssize_t more = recv(peer, data, sizeof(data), 0);

        expect(more > 0);
        count += (size_t)more;
        expect_int(ioctl(fd, SIOCOUTQ, &now), 0);
    } while (now >= before);
    return count;
}

CASE(stream_finish_waits_while_a_slow_peer_receives)
{
    enum { LARGE = 100000 };
    char *large = make_large(LARGE), *rest = malloc(LARGE);
    weir_bytes bytes = {large, LARGE};
    int peer = make_tcp(), fd = weir_stream_fd(ends[0]);
    size_t count = 0;

    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, NULL, NULL), 0);
    expect_int(weir_stream_queued_bytes(ends[0]), 0); /* the kernel has it */
    weir_stream_finish(ends[0], WEIR_S(2), finished, "closed");
    for (int i = 0; i < 3; i++) {
        count += receive_some(peer, fd);
        expect_status(weir_clock_advance(WEIR_S(2)), 0);
        loop_turns(2);
        expect_recorded("");
    }
    /* Input after a close would reset the connection. */
    expect_int(send(peer, "more", 4, MSG_NOSIGNAL), 4);
    loop_turns(2);
    expect_int(recv(peer, rest, LARGE - count, MSG_WAITALL), LARGE - count);
    expect_int(recv(peer, rest, 1, 0), 0);
    close(peer);
    loop_turns(2);
    expect_recorded("closed");
    expect_int(last_status, 0);
    free(rest);
    loop_end();
}

/* Write more than the kernel takes.  It takes no more before a third of its buffer
 * is free.  Returns how much is left. */
static size_t write_too_much(weir_bytes bytes, const char *word)
{
    int fd = weir_stream_fd(ends[0]), room = (int)bytes.size / 5;
    size_t queued;

    expect_int(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room)), 0);
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1,
                                    word != NULL ? finished : NULL,
                                    (void *)word),
                  0);
    queued = weir_stream_queued_bytes(ends[0]);
    expect(queued > 0);
    return queued;
}

/* Each time the peer receives a little, and time passes.  Returns how much. */
static size_t receive_slowly(int peer, int64_t limit_ns, size_t queued)
{
    size_t count = 0;

    for (int i = 0; i < 8; i++) {
        count += receive_some(peer, weir_stream_fd(ends[0]));
        expect_status(weir_clock_advance(limit_ns), 0);
        loop_turns(2);
        expect_recorded("");
    }
    expect_int(weir_stream_queued_bytes(ends[0]), queued);
    return count;
}

CASE(stream_finish_waits_while_a_slow_peer_receives_what_the_kernel_has)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE), *rest = malloc(LARGE);
    int peer = make_tcp();
    size_t queued = write_too_much((weir_bytes){large, LARGE}, NULL), count;

    weir_stream_finish(ends[0], WEIR_S(2), finished, "closed");
    count = receive_slowly(peer, WEIR_S(2), queued);
    expect_int(fcntl(peer, F_SETFL, O_NONBLOCK), 0);
    while (count < LARGE) {
        ssize_t more = recv(peer, rest, LARGE, 0);

        expect(more > 0 || errno == EAGAIN);
        count += more > 0 ? (size_t)more : 0;
        loop_turns(1);
    }
    close(peer);
    loop_turns(2);
    expect_recorded("closed");
    expect_int(last_status, 0);
    free(rest);
    loop_end();
}

CASE(stream_finish_gives_up_on_a_peer_that_stops_receiving)
{
    enum { LARGE = 100000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};
    int peer = make_tcp(), fd = weir_stream_fd(ends[0]);

    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, NULL, NULL), 0);
    weir_stream_finish(ends[0], WEIR_S(2), finished, "closed");
    receive_some(peer, fd);
    for (int i = 0; i < 8 && last_status == 1; i++) {
        expect_status(weir_clock_advance(WEIR_S(2)), 0);
        loop_turns(2);
    }
    expect_recorded("closed");
    expect_int(last_status, -ETIMEDOUT);
    close(peer);
    loop_end();
}

/* covers: weir_stream_set_timeouts -EINVAL */
CASE(stream_read_times_out)
{
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
    expect_status(weir_stream_set_timeouts(ends[1], -1, 0), -EINVAL);
    expect_status(weir_stream_set_timeouts(NULL, 1, 0), -EINVAL);
    expect_status(weir_stream_set_timeouts(ends[1], WEIR_S(3), 0), 0);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    expect_status(weir_clock_advance(WEIR_S(2)), 0);
    write_text(ends[0], "progress", NULL);
    loop_turns(2);
    expect_status(weir_clock_advance(WEIR_S(2)), 0);
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_clock_advance(WEIR_S(1)), 0);
    loop_turns(2);
    expect_recorded("end");
    expect_int(last_status, -ETIMEDOUT);
    expect_status(weir_stream_read(ends[1], collect, "end"), -ETIMEDOUT);
    close_both();
    loop_end();
}

/* The time of the reader was running when it paused, and no byte had arrived
 * since. */
CASE(stream_read_does_not_time_out_while_it_is_paused)
{
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    expect_status(weir_stream_set_timeouts(ends[1], WEIR_S(3), 0), 0);
    weir_stream_pause(ends[1]);
    expect_status(weir_clock_advance(WEIR_S(4)), 0);
    loop_turns(2);
    write_text(ends[0], "late", NULL);
    weir_stream_resume(ends[1]);
    loop_turns(2);
    expect_recorded("");
    expect_int(received_size, 4);
    expect_status(weir_clock_advance(WEIR_S(3)), 0);
    loop_turns(2);
    expect_recorded("end");
    expect_int(last_status, -ETIMEDOUT);
    close_both();
    loop_end();
}

CASE(stream_write_times_out_without_progress)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
    expect_status(weir_stream_set_timeouts(ends[0], 0, WEIR_S(3)), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "write"), 0);
    loop_turns(2);
    expect_recorded("");
    expect_status(weir_clock_advance(WEIR_S(3)), 0);
    loop_turns(2);
    expect_recorded("write");
    expect_int(last_status, -ETIMEDOUT);
    close_both();
    loop_end();
}

CASE(stream_write_does_not_time_out_while_a_slow_peer_receives)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    int peer = make_tcp();
    size_t queued = write_too_much((weir_bytes){large, LARGE}, "write");

    expect_status(weir_stream_set_timeouts(ends[0], 0, WEIR_S(3)), 0);
    (void)receive_slowly(peer, WEIR_S(3), queued);
    expect_status(weir_clock_advance(WEIR_S(3)), 0);
    loop_turns(2);
    expect_recorded("write");
    expect_int(last_status, -ETIMEDOUT);
    close(peer);
    weir_stream_close(ends[0], NULL, NULL);
    loop_run();
    loop_end();
}

/* A loop has no room for timers before its first one. */
static void make_pair_without_timers(struct failing_allocator *memory)
{
    failing_allocator_init(memory, 0);
    expect_status(weir_set_allocator(&memory->hooks), 0);
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
}

CASE(stream_read_without_memory_for_its_timeout_ends)
{
    static struct failing_allocator memory;

    make_pair_without_timers(&memory);
    expect_status(weir_stream_set_timeouts(ends[1], WEIR_S(3), 0), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    expect_recorded("");
    loop_turns(2);
    expect_recorded("end");
    expect_int(last_status, -ENOMEM);
    expect_status(weir_stream_read(ends[1], collect, "end"), -ENOMEM);
    close_both();
    loop_end();
}

CASE(stream_write_without_memory_for_its_timeout_ends)
{
    enum { LARGE = 1000000 };
    static struct failing_allocator memory;
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair_without_timers(&memory);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "write"), 0);
    loop_turns(2);
    expect_recorded("");
    memory.fail_at = memory.calls + 1;
    expect_status(weir_stream_set_timeouts(ends[0], 0, WEIR_S(3)), 0);
    expect_recorded("");
    loop_turns(2);
    expect_recorded("write");
    expect_int(last_status, -ENOMEM);
    close_both();
    loop_end();
}

/* Its peer never reads: without a timer it would linger forever. */
CASE(stream_finish_without_memory_for_its_linger_time_closes)
{
    enum { LARGE = 1000000 };
    static struct failing_allocator memory;
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair_without_timers(&memory);
    expect_status(weir_stream_write(ends[0], &bytes, 1, NULL, NULL), 0);
    /* The first one is that of the half-close. */
    memory.fail_at = memory.calls + 2;
    weir_stream_finish(ends[0], WEIR_S(3), finished, "closed");
    expect_recorded("");
    loop_turns(2);
    expect_recorded("closed");
    expect_int(last_status, -ENOMEM);
    weir_stream_close(ends[1], NULL, NULL);
    loop_run();
    loop_end();
}

/* Its time is past the last nanosecond. */
CASE(stream_with_the_longest_timeouts_waits)
{
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    make_pair(NULL);
    expect_status(weir_stream_set_timeouts(ends[1], INT64_MAX, INT64_MAX), 0);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    loop_turns(2);
    expect(weir_loop_timeout(loop) == -1);
    expect_recorded("");
    close_both();
    loop_end();
}

static void take(void *buffer, weir_stream *stream, int status,
                 weir_bytes bytes)
{
    if (status == 0)
        *(weir_buffer **)buffer = weir_stream_take_buffer(stream);
}

CASE(stream_gives_its_buffer_away)
{
    weir_buffer *small = NULL, *large = NULL;
    char *text = make_large(40000), *data;
    weir_bytes bytes = {text, 40000};
    size_t size;

    make_pair(NULL);
    expect(weir_stream_take_buffer(ends[1]) == NULL);
    expect_status(weir_stream_read(ends[1], take, &small), 0);
    write_text(ends[0], "small", NULL);
    loop_turns(2);
    data = weir_buffer_data(small, &size);
    expect(size == 5 && memcmp(data, "small", 5) == 0);
    weir_stream_close(ends[1], NULL, NULL);
    weir_stream_close(ends[0], NULL, NULL);
    loop_run();
    expect_status(weir_stream_pair(ends, loop, NULL), 0);
    expect_status(weir_stream_read(ends[1], take, &large), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, NULL, NULL), 0);
    loop_turns(2);
    close_both();
    data = weir_buffer_data(large, &size);
    expect(size > 16384 && memcmp(data, text, size) == 0);
    loop_end();
    weir_buffer_free(small);
    weir_buffer_free(large);
    weir_buffer_free(NULL);
}

static int taken_fd = -1;

static void take_fd(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status == 0)
        expect_int(weir_stream_take_fds(stream, &taken_fd, 1), 1);
}

/* covers: weir_stream_send_fds -EINVAL
 * covers: weir_stream_send_fds -EBADF
 * covers: weir_stream_send_fds -ENOTSUP
 * covers: weir_stream_send_fds -EPIPE */
CASE(stream_passes_descriptors)
{
    int pipe_ends[2], two[2];
    weir_bytes byte = WEIR_BYTES_OF("x"), none = {"", 0};
    weir_stream *tube;

    make_pair(NULL);
    expect_int(pipe2(pipe_ends, O_CLOEXEC), 0);
    expect_status(weir_stream_read(ends[1], take_fd, NULL), 0);
    expect_status(weir_stream_send_fds(ends[0], none, pipe_ends, 1, NULL, NULL),
                  -EINVAL);
    expect_status(weir_stream_send_fds(ends[0], byte, pipe_ends, 0, NULL, NULL),
                  -EINVAL);
    expect_status(
        weir_stream_send_fds(ends[0], byte, pipe_ends, 65, NULL, NULL),
        -EINVAL);
    two[0] = pipe_ends[0];
    two[1] = 987654;
    expect_status(weir_stream_send_fds(ends[0], byte, two, 2, NULL, NULL),
                  -EBADF);
    two[1] = pipe_ends[0];
    expect_status(weir_stream_send_fds(ends[0], byte, two, 2, finished, "sent"),
                  0);
    close(pipe_ends[0]);
    loop_turns(3);
    expect_recorded("sent");
    expect(taken_fd >= 0);
    expect_int(write(pipe_ends[1], "y", 1), 1);
    expect_int(read(taken_fd, received, 8), 1);
    expect_status(weir_stream_open(&tube, loop, pipe_ends[1], NULL), 0);
    expect_status(weir_stream_send_fds(tube, byte, &taken_fd, 1, NULL, NULL),
                  -ENOTSUP);
    weir_stream_close(tube, NULL, NULL);
    expect_status(weir_stream_shutdown(ends[0], NULL, NULL), 0);
    expect_status(weir_stream_send_fds(ends[0], byte, &taken_fd, 1, NULL, NULL),
                  -EPIPE);
    close(taken_fd);
    close_both();
    loop_end();
}

static int make_file(const char *text, size_t size)
{
    char path[] = "/tmp/weir-stream-XXXXXX";
    int fd = mkstemp(path);

    unlink(path);
    expect_int(write(fd, text, size), size);
    return fd;
}

/* covers: weir_stream_send_file -EINVAL
 * covers: weir_stream_send_file -EPIPE */
CASE(stream_sends_files_between_bytes)
{
    enum { LARGE = 500000 };
    char *large = make_large(LARGE);
    int fd = make_file(large, LARGE);

    make_pair(NULL);
    expect_status(weir_stream_send_file(ends[0], -1, 0, 1, NULL, NULL),
                  -EINVAL);
    expect_status(weir_stream_send_file(ends[0], fd, -1, 1, NULL, NULL),
                  -EINVAL);
    expect_status(weir_stream_send_file(ends[0], fd, 0, -1, NULL, NULL),
                  -EINVAL);
    write_text(ends[0], "<", NULL);
    expect_status(
        weir_stream_send_file(ends[0], fd, 100, LARGE - 100, finished, "file"),
        0);
    write_text(ends[0], ">", "tail");
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    while (weir_stream_queued_bytes(ends[0]) > 0)
        loop_turns(1);
    loop_turns(2);
    expect_recorded("file tail");
    expect_int(received_size, LARGE - 100 + 2);
    expect(memcmp(received + 1, large + 100, LARGE - 100) == 0);
    expect_status(
        weir_stream_send_file(ends[0], fd, LARGE, 10, finished, "short"), 0);
    loop_turns(2);
    expect_int(last_status, WEIR_ETRUNCATED);
    expect_status(weir_stream_shutdown(ends[0], NULL, NULL), 0);
    expect_status(weir_stream_send_file(ends[0], fd, 0, 1, NULL, NULL), -EPIPE);
    close_both();
    close(fd);
    loop_end();
}

/* covers: weir_stream_open -EINVAL
 * covers: weir_stream_open -EBADF
 * covers: weir_stream_open -EPERM
 * covers: weir_stream_open -E2BIG */
CASE(stream_refuses_what_is_no_stream)
{
    struct {
        weir_stream_options options;
        int unknown;
    } newer = {{.size = sizeof(newer)}, 1};
    weir_stream_options tiny = {.size = 1};
    weir_stream *stream = NULL;
    int fd = make_file("x", 1);

    loop_make(NULL);
    expect_status(weir_stream_open(NULL, loop, fd, NULL), -EINVAL);
    expect_status(weir_stream_open(&stream, NULL, fd, NULL), -EINVAL);
    expect_status(weir_stream_open(&stream, loop, fd, &tiny), -EINVAL);
    expect_status(weir_stream_open(&stream, loop, fd, &newer.options), -E2BIG);
    expect_status(weir_stream_open(&stream, loop, -1, NULL), -EBADF);
    expect_status(weir_stream_open(&stream, loop, 98765, NULL), -EBADF);
    expect_status(weir_stream_open(&stream, loop, fd, NULL), -EPERM);
    expect(stream == NULL);
    close(fd);
    loop_end();
}

/* covers: weir_stream_read -EINVAL
 * covers: weir_stream_read -EBUSY
 * covers: weir_stream_read_into -EINVAL
 * covers: weir_stream_read_into -EBUSY
 * covers: weir_stream_write -EINVAL
 * covers: weir_stream_write -EPIPE
 * covers: weir_stream_shutdown -EINVAL
 * covers: weir_stream_shutdown -EPIPE */
CASE(stream_refuses_nonsense)
{
    weir_bytes byte = WEIR_BYTES_OF("x");
    weir_bytes no_data = {NULL, 1};
    weir_bytes halves[] = {{"x", SIZE_MAX / 2 + 1}, {"x", SIZE_MAX / 2 + 1}};
    char buffer[1];

    make_pair(NULL);
    expect_status(weir_stream_write(ends[0], &no_data, 1, NULL, NULL), -EINVAL);
    expect_status(weir_stream_write(ends[0], halves, 2, NULL, NULL), -EINVAL);
    expect_status(weir_stream_read(NULL, collect, ""), -EINVAL);
    expect_status(weir_stream_read(ends[0], NULL, ""), -EINVAL);
    expect_status(weir_stream_read_into(ends[0], buffer, 0, collect, ""),
                  -EINVAL);
    expect_status(weir_stream_read_into(ends[0], NULL, 1, collect, ""),
                  -EINVAL);
    expect_status(weir_stream_read(ends[0], collect, ""), 0);
    expect_status(weir_stream_read(ends[0], collect, ""), -EBUSY);
    expect_status(weir_stream_read_into(ends[0], buffer, 1, collect, ""),
                  -EBUSY);
    expect_status(weir_stream_write(NULL, &byte, 1, NULL, NULL), -EINVAL);
    expect_status(weir_stream_write(ends[0], NULL, 1, NULL, NULL), -EINVAL);
    expect_status(weir_stream_write(ends[0], &byte, 1025, NULL, NULL), -EINVAL);
    expect_status(weir_stream_shutdown(NULL, NULL, NULL), -EINVAL);
    expect_status(weir_stream_shutdown(ends[0], NULL, NULL), 0);
    expect_status(weir_stream_shutdown(ends[0], NULL, NULL), -EPIPE);
    expect_status(weir_stream_write(ends[0], &byte, 1, NULL, NULL), -EPIPE);
    close_both();
    loop_end();
}

CASE(stream_whose_peer_is_gone_fails_writes_and_can_still_be_read)
{
    weir_bytes byte = WEIR_BYTES_OF("x");

    make_pair(NULL);
    write_text(ends[1], "last words", NULL);
    weir_stream_close(ends[1], NULL, NULL);
    loop_turns(1);
    expect_status(weir_stream_write(ends[0], &byte, 1, NULL, NULL), -EPIPE);
    expect_status(weir_stream_write(ends[0], &byte, 1, finished, "no"), -EPIPE);
    expect_status(weir_stream_read(ends[0], collect, "end"), 0);
    loop_turns(3);
    expect_int(received_size, 10);
    expect_recorded("end");
    weir_stream_close(ends[0], finished, "closed");
    loop_turns(1);
    expect_int(last_status, -EPIPE);
    expect_recorded("closed");
    loop_end();
}

static void end_of_loop(void *arg, weir_stream *stream)
{
    note("on_end");
    weir_stream_close(stream, finished, "closed");
}

CASE(stream_is_told_when_the_loop_ends)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};

    make_pair(STREAM_OPTIONS(.on_end = end_of_loop));
    expect_status(weir_stream_read(ends[0], collect, "read"), 0);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "write"), 0);
    loop_turns(1);
    weir_stream_close(ends[1], NULL, NULL);
    loop_turns(1);
    take_record();
    expect_status(weir_loop_close(loop, -1), 0);
    expect_recorded("on_end closed");
    expect_status(weir_loop_free(loop), 0);
}

CASE(stream_without_on_end_is_closed_with_the_loop)
{
    make_pair(NULL);
    expect_status(weir_stream_read(ends[0], collect, "read"), 0);
    weir_stream_finish(ends[1], WEIR_S(10), finished, "closed");
    expect_status(weir_loop_close(loop, -1), 0);
    expect_int(last_status, WEIR_ECANCELED);
    expect_status(weir_loop_free(loop), 0);
}

static void close_it(void *arg, weir_stream *stream, int status,
                     weir_bytes bytes)
{
    note("read");
    weir_stream_close(stream, finished, "closed");
}

CASE(stream_can_be_closed_in_its_own_callback)
{
    make_pair(NULL);
    expect_status(weir_stream_read(ends[1], close_it, NULL), 0);
    write_text(ends[0], "x", NULL);
    loop_turns(2);
    expect_recorded("read closed");
    weir_stream_close(ends[0], NULL, NULL);
    loop_run();
    loop_end();
}

static void raise_it(void *arg, weir_stream *stream, int status,
                     weir_bytes bytes)
{
    if (status == 0)
        weir_raise(-EIO, "in a reader");
}

static void raised(void *arg, weir_loop *which, const weir_uncaught *what)
{
    note("raised");
}

CASE(stream_survives_a_callback_that_raises)
{
    loop_make(LOOP_OPTIONS(.on_uncaught = raised));
    expect_status(weir_stream_pair(ends, loop, NULL), 0);
    expect_status(weir_stream_read(ends[1], raise_it, NULL), 0);
    write_text(ends[0], "x", NULL);
    loop_turns(2);
    write_text(ends[0], "y", NULL);
    loop_turns(2);
    expect_recorded("raised raised");
    close_both();
    loop_end();
}

/* covers: weir_stream_detach -EBUSY */
CASE(stream_gives_its_descriptor_back)
{
    enum { LARGE = 1000000 };
    char *large = make_large(LARGE);
    weir_bytes bytes = {large, LARGE};
    int fd;

    make_pair(NULL);
    expect_status(weir_stream_write(ends[0], &bytes, 1, finished, "w"), 0);
    expect_status(weir_stream_detach(ends[0]), -EBUSY);
    fd = weir_stream_detach(ends[1]);
    expect(fd >= 0);
    expect(read(fd, received, 1000) == 1000);
    close(fd);
    weir_stream_close(ends[0], NULL, NULL);
    loop_run();
    loop_end();
}

/* What came with the request of an upgrade would be lost. */
CASE(stream_with_bytes_that_were_pushed_back_keeps_its_descriptor)
{
    int fd;

    make_pair(NULL);
    expect_status(
        weir__stream_unread(ends[0], (weir_bytes)WEIR_BYTES_OF("early")), 0);
    expect_status(weir_stream_detach(ends[0]), -EBUSY);
    expect_status(weir_stream_read(ends[0], collect, "end"), 0);
    loop_turns(2);
    expect_int(received_size, 5);
    fd = weir_stream_detach(ends[0]);
    expect(fd >= 0);
    close(fd);
    weir_stream_close(ends[1], NULL, NULL);
    loop_run();
    loop_end();
}

CASE(stream_of_a_pipe_ends_its_reader_by_shutdown)
{
    int pipe_ends[2];

    loop_make(NULL);
    expect_int(pipe2(pipe_ends, O_CLOEXEC), 0);
    expect_status(weir_stream_open(&ends[0], loop, pipe_ends[1], NULL), 0);
    expect_status(weir_stream_open(&ends[1], loop, pipe_ends[0], NULL), 0);
    expect_status(weir_stream_read(ends[1], collect, "end"), 0);
    write_text(ends[0], "through a pipe", NULL);
    expect_status(weir_stream_shutdown(ends[0], finished, "shut"), 0);
    loop_turns(3);
    expect_recorded("shut end");
    expect_int(received_size, 14);
    close_both();
    loop_end();
}

CASE(stream_that_is_unref_does_not_hold_the_loop)
{
    weir_holder holder;

    make_pair(STREAM_OPTIONS(.is_unref = true, .name = "mine"));
    expect_status(weir_stream_read(ends[0], collect, "end"), 0);
    loop_run();
    weir_stream_set_ref(ends[0], true);
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(holder)), 1);
    expect_string(holder.name, "mine");
    weir_stream_set_name(ends[0], "yours");
    expect_int(weir_loop_report(loop, &holder, 1, sizeof(holder)), 1);
    expect_string(holder.name, "yours");
    close_both();
    loop_end();
}

/* SPDX-License-Identifier: MIT */
/*
 * timeouts -- the server ends a connection exactly at its limit, and not before.
 *
 * The clock is frozen, and the case steps the loop itself, so nothing waits.
 * Clients are Unix sockets: what is sent to one has arrived.  Times are since
 * the first connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/client_fixture.h"
#include "net/support/tls_fixture.h"
#include "support/loop_fixture.h"
#include "weir/clock.h"
#include "weir/host/http.h"
#include "weir/timer.h"

#define HEADER WEIR_S(5)
#define REQUEST WEIR_S(8)
#define KEEP_ALIVE WEIR_S(3)
#define WRITE WEIR_S(4)
#define LINGER WEIR_S(2)

enum { BEGIN_S = 1000, LARGE = 4 * 1024 * 1024 };

static weir_loop *control; /* drives the end of the server */
static weir_http_server *server;
static weir_http_request *kept;
static bool has_ended;
static int64_t keep_alive_ns = KEEP_ALIVE;

/* ---- the server ---- */

/* Record how a request ends. */
static void on_request_end(void *arg, weir_http_request *request, int status)
{
    note(status == 0 ? "answered" : weir_error_name(status));
}

static void on_collected(void *arg, weir_http_request *request, int status,
                         weir_bytes body)
{
    if (status == 0)
        expect_status(
            weir_http_respond(request, 200, NULL, body.data, body.size), 0);
}

static void on_piece(void *arg, weir_http_request *request, int status,
                     weir_bytes bytes)
{
}

static void on_request(void *arg, weir_http_request *request)
{
    static const char large[LARGE];

    expect_status(weir_http_request_on_end(request, on_request_end, NULL), 0);
    if (weir_http_is(request, "GET", "/hello")) {
        expect_status(weir_http_respond(request, 200, NULL, "hello", 5), 0);
    } else if (weir_http_is(request, "GET", "/large")) {
        expect_status(weir_http_respond(request, 200, NULL, large, LARGE), 0);
    } else if (weir_http_is(request, "POST", "/collect")) {
        expect_status(weir_http_collect(request, 100, on_collected, NULL), 0);
    } else if (weir_http_is(request, "POST", "/begin")) {
        expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
        expect_status(weir_http_read(request, on_piece, NULL), 0);
    } else {
        kept = request;
    }
}

static void on_end(void *arg, weir_http_server *of, int status)
{
    has_ended = true;
    weir_http_server_free(of);
}

static void on_connection(void *arg, weir_http_connection *connection)
{
}

static void on_disconnect(void *arg, weir_http_connection *connection,
                          int status)
{
    note("gone");
}

static void set_time(int64_t since_ns)
{
    expect_status(weir_clock_freeze(WEIR_S(BEGIN_S) + since_ns), 0);
}

/* Let the server do what there is to do at this time. */
static void look(void)
{
    loop_turns(4);
}

static void begin(weir_tls *tls)
{
    const weir_http_server_options options = {.size = sizeof(options),
                                              .on_request = on_request,
                                              .tls = tls,
                                              .header_ns = HEADER,
                                              .request_ns = REQUEST,
                                              .keep_alive_ns = keep_alive_ns,
                                              .write_ns = WRITE,
                                              .drain_linger_ns = LINGER};
    weir_http_guest_options guest = {.size = sizeof(guest),
                                     .on_end = on_end,
                                     .on_connection = on_connection,
                                     .on_disconnect = on_disconnect};
    char name[64];

    set_time(0);
    loop_make(NULL);
    expect_status(weir_loop_new(&control, NULL), 0);
    guest.control = control;
    expect_status(weir_http_server_open(&server, loop, &options, &guest), 0);
    snprintf(name, sizeof(name), "@weir-test-timeouts-%ld", (long)getpid());
    expect_status(weir_http_server_listen(server, name, NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
}

/* The clients have left. */
static void end(void)
{
    expect_status(weir_http_server_close(server), 0);
    for (int i = 0; i < 4 && !has_ended; i++) {
        look();
        expect_status(weir_loop_step(control, 0), 0);
    }
    expect(has_ended);
    loop_end();
    expect_status(weir_loop_shutdown(control, -1), 0);
    expect_status(weir_loop_free(control), 0);
}

/* ---- the client ---- */

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define POST(path)                                                             \
    "POST " path " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"

static int join(void)
{
    int fd = join_server();

    look();
    return fd;
}

static void say(int fd, const char *text)
{
    send_text(fd, text);
    look();
}

/* Receive what there is.  Returns the size, 0 if the server has closed, or -1
 * if there is nothing. */
static ssize_t hear(int fd)
{
    ssize_t count = recv(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT);

    if (count < 0)
        expect_int(errno, EAGAIN);
    answer[count < 0 ? 0 : count] = '\0';
    return count;
}

static void expect_heard(int fd, const char *beginning)
{
    expect(hear(fd) > 0);
    expect(strncmp(answer, beginning, strlen(beginning)) == 0);
}

#define expect_nothing(fd) expect_int(hear(fd), -1)

/* The server says this (NULL: nothing) and closes at this time. */
static void expect_end(int fd, int64_t limit_ns, const char *last)
{
    set_time(limit_ns - 1);
    look();
    expect_nothing(fd);
    set_time(limit_ns);
    look();
    if (last != NULL) {
        expect_heard(fd, last);
        expect(strstr(answer, "Connection: close\r\n") != NULL);
    }
    expect_int(hear(fd), 0);
}

static void leave(int fd)
{
    close(fd);
    look();
}

#define LATE "HTTP/1.1 408 "

/* ---- the head ---- */

CASE(http_server_answers_408_to_a_slow_head_at_its_limit)
{
    static const char head[] = "GET / ";
    int fd;

    begin(NULL);
    fd = join();
    for (int i = 0; head[i] != '\0'; i++) { /* the last one after 5.5 s */
        set_time(WEIR_S(1) + WEIR_MS(900) * i);
        say(fd, (const char[]){head[i], '\0'});
        expect_nothing(fd);
    }
    expect_end(fd, WEIR_S(1) + HEADER, LATE);
    leave(fd);
    expect_recorded("gone");
    end();
}

CASE(http_server_closes_a_connection_without_a_byte_at_the_limit_of_a_head)
{
    int fd;

    begin(NULL);
    fd = join();
    expect_end(fd, HEADER, NULL);
    leave(fd);
    end();
}

/* It begins when the time of an idle connection has almost passed. */
CASE(http_server_gives_the_second_head_its_own_time)
{
    int64_t second_ns = KEEP_ALIVE - 1;
    int fd;

    begin(NULL);
    fd = join();
    say(fd, GET("/hello"));
    expect_heard(fd, "HTTP/1.1 200 ");
    set_time(second_ns);
    say(fd, "G");
    expect_end(fd, second_ns + HEADER, LATE);
    leave(fd);
    expect_recorded("answered gone");
    end();
}

CASE(http_server_closes_a_tls_connection_that_stalls_at_the_limit_of_a_head)
{
    /* A record of a handshake with 256 bytes, of which 3 arrive. */
    static const char half[] = {0x16, 0x03, 0x01, 0x01, 0x00, 0x01, 0x00, 0x00};
    weir_tls *tls;
    int fd;

    identities_make();
    tls = server_make(&leaf, TLS_OPTIONS());
    begin(tls);
    fd = join();
    set_time(WEIR_S(1));
    expect_int(send(fd, half, sizeof(half), MSG_NOSIGNAL), sizeof(half));
    look();
    expect_end(fd, HEADER, NULL);
    leave(fd);
    end();
    weir_tls_unref(tls);
    identities_free();
}

/* ---- the body ---- */

/* The time of the request includes that of the head. */
CASE(http_server_answers_408_to_a_slow_body_at_its_limit)
{
    int fd;

    begin(NULL);
    fd = join();
    set_time(WEIR_S(1));
    say(fd, "POST /collect HTTP/1.1\r\n");
    set_time(WEIR_S(4));
    say(fd, "Host: x\r\nContent-Length: 10\r\n\r\n");
    for (int i = 5; i < 9; i++) {
        set_time(WEIR_S(i));
        say(fd, "x");
        expect_nothing(fd);
    }
    expect_recorded("");
    expect_end(fd, WEIR_S(1) + REQUEST, LATE);
    leave(fd);
    expect_recorded("ETIMEDOUT gone");
    end();
}

/* There is no second head to say so. */
CASE(http_server_cuts_a_response_off_at_the_limit_of_its_request)
{
    int fd;

    begin(NULL);
    fd = join();
    say(fd, POST("/begin"));
    expect_heard(fd, "HTTP/1.1 200 ");
    set_time(WEIR_S(7));
    say(fd, "x");
    expect_end(fd, REQUEST, NULL);
    expect_recorded("ETIMEDOUT gone");
    leave(fd);
    end();
}

CASE(http_server_sets_a_handler_no_limit)
{
    int fd;

    begin(NULL);
    fd = join();
    say(fd, GET("/kept"));
    set_time(WEIR_S(3600));
    look();
    expect_nothing(fd);
    expect_recorded("");
    expect_status(weir_http_respond(kept, 200, NULL, NULL, 0), 0);
    look();
    expect_heard(fd, "HTTP/1.1 200 ");
    expect_end(fd, WEIR_S(3600) + KEEP_ALIVE, NULL);
    leave(fd);
    end();
}

/* ---- between requests ---- */

/* The limit of the first head was later than this one. */
CASE(http_server_closes_an_idle_connection_at_its_limit)
{
    int fd;

    begin(NULL);
    fd = join();
    set_time(WEIR_S(1));
    say(fd, GET("/hello"));
    expect_heard(fd, "HTTP/1.1 200 ");
    expect_end(fd, WEIR_S(1) + KEEP_ALIVE, NULL);
    leave(fd);
    end();
}

CASE(http_server_gives_an_idle_connection_new_time_after_each_response)
{
    int fd;

    begin(NULL);
    fd = join();
    for (int i = 0; i < 5; i++) {
        set_time(i * (KEEP_ALIVE - 1));
        say(fd, GET("/hello"));
        expect_heard(fd, "HTTP/1.1 200 ");
    }
    expect_end(fd, 4 * (KEEP_ALIVE - 1) + KEEP_ALIVE, NULL);
    leave(fd);
    end();
}

/* A handler may have kept the loop busy. */
CASE(http_server_reads_what_has_arrived_before_it_closes_an_idle_connection)
{
    int fd;

    begin(NULL);
    fd = join();
    set_time(HEADER);
    say(fd, "G");
    expect_end(fd, 2 * HEADER, LATE);
    leave(fd);
    end();
}

CASE(http_server_lets_a_client_begin_its_first_request_late_only_once)
{
    static const char half[] = {0x16, 0x03};
    weir_tls *tls;
    int fd;

    identities_make();
    tls = server_make(&leaf, TLS_OPTIONS());
    keep_alive_ns = -1;
    begin(tls);
    fd = join();
    set_time(HEADER);
    expect_int(send(fd, half, sizeof(half), MSG_NOSIGNAL), sizeof(half));
    look();
    expect_end(fd, 2 * HEADER, NULL);
    leave(fd);
    end();
    weir_tls_unref(tls);
    identities_free();
}

/* ---- the response ---- */

static void read_large(int fd)
{
    ssize_t count;
    size_t size = 0;

    while (size < LARGE) {
        while ((count = hear(fd)) > 0)
            size += (size_t)count;
        expect_int(count, -1);
        look();
    }
}

CASE(http_server_counts_idle_time_from_the_moment_a_response_has_left)
{
    int fd;

    begin(NULL);
    fd = join();
    say(fd, GET("/large"));
    set_time(WRITE - 1); /* later than KEEP_ALIVE */
    look();
    read_large(fd);
    expect_recorded("answered");
    expect_end(fd, WRITE - 1 + KEEP_ALIVE, NULL);
    leave(fd);
    end();
}

CASE(http_server_ends_a_client_that_does_not_read_at_its_limit)
{
    ssize_t count, size = 0;
    int fd;

    begin(NULL);
    fd = join();
    set_time(WEIR_S(1));
    say(fd, GET("/large"));
    set_time(WEIR_S(1) + WRITE - 1);
    look();
    expect_recorded("");
    set_time(WEIR_S(1) + WRITE);
    look();
    expect_recorded("ETIMEDOUT gone");
    while ((count = hear(fd)) > 0)
        size += count;
    expect_int(count, 0);
    expect(size < LARGE);
    leave(fd);
    end();
}

CASE(http_server_gives_a_client_that_reads_new_time)
{
    ssize_t count, size = 0;
    int fd;

    begin(NULL);
    fd = join();
    say(fd, GET("/large"));
    for (int i = 1; i <= 3; i++) { /* each time as much as has left */
        set_time(i * (WRITE - 1));
        while ((count = hear(fd)) > 0)
            size += count;
        look();
        expect_recorded("");
    }
    expect(size < LARGE);
    set_time(3 * (WRITE - 1) + WRITE - 1);
    look();
    expect_recorded("");
    set_time(3 * (WRITE - 1) + WRITE);
    look();
    expect_recorded("ETIMEDOUT gone");
    leave(fd);
    end();
}

/* The client has its answer, and could still read it. */
CASE(http_server_leaves_a_client_that_stays_after_the_linger_time)
{
    int fd;

    begin(NULL);
    fd = join();
    say(fd, "G");
    expect_end(fd, HEADER, LATE);
    set_time(HEADER + LINGER - 1);
    look();
    expect_recorded("");
    set_time(HEADER + LINGER);
    look();
    expect_recorded("gone");
    leave(fd);
    end();
}

/* ---- several ---- */

CASE(http_server_ends_each_connection_at_its_own_limit)
{
    int first, idle, last;

    begin(NULL);
    first = join();
    say(first, "G"); /* until 5 s */
    set_time(WEIR_S(1));
    idle = join();
    say(idle, GET("/hello")); /* until 4 s */
    expect_heard(idle, "HTTP/1.1 200 ");
    set_time(WEIR_S(2));
    last = join();
    say(last, POST("/collect")); /* until 10 s */
    expect_recorded("answered");
    expect_end(idle, WEIR_S(1) + KEEP_ALIVE, NULL);
    expect_nothing(first);
    expect_end(first, HEADER, LATE);
    expect_nothing(last);
    expect_end(last, WEIR_S(2) + REQUEST, LATE);
    leave(first);
    leave(idle);
    leave(last);
    end();
}

/* SPDX-License-Identifier: MIT */
/*
 * server -- what a client receives, and what a handler is told.
 *
 * The server runs on a loop of a service; the case is the client, with a socket
 * that blocks.
 */
#include "weir/net/http.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "net/support/client_fixture.h"
#include "net/support/tls_fixture.h"
#include "support/failing_allocator.h"
#include "support/service_fixture.h"
#include "weir/host/http.h"
#include "weir/timer.h"

static weir_http_server *server;
static sem_t told_; /* by a handler */
static int statuses[32];
static size_t status_count;
static const char *place = "127.0.0.1:0";
static weir_http_request *kept;
static weir_loop *kept_loop;

/* ---- the server ---- */

static void remember(int status)
{
    statuses[status_count++] = status;
}

static void tell_test(void)
{
    expect_int(sem_post(&told_), 0);
}

static void hello(void *arg, weir_http_request *request)
{
    expect_status(weir_http_respond(request, 200, "text/plain", "hello\n", 6),
                  0);
}

#define serve(handler, ...)                                                    \
    start_server(                                                              \
        &(weir_http_server_options){.size = sizeof(weir_http_server_options),  \
                                    .on_request = handler,                     \
                                    __VA_ARGS__})

static void start_server(const weir_http_server_options *given)
{
    weir_http_server_options filled = *given, *options = &filled;

    if (filled.drain_idle_ns == 0)
        filled.drain_idle_ns = WEIR_MS(20);
    expect_int(sem_init(&told_, 0, 0), 0);
    make();
    expect_status(weir_http_server_new(&server, service, options), 0);
    expect_status(weir_http_server_listen(server, place, NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_status(weir_service_start(service), 0);
}

static void end_with(int status)
{
    expect_status(weir_service_wait(service, -1), status);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
}

static void stop(void)
{
    expect_status(weir_service_stop(service), 0);
    end_with(0);
}

/* A service that is forced to end does not wait for its loops for long. */
static void end_forced(void)
{
    int err;

    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    while ((err = weir_service_free(service)) == -EBUSY)
        sched_yield();
    expect_status(err, 0);
    weir_http_server_free(server);
}

/* ---- the client ---- */

/* Send a request, half-close, and return the answer. */
static const char *ask(const char *text)
{
    int fd = join_server();
    const char *said;

    send_text(fd, text);
    shutdown(fd, SHUT_WR);
    said = read_all(fd);
    close(fd);
    return said;
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define GET_LAST(path)                                                         \
    "GET " path " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    while ((text = strstr(text, part)) != NULL) {
        count++;
        text += strlen(part);
    }
    return count;
}

/* ---- requests ---- */

CASE(http_server_answers_and_keeps_the_connection)
{
    int fd;

    serve(hello);
    fd = join_server();
    send_text(fd, GET("/"));
    expect(begins(read_until(fd, "hello\n"), "HTTP/1.1 200 OK\r\n"));
    expect(strstr(answer, "Content-Length: 6\r\n") != NULL);
    expect(strstr(answer, "Date: ") != NULL);
    expect(strstr(answer, "Connection: close") == NULL);
    send_text(fd, GET_LAST("/"));
    expect(strstr(read_all(fd), "Connection: close\r\n") != NULL);
    close(fd);
    stop();
}

CASE(http_server_answers_pipelined_requests_in_order)
{
    const char *said;

    serve(hello);
    said = ask(GET("/1") GET("/2") GET("/3"));
    expect_int(count_of(said, "HTTP/1.1 200 OK"), 3);
    expect_int(count_of(said, "hello\n"), 3);
    stop();
}

static void describe(void *arg, weir_http_request *request)
{
    weir_http_field field;
    char text[256];

    expect(weir_http_is(request, "GET", "/a"));
    expect(!weir_http_is(request, "POST", "/a"));
    expect(weir_http_is(request, NULL, "/a"));
    expect_int(weir_http_version(request), 11);
    expect_int(weir_http_body_size(request), 0);
    expect(weir_http_field_at(request, 1, &field));
    expect(!weir_http_field_at(request, 2, &field));
    expect(!weir_http_trailer_at(request, 0, &field));
    expect(weir_http_field_of(request, "absent").data == NULL);
    weir_http_set_data(request, text);
    expect(weir_http_data(request) == text);
    expect(weir_http_loop(request) == weir_loop_current());
    expect(weir_http_stream(request) != NULL);
    snprintf(text, sizeof(text), "%.*s %.*s %.*s %.*s",
             (int)weir_http_target(request).size,
             (const char *)weir_http_target(request).data,
             (int)weir_http_path(request).size,
             (const char *)weir_http_path(request).data,
             (int)weir_http_query(request).size,
             (const char *)weir_http_query(request).data,
             (int)weir_http_field_of(request, "x-word").size,
             (const char *)weir_http_field_of(request, "x-word").data);
    expect_status(weir_http_respond(request, 200, NULL, text, strlen(text)), 0);
}

CASE(http_server_shows_a_request_to_its_handler)
{
    serve(describe);
    expect(strstr(ask("GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Word: w\r\n\r\n"),
                  "\r\n\r\n/a?b=c /a b=c w") != NULL);
    stop();
}

static void echo_body(void *arg, weir_http_request *request, int status,
                      weir_bytes body)
{
    if (status != 0)
        remember(status);
    expect_status(weir_http_respond(request, status == 0 ? 200 : 413, NULL,
                                    body.data, body.size),
                  0);
}

static void echo(void *arg, weir_http_request *request)
{
    expect_status(weir_http_collect(request, 1000, echo_body, NULL), 0);
}

CASE(http_server_reads_bodies_of_both_kinds)
{
    const char *said;

    serve(echo);
    said = ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde"
               "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
               "\r\n3\r\nfgh\r\n2;x=y\r\nij\r\n0\r\n\r\n");
    expect(strstr(said, "\r\n\r\nabcdeHTTP/1.1 200") != NULL);
    expect(strstr(said, "\r\n\r\nfghij") != NULL);
    expect(strstr(ask(GET("/")), "Content-Length: 0\r\n") != NULL);
    stop();
}

CASE(http_server_lets_a_handler_limit_the_body)
{
    char request[2100];

    serve(echo);
    snprintf(request, sizeof(request),
             "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n%2000s",
             "");
    expect(begins(ask(request), "HTTP/1.1 413 "));
    stop();
    expect_int(status_count, 1);
    expect_status(statuses[0], WEIR_ELIMIT);
}

CASE(http_server_tells_a_client_to_continue)
{
    int fd;

    serve(echo);
    fd = join_server();
    send_text(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                  "Expect: 100-continue\r\n\r\n");
    expect_string(read_until(fd, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    send_text(fd, "ok");
    expect(begins(read_until(fd, "\r\n\r\nok"), "HTTP/1.1 200 OK\r\n"));
    close(fd);
    stop();
}

CASE(http_server_refuses_what_is_malformed_or_too_large)
{
    serve(hello, .body_bytes = 10, .fields = 3, .target_bytes = 20);
    expect(begins(ask("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 "));
    expect(begins(ask("GET /012345678901234567890123 HTTP/1.1\r\n"
                      "Host: x\r\n\r\n"),
                  "HTTP/1.1 414 "));
    expect(begins(ask("GET / HTTP/1.1\r\nHost: x\r\na: 1\r\nb: 2\r\nc: 3\r\n"
                      "\r\n"),
                  "HTTP/1.1 431 "));
    expect(begins(ask("GET / HTTP/2.0\r\nHost: x\r\n\r\n"), "HTTP/1.1 505 "));
    expect(strstr(ask("nonsense\r\n\r\n" GET("/")), "hello") == NULL);
    stop();
}

CASE(http_server_answers_head_without_a_body)
{
    const char *said;

    serve(hello);
    said = ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(strstr(said, "Content-Length: 6\r\n") != NULL);
    expect(strstr(said, "hello") == NULL);
    stop();
}

static void raise_it(void *arg, weir_http_request *request)
{
    weir_raise(-EIO, "in a handler");
}

CASE(http_server_answers_500_if_a_handler_raises)
{
    serve(raise_it);
    expect(begins(ask(GET("/")), "HTTP/1.1 500 "));
    expect(begins(ask(GET("/")), "HTTP/1.1 500 "));
    stop();
}

CASE(http_server_answers_probes)
{
    serve(raise_it, .has_health = true);
    expect(begins(ask(GET("/livez")), "HTTP/1.1 200 "));
    expect(begins(ask(GET("/readyz")), "HTTP/1.1 200 "));
    weir_service_set_ready(service, false);
    expect(begins(ask(GET("/readyz")), "HTTP/1.1 503 "));
    expect(begins(ask(GET("/livez")), "HTTP/1.1 200 "));
    stop();
}

CASE(http_server_limits_the_connections_of_a_client)
{
    int one, two, three;
    char byte;

    serve(hello, .connections_per_address = 2);
    one = join_server();
    two = join_server();
    send_text(one, GET("/"));
    read_until(one, "hello\n");
    send_text(two, GET("/"));
    read_until(two, "hello\n");
    three = join_server();
    expect(recv(three, &byte, 1, 0) <= 0);
    close(three);
    send_text(one, GET_LAST("/"));
    read_all(one);
    close(one);
    /* The server may learn of the close a moment later. */
    do {
        three = join_server();
        (void)!send(three, GET("/"), strlen(GET("/")), MSG_NOSIGNAL);
        byte = 0;
        if (recv(three, &byte, 1, 0) == 1)
            break;
        close(three);
    } while (byte == 0);
    expect_int(byte, 'H');
    close(two);
    close(three);
    stop();
}

/* ---- responses in pieces ---- */

static void written(void *arg, weir_http_request *request, int status)
{
    remember(status);
}

static void stream_it(void *arg, weir_http_request *request)
{
    weir_http_field field = WEIR_HTTP_FIELD("X-Kind", "streamed");
    weir_http_field trailer = WEIR_HTTP_FIELD("X-Sum", "7");

    expect_status(weir_http_begin(request, 200, &field, 1, -1), 0);
    expect_status(
        weir_http_write(request, (weir_bytes)WEIR_BYTES_OF("one "), NULL, NULL),
        0);
    expect_status(weir_http_write(request, (weir_bytes)WEIR_BYTES_OF("two"),
                                  written, NULL),
                  0);
    expect(!weir_http_is_full(request));
    weir_http_on_writable(request, NULL, NULL);
    expect_status(weir_http_request_on_end(request, written, NULL), 0);
    expect_status(weir_http_end(request, &trailer, 1), 0);
}

CASE(http_server_streams_a_body_in_chunks_with_trailers)
{
    const char *said;

    serve(stream_it);
    said = ask(GET("/"));
    expect(strstr(said, "Transfer-Encoding: chunked\r\n") != NULL);
    expect(strstr(said, "4\r\none \r\n3\r\ntwo\r\n0\r\nX-Sum: 7\r\n\r\n") !=
           NULL);
    said = ask("GET / HTTP/1.0\r\n\r\n");
    expect(strstr(said, "\r\n\r\none two") != NULL);
    expect(strstr(said, "Connection: close\r\n") != NULL);
    stop();
    expect_int(status_count, 4);
    for (size_t i = 0; i < status_count; i++)
        expect_status(statuses[i], 0);
}

static void answer_late(void *arg, int status)
{
    weir_http_request *request = arg;

    expect_status(weir_http_respond(request, 200, NULL, "late", 4), 0);
}

static void be_late(void *arg, weir_http_request *request)
{
    expect_status(weir_timer_start(weir_http_loop(request), NULL, WEIR_MS(30),
                                   WEIR_TIMER_ONCE, answer_late, request),
                  0);
    tell_test();
}

CASE(http_server_waits_for_a_handler_and_for_those_pipelined_behind_it)
{
    const char *said;

    serve(be_late);
    said = ask(GET("/1") GET("/2"));
    expect_int(count_of(said, "\r\n\r\nlate"), 2);
    stop();
}

static void answer_kept(void *arg, weir_http_request *request, int status)
{
    expect_status(weir_http_respond(kept, 200, NULL, "kept", 4), 0);
}

/* Answer the second request when the first response has left. */
static void answer_one_by_one(void *arg, weir_http_request *request)
{
    if (weir_http_is(request, "GET", "/2")) {
        kept = request;
        return;
    }
    if (weir_http_is(request, "GET", "/1"))
        expect_status(weir_http_request_on_end(request, answer_kept, NULL), 0);
    expect_status(weir_http_respond(request, 200, NULL, "soon", 4), 0);
}

CASE(http_server_goes_on_if_the_end_of_a_response_answers_the_next_request)
{
    const char *said;

    serve(answer_one_by_one);
    said = ask(GET("/1") GET("/2") GET("/3") GET_LAST("/4"));
    expect_int(count_of(said, "\r\n\r\nsoon"), 3);
    expect_int(count_of(said, "\r\n\r\nkept"), 1);
    stop();
}

static void answer_with_much(void *arg, weir_http_request *request)
{
    static const char text[100000];

    expect_status(weir_http_respond(request, 200, NULL, text, sizeof(text)), 0);
    tell_test();
}

/* The kernel takes a few megabytes of the hundred that are asked for. */
CASE(http_server_does_not_answer_a_client_that_does_not_read)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    char text[1000 * (sizeof(GET("/")) - 1) + 1] = "";
    char *end = text;
    int fd;

    for (int i = 0; i < 1000; i++)
        end = stpcpy(end, GET("/"));
    serve(answer_with_much);
    fd = join_server();
    send_text(fd, text);
    wait_for(&told_);
    ask(GET_LAST("/")); /* the loop has read all of it, or will not */
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect(counts.requests < 500);
    close(fd);
    stop();
}

/* ---- the end of a request ---- */

static void gone(void *arg, weir_http_request *request, int status)
{
    remember(status);
    tell_test();
}

static void never_answer(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, gone, NULL), 0);
    tell_test();
}

CASE(http_server_tells_a_handler_that_the_client_has_left)
{
    struct linger linger = {1, 0};
    int fd;

    serve(never_answer);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(fd);
    wait_for(&told_);
    expect_status(statuses[0], -ECONNRESET);
    stop();
}

/* ---- callbacks that raise ---- */

static void raise_at_piece(void *arg, weir_http_request *request, int status,
                           weir_bytes bytes)
{
    remember(status);
    weir_raise(-EIO, "in a reader");
}

static void read_and_raise(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, gone, NULL), 0);
    expect_status(weir_http_read(request, raise_at_piece, NULL), 0);
}

CASE(http_server_answers_500_if_a_reader_raises)
{
    serve(read_and_raise);
    expect(begins(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
                      "abcde"),
                  "HTTP/1.1 500 "));
    wait_for(&told_);
    stop();
    expect_int(status_count, 3);
    expect_status(statuses[0], 0);
    expect_status(statuses[1], WEIR_ECANCELED); /* the reader again */
    expect_status(statuses[2], 0);              /* the end of the request */
}

static void collect_and_raise(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, gone, NULL), 0);
    expect_status(weir_http_collect(request, 1000, raise_at_piece, NULL), 0);
}

CASE(http_server_answers_500_if_a_function_that_collects_raises)
{
    serve(collect_and_raise);
    expect(begins(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"
                      "abcde"),
                  "HTTP/1.1 500 "));
    expect(begins(ask(GET("/")), "HTTP/1.1 500 "));
    stop();
    expect_int(status_count, 4);
}

static void tell_read_and_raise(void *arg, weir_http_request *request)
{
    read_and_raise(arg, request);
    tell_test();
}

CASE(http_server_drain_ends_though_a_reader_raises_when_it_is_cut_off)
{
    int fd;

    serve(tell_read_and_raise, .drain_deadline_ns = WEIR_MS(50));
    fd = join_server();
    send_text(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n");
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect(begins(read_all(fd), "HTTP/1.1 503 "));
    close(fd);
    end_with(WEIR_EFORCED);
    expect_int(status_count, 2);
    expect_status(statuses[0], WEIR_ECANCELED);
    expect_status(statuses[1], WEIR_ECANCELED);
}

static void raise_at_end(void *arg, weir_http_request *request, int status)
{
    remember(status);
    weir_raise(-EIO, "at the end of a request");
}

static void answer_and_raise_at_end(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, raise_at_end, NULL), 0);
    hello(arg, request);
}

CASE(http_server_goes_on_if_the_end_of_a_request_raises)
{
    serve(answer_and_raise_at_end);
    expect_int(count_of(ask(GET("/") GET("/") GET_LAST("/")), "HTTP/1.1 200"),
               3);
    stop();
    expect_int(status_count, 3);
}

static void write_and_raise(void *arg, weir_http_request *request)
{
    weir_bytes piece = WEIR_BYTES_OF("piece");

    expect_status(weir_http_request_on_end(request, gone, NULL), 0);
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    expect_status(weir_http_write(request, piece, raise_at_end, NULL), 0);
}

CASE(http_server_cuts_a_response_off_if_the_end_of_a_piece_raises)
{
    int fd;

    serve(write_and_raise);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    close(fd);
    stop();
    expect_int(status_count, 2);
    expect_status(statuses[0], 0);
    expect_status(statuses[1], WEIR_ECANCELED);
}

/* ---- a request that has ended ---- */

/* The connection has dropped the request, and is still open itself. */
static void use_at_end(void *arg, weir_http_request *request, int status)
{
    weir_bytes piece = WEIR_BYTES_OF("piece");

    remember(status);
    expect_status(weir_http_write(request, piece, NULL, NULL), WEIR_ECLOSED);
    expect_status(weir_http_end(request, NULL, 0), WEIR_ECLOSED);
    expect_status(weir_http_abort(request), WEIR_ECLOSED);
    tell_test();
}

static void begin_and_use_at_end(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, use_at_end, NULL), 0);
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    tell_test();
}

CASE(http_server_refuses_to_end_a_response_whose_client_has_left)
{
    struct linger linger = {1, 0};
    int fd;

    serve(begin_and_use_at_end);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(fd);
    wait_for(&told_);
    stop();
    expect_status(statuses[0], -ECONNRESET);
}

static void abort_at_end(void *arg, weir_http_request *request, int status)
{
    expect_status(weir_http_abort(request), WEIR_ECLOSED);
    tell_test();
}

static void never_answer_and_abort_at_end(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, abort_at_end, NULL), 0);
    tell_test();
}

/* The handler has nothing to abort: the client gets its 503. */
CASE(http_server_drain_answers_a_request_that_is_aborted_when_it_is_cut_off)
{
    int fd;

    serve(never_answer_and_abort_at_end, .drain_deadline_ns = WEIR_MS(50));
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect(begins(read_all(fd), "HTTP/1.1 503 "));
    close(fd);
    wait_for(&told_);
    end_with(WEIR_EFORCED);
}

static void read_too_late(void *arg, weir_http_request *request)
{
    weir_http_request_ref(request);
    hello(arg, request);
    expect_status(weir_http_read(request, raise_at_piece, NULL), WEIR_ECLOSED);
    expect_status(weir_http_collect(request, 1, raise_at_piece, NULL),
                  WEIR_ECLOSED);
    weir_http_request_unref(request);
}

static int ends[2], end_count;

static void note_body(void *arg, weir_http_request *request, int status,
                      weir_bytes body)
{
    ends[end_count++] = status;
    expect(weir_http_loop(request) != NULL);
}

static void note_end(void *arg, weir_http_request *request, int status)
{
    expect_int(end_count, 1); /* nothing is called after this */
    ends[end_count++] = status;
    tell_test();
}

static void read_and_answer(void *arg, weir_http_request *request)
{
    expect_status(weir_http_collect(request, 1, note_body, NULL), 0);
    expect_status(weir_http_request_on_end(request, note_end, NULL), 0);
    hello(arg, request);
    expect_int(end_count, 1); /* inside the call that ends the response */
}

static void read_and_abort(void *arg, weir_http_request *request)
{
    expect_status(weir_http_collect(request, 1, note_body, NULL), 0);
    expect_status(weir_http_request_on_end(request, note_end, NULL), 0);
    expect_status(weir_http_abort(request), 0);
}

#define POST_NOTHING "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

/* The end of an empty body is posted to the loop. */
CASE(http_server_ends_an_empty_body_before_its_request_ends)
{
    end_count = 0;
    serve(read_and_answer);
    expect(begins(ask(POST_NOTHING), "HTTP/1.1 200 "));
    wait_for(&told_);
    stop();
    expect_int(end_count, 2);
    expect_status(ends[0], WEIR_ECANCELED);
    expect_status(ends[1], 0);
}

CASE(http_server_ends_an_empty_body_before_its_connection_is_reset)
{
    int fd;

    end_count = 0;
    serve(read_and_abort);
    fd = join_server();
    send_text(fd, POST_NOTHING);
    wait_for(&told_);
    close(fd);
    stop();
    expect_int(end_count, 2);
    expect_status(ends[0], WEIR_ECANCELED);
    expect_status(ends[1], WEIR_ECANCELED);
}

CASE(http_server_refuses_to_read_the_body_of_an_answered_request)
{
    serve(read_too_late);
    expect(begins(ask(GET("/")), "HTTP/1.1 200 "));
    expect(begins(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n"
                      "a"),
                  "HTTP/1.1 200 "));
    stop();
    expect_int(status_count, 0);
}

static char phase_at_end[16];

/* The request is no longer the connection's. */
static void report_at_end(void *arg, weir_http_request *request, int status)
{
    weir_http_holder holder;

    expect_int(weir_http_server_report(server, &holder, 1, sizeof(holder)), 1);
    snprintf(phase_at_end, sizeof(phase_at_end), "%s", holder.phase);
    tell_test();
}

static void report_when_gone(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, report_at_end, NULL), 0);
    tell_test();
}

CASE(http_server_reports_a_connection_whose_client_has_left)
{
    struct linger linger = {1, 0};
    int fd;

    serve(report_when_gone);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(fd);
    wait_for(&told_);
    expect(strcmp(phase_at_end, "busy") != 0);
    stop();
}

CASE(http_server_that_was_never_started_leaves_no_file)
{
    const weir_http_server_options options = {.size = sizeof(options),
                                              .on_request = hello};
    char name[64];

    snprintf(name, sizeof(name), "/tmp/weir-test-server-%ld", (long)getpid());
    make();
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, name, NULL), 0);
    expect_int(access(name, F_OK), 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
    expect_int(access(name, F_OK), -1);
}

CASE(http_server_freed_by_a_child_keeps_its_file)
{
    char name[64];
    pid_t child;
    int code;

    snprintf(name, sizeof(name), "/tmp/weir-test-server-%ld", (long)getpid());
    place = name;
    serve(hello);
    expect(begins(ask(GET_LAST("/")), "HTTP/1.1 200 "));
    child = fork();
    if (child == 0) {
        (void)!weir_service_free(service);
        weir_http_server_free(server);
        _exit(0);
    }
    expect(child > 0 && waitpid(child, &code, 0) == child && code == 0);
    expect(begins(ask(GET_LAST("/")), "HTTP/1.1 200 "));
    stop();
    expect_int(access(name, F_OK), -1);
}

static void count_server(void *arg, weir_http_server *each, const char *name)
{
    ++*(int *)arg;
}

static sem_t has_list;

/* Look at the list for longer than it takes to fork, unless fork() waits. */
static void linger(void *arg, weir_http_server *each, const char *name)
{
    static sem_t never;
    struct timespec until;

    sem_init(&never, 0, 0);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    sem_post(&has_list);
    while (sem_timedwait(&never, &until) != 0 && errno == EINTR)
        ;
}

static void *look_at_servers(void *arg)
{
    expect_status(weir_http_server_each(linger, NULL), 0);
    return NULL;
}

CASE(http_server_of_a_child_does_not_wait_for_its_parent)
{
    pthread_t thread;
    pid_t child;
    int code, count = 0;

    expect_int(sem_init(&has_list, 0, 0), 0);
    serve(hello);
    expect_int(pthread_create(&thread, NULL, look_at_servers, NULL), 0);
    while (sem_wait(&has_list) != 0)
        ;
    child = fork();
    if (child == 0) {
        alarm(10);
        (void)!weir_http_server_each(count_server, &count);
        (void)!weir_service_free(service);
        weir_http_server_free(server);
        _exit(0);
    }
    expect(child > 0 && waitpid(child, &code, 0) == child);
    expect_int(code, 0);
    pthread_join(thread, NULL);
    stop();
}

/* Whoever looks asks the service whether the server drains. */
CASE(http_server_whose_service_is_gone_is_not_shown)
{
    int count = 0;

    serve(hello);
    expect_status(weir_http_server_each(count_server, &count), 0);
    expect_int(count, 1);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_service_free(service), 0);
    expect_status(weir_http_server_each(count_server, &count), 0);
    expect_int(count, 1);
    weir_http_server_free(server);
}

/* ---- the drain ---- */

static void answer_in_drain(void *arg, weir_http_request *request, int status)
{
    hello(arg, request);
}

static void hold_the_first(void *arg, weir_http_request *request)
{
    if (!weir_http_is(request, "GET", "/first")) {
        hello(arg, request);
        return;
    }
    expect_status(weir_http_request_on_drain(request, answer_in_drain, NULL),
                  0);
    tell_test();
}

CASE(http_server_drain_answers_what_has_begun_and_closes)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    int busy, idle, fresh;
    char byte;

    serve(hold_the_first);
    idle = join_server();
    send_text(idle, GET("/"));
    read_until(idle, "hello\n");
    fresh = join_server();
    busy = join_server();
    send_text(busy, GET("/first"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect(strstr(read_all(busy), "Connection: close\r\n") != NULL);
    expect(strstr(answer, "\r\n\r\nhello\n") != NULL);
    expect_int(recv(idle, &byte, 1, 0), 0);
    expect_int(recv(fresh, &byte, 1, 0), 0);
    close(busy);
    close(idle);
    close(fresh);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.connections, 3);
    expect_int(counts.requests, 2);
    expect_int(counts.responses, 2);
    expect_int(counts.cut + counts.crossed + counts.refused, 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
}

CASE(http_server_drain_lets_an_idle_client_send_one_more_request)
{
    int fd;

    serve(hello, .drain_idle_ns = WEIR_S(30), .drain_deadline_ns = WEIR_S(60));
    fd = join_server();
    send_text(fd, GET("/"));
    read_until(fd, "hello\n");
    expect_status(weir_service_stop(service), 0);
    while (weir_service_phase(service) != WEIR_PHASE_DRAINING)
        ;
    send_text(fd, GET("/"));
    expect(strstr(read_all(fd), "hello\n") != NULL);
    close(fd);
    end_with(0);
}

/* What was sent to a Unix socket has arrived. */
static void serve_locally(void (*handler)(void *arg,
                                          weir_http_request *request),
                          weir_tls *tls)
{
    static char name[64];

    snprintf(name, sizeof(name), "@weir-test-server-%ld", (long)getpid());
    place = name;
    serve(handler, .tls = tls, .drain_idle_ns = WEIR_S(30),
          .drain_deadline_ns = WEIR_S(60));
}

CASE(http_server_drain_answers_more_requests_than_fit_into_a_buffer)
{
    enum { REQUESTS = 100, SIZE = 1024 }; /* 68 of them fill the buffer */
    char text[REQUESTS * SIZE + 1];
    int fd;

    serve_locally(hold_the_first, NULL);
    fd = join_server();
    send_text(fd, GET("/first"));
    wait_for(&told_);
    for (int i = 0; i < REQUESTS; i++)
        snprintf(text + i * SIZE, SIZE + 1,
                 "GET / HTTP/1.1\r\nHost: %0*d\r\n\r\n", SIZE - 26, 0);
    send_text(fd, text);
    expect_status(weir_service_stop(service), 0);
    expect_int(count_of(read_all(fd), "hello\n"), 1 + REQUESTS);
    expect_int(count_of(answer, "Connection: close\r\n"), 1);
    close(fd);
    end_with(0);
}

CASE(http_server_drain_answers_requests_in_records_of_tls)
{
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    weir_tls *tls;
    int fd, count, size = 0;

    identities_make();
    tls = server_make(&leaf, TLS_OPTIONS());
    serve_locally(hold_the_first, tls);
    fd = join_server();
    expect_int(SSL_set_fd(ssl, fd), 1);
    expect_int(SSL_connect(ssl), 1);
    expect(SSL_write(ssl, GET("/first"), sizeof(GET("/first")) - 1) > 0);
    wait_for(&told_);
    for (int i = 0; i < 5; i++)
        expect(SSL_write(ssl, GET("/"), sizeof(GET("/")) - 1) > 0);
    expect_status(weir_service_stop(service), 0);
    while ((count = SSL_read(ssl, answer + size, (int)sizeof(answer) - size)) >
           0)
        size += count;
    expect_int(SSL_get_error(ssl, count), SSL_ERROR_ZERO_RETURN);
    expect_int(count_of(answer, "hello\n"), 6);
    expect_int(count_of(answer, "Connection: close\r\n"), 1);
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    end_with(0);
    weir_tls_unref(tls);
    identities_free();
}

/* A client that sends half a record does not keep its connection. */
CASE(http_server_closes_an_idle_client_in_the_middle_of_a_record)
{
    static const char half[] = {0x17, 0x03, 0x03, 0x00, 0x40, 0x00};
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(context);
    weir_tls *tls;
    int fd, count;

    identities_make();
    tls = server_make(&leaf, TLS_OPTIONS());
    serve(hello, .tls = tls, .keep_alive_ns = WEIR_MS(30));
    fd = join_server();
    expect_int(SSL_set_fd(ssl, fd), 1);
    expect_int(SSL_connect(ssl), 1);
    expect(SSL_write(ssl, GET("/"), sizeof(GET("/")) - 1) > 0);
    expect(SSL_read(ssl, answer, (int)sizeof(answer)) > 0);
    expect_int(write(fd, half, sizeof(half)), sizeof(half));
    while ((count = SSL_read(ssl, answer, (int)sizeof(answer))) > 0)
        ;
    expect_int(SSL_get_error(ssl, count), SSL_ERROR_ZERO_RETURN);
    SSL_free(ssl);
    SSL_CTX_free(context);
    close(fd);
    expect_status(weir_service_stop(service), 0);
    end_with(0);
    weir_tls_unref(tls);
    identities_free();
}

static void be_late_after_the_first(void *arg, weir_http_request *request)
{
    (weir_http_is(request, "GET", "/first") ? hold_the_first
                                            : be_late)(arg, request);
}

CASE(http_server_drain_ends_though_a_client_keeps_sending)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    ssize_t count;
    int fd;

    serve_locally(be_late_after_the_first, NULL);
    fd = join_server();
    send_text(fd, GET("/first") GET("/2") GET("/3"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    while ((count = recv(fd, answer, sizeof(answer) - 1, 0)) > 0) {
        answer[count] = '\0';
        for (size_t more = count_of(answer, "HTTP/1.1 200"); more > 0; more--)
            send_text(fd, GET("/more"));
    }
    expect_int(count, 0);
    close(fd);
    expect_status(weir_service_wait(service, -1), 0);
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.requests, 3);
    expect_int(counts.responses, 3);
    end_with(0);
}

CASE(http_server_drain_cuts_what_is_left_at_the_deadline)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    weir_http_holder holders[4];
    int fd;

    serve(never_answer, .drain_deadline_ns = WEIR_MS(50));
    fd = join_server();
    send_text(fd, GET("/stuck?really"));
    wait_for(&told_);
    expect_int(weir_http_server_report(server, holders, 4, sizeof(*holders)),
               1);
    expect_string(holders[0].phase, "busy");
    expect_string(holders[0].method, "GET");
    expect_string(holders[0].target, "/stuck?really");
    expect(begins(holders[0].peer, "127.0.0.1:"));
    expect(holders[0].received_bytes > 20 && holders[0].sent_bytes == 0);
    expect_status(weir_service_stop(service), 0);
    expect(begins(read_all(fd), "HTTP/1.1 503 "));
    close(fd);
    wait_for(&told_);
    expect_status(statuses[0], WEIR_ECANCELED);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.cut, 1);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
}

static weir_http_holder cut_off; /* the first one, as on_report has seen it */

static void report_connections(void *arg, weir_service *of)
{
    expect_int(weir_http_server_report(server, &cut_off, 1, sizeof(cut_off)),
               1);
}

CASE(http_server_drain_reports_what_it_cuts_off_at_the_deadline)
{
    int fd;

    expect_int(sem_init(&told_, 0, 0), 0);
    make_bare(.on_report = report_connections);
    expect_status(
        weir_http_server_new(&server, service,
                             &(weir_http_server_options){
                                 .size = sizeof(weir_http_server_options),
                                 .on_request = never_answer,
                                 .drain_deadline_ns = WEIR_MS(50)}),
        0);
    expect_status(weir_http_server_listen(server, place, NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_status(weir_service_start(service), 0);
    fd = join_server();
    send_text(fd, GET("/stuck"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect(begins(read_all(fd), "HTTP/1.1 503 "));
    close(fd);
    end_with(WEIR_EFORCED);
    expect_string(cut_off.phase, "busy");
    expect_string(cut_off.target, "/stuck");
}

static void answer_much(void *arg, weir_http_request *request)
{
    static const char text[12000];

    expect_status(
        weir_http_respond(request, 200, "text/plain", text, sizeof(text)), 0);
    tell_test();
}

CASE(http_server_drain_counts_a_response_that_is_not_received)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), room = 2048;
    size_t size;
    const void *name;

    serve(answer_much, .drain_linger_ns = WEIR_MS(20));
    expect_int(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
    name = weir_address_sockaddr(&where, &size);
    expect_int(connect(fd, name, (socklen_t)size), 0);
    send_text(fd, GET("/"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect_status(weir_service_wait(service, -1), WEIR_EFORCED);
    close(fd);
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.requests, 1);
    expect_int(counts.cut, 1);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(server);
}

static void end_stream(void *arg, weir_http_request *request, int status)
{
    expect_status(weir_http_end(request, NULL, 0), 0);
}

static void stream_until_drain(void *arg, weir_http_request *request)
{
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    expect_status(weir_http_request_on_drain(request, end_stream, NULL), 0);
    tell_test();
}

CASE(http_server_drain_tells_long_responses)
{
    int fd;

    serve(stream_until_drain);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    expect_status(weir_service_stop(service), 0);
    expect(strstr(read_all(fd), "\r\n\r\n0\r\n\r\n") != NULL);
    close(fd);
    end_with(0);
}

/* ---- upgrades ---- */

static weir_stream *upgraded;

static void on_upgraded_read(void *arg, weir_stream *stream, int status,
                             weir_bytes bytes)
{
    if (status != 0)
        weir_stream_finish(stream, WEIR_S(1), NULL, NULL);
    else
        expect_status(weir_stream_write(stream, &bytes, 1, NULL, NULL), 0);
}

static void on_upgraded_drain(void *arg)
{
    expect_status(weir_stream_shutdown(upgraded, NULL, NULL), 0);
}

static void upgrade(void *arg, weir_http_request *request)
{
    weir_http_field field = WEIR_HTTP_FIELD("Upgrade", "echo");

    remember(weir_http_upgrade(request, &field, 1, on_upgraded_drain, NULL,
                               &upgraded));
    if (statuses[status_count - 1] != 0)
        expect_status(weir_http_respond(request, 400, NULL, NULL, 0), 0);
    else
        expect_status(weir_stream_read(upgraded, on_upgraded_read, NULL), 0);
}

/* covers: weir_http_upgrade -EINVAL */
CASE(http_server_hands_a_connection_over_and_waits_for_it)
{
    int fd;

    serve(upgrade);
    expect(begins(ask(GET("/")), "HTTP/1.1 400 "));
    expect_status(statuses[0], -EINVAL);
    fd = join_server();
    send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                  "Upgrade: echo\r\n\r\nfirst ");
    expect(begins(read_until(fd, "\r\n\r\nfirst "),
                  "HTTP/1.1 101 Switching Protocols\r\n"));
    send_text(fd, "second");
    read_until(fd, "second");
    expect_status(weir_service_stop(service), 0);
    expect_string(read_all(fd), "");
    close(fd);
    end_with(0);
}

enum { FLOOD = 32 * 1024 * 1024 }; /* more than the kernel buffers */

static int flood_status = 1;

static void on_flooded(void *arg, weir_stream *stream, int status)
{
    flood_status = status;
    tell_test();
}

static void upgrade_and_flood(void *arg, weir_http_request *request)
{
    static char zeros[FLOOD];
    weir_bytes flood = {zeros, sizeof(zeros)};

    upgrade(arg, request);
    if (statuses[status_count - 1] == 0)
        expect_status(weir_stream_write(upgraded, &flood, 1, on_flooded, NULL),
                      0);
}

CASE(http_server_leaves_no_write_time_on_a_connection_that_it_hands_over)
{
    static char buffer[64 * 1024];
    size_t received = 0;
    ssize_t size;
    int fd;

    expect_status(weir_clock_freeze(WEIR_S(1000)), 0);
    serve(upgrade_and_flood);
    fd = join_server();
    send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
                  "Upgrade: echo\r\n\r\n");
    expect_int(recv(fd, buffer, 1, 0), 1); /* the rest waits for its reader */
    expect_status(weir_clock_advance(WEIR_S(3600)), 0);
    expect(begins(ask(GET("/")), "HTTP/1.1 400 ")); /* the loop has looked */
    weir_clock_thaw();
    while (received < FLOOD && (size = recv(fd, buffer, sizeof(buffer), 0)) > 0)
        received += (size_t)size;
    expect_int(sem_wait(&told_), 0);
    expect_status(flood_status, 0);
    expect(received >= FLOOD);
    expect_status(weir_service_stop(service), 0);
    while (recv(fd, buffer, sizeof(buffer), 0) > 0)
        continue;
    close(fd);
    end_with(0);
}

/* Its listener ends with the loop, before the drain can close it. */
CASE(http_server_that_is_forced_to_end_leaves_nothing)
{
    serve(hello);
    expect(begins(ask(GET("/")), "HTTP/1.1 200 "));
    expect_status(weir_service_force(service), 0);
    end_forced();
}

CASE(http_server_that_is_forced_to_end_counts_what_it_has_cut_off)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    int fd;

    serve(never_answer);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    expect_status(weir_service_force(service), 0);
    wait_for(&told_);
    expect_status(statuses[0], WEIR_ECANCELED);
    close(fd);
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.cut, 1);
    end_forced();
}

static void ignore_piece(void *arg, weir_http_request *request, int status)
{
}

static void flood(void *arg, weir_http_request *request)
{
    static char zeros[FLOOD];
    weir_bytes piece = {zeros, sizeof(zeros)};

    expect_status(weir_http_request_on_end(request, gone, NULL), 0);
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    expect_status(
        weir_http_write(
            request, piece,
            weir_http_is(request, "GET", "/told") ? ignore_piece : NULL, NULL),
        0);
    tell_test();
}

/* Their writes are told of the end before the readers of the connections. */
CASE(http_server_that_is_forced_to_end_counts_responses_that_are_being_sent)
{
    weir_http_counts counts = {.size = sizeof(counts)};
    int fds[2];

    serve(flood);
    for (int i = 0; i < 2; i++) {
        fds[i] = join_server();
        send_text(fds[i], i == 0 ? GET("/") : GET("/told"));
        wait_for(&told_);
    }
    expect_status(weir_service_force(service), 0);
    for (int i = 0; i < 2; i++)
        wait_for(&told_); /* gone */
    expect_status(weir_http_server_counts(server, &counts), 0);
    expect_int(counts.cut, 2);
    close(fds[0]);
    close(fds[1]);
    end_forced();
}

static void begin_only(void *arg, weir_http_request *request)
{
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    expect_status(weir_http_write(request, (weir_bytes)WEIR_BYTES_OF("begun"),
                                  NULL, NULL),
                  0);
    tell_test();
}

/* Only the end of the connection ends the body of such a response. */
CASE(http_server_that_is_forced_to_end_does_not_end_a_body_of_http_1_0)
{
    char buffer[256];
    ssize_t size;
    int fd;

    serve(begin_only);
    fd = join_server();
    send_text(fd, "GET / HTTP/1.0\r\n\r\n");
    wait_for(&told_);
    (void)read_until(fd, "begun");
    expect_status(weir_service_force(service), 0);
    size = recv(fd, buffer, sizeof(buffer), 0);
    expect(size < 0 && errno == ECONNRESET);
    close(fd);
    end_forced();
}

/* ---- a loop that is closed ---- */

static sem_t reset_; /* by the client */

static void respond_late(void *arg, int status)
{
    weir_http_request *request = arg;

    expect_status(status, WEIR_ECANCELED);
    (void)weir_http_respond(request, 200, NULL, "late", 4);
    weir_http_request_unref(request);
    tell_test();
}

static void force_end(void *arg, weir_http_request *request)
{
    weir_loop *loop = weir_http_loop(request);

    tell_test();
    expect_int(sem_wait(&reset_), 0);
    weir_http_request_ref(request);
    expect_status(weir_loop_submit(loop, respond_late, request), 0);
    expect_status(weir_service_force(service), 0);
    while (weir_loop_state(loop) != WEIR_LOOP_TERMINATING)
        sched_yield();
}

/* The response finds that the client has left, when the loop admits no
 * callbacks any more: the connection ends, but not inside the call. */
CASE(http_server_answers_a_client_that_has_left_while_its_loop_is_closed)
{
    struct linger reset = {1, 0};
    int fd;

    expect_int(sem_init(&reset_, 0, 0), 0);
    serve(force_end);
    fd = join_server();
    send_text(fd, GET("/"));
    expect_int(sem_wait(&told_), 0);
    expect_int(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
    close(fd);
    expect_int(sem_post(&reset_), 0);
    expect_int(sem_wait(&told_), 0);
    end_forced();
}

/* ---- files ---- */

static char folder[] = "/tmp/weir-http-XXXXXX";

static void serve_root(void *arg, weir_http_request *request)
{
    expect_status(weir_http_serve_file(request, folder), 0);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    expect_int(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void remove_file(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    expect_int(unlink(path), 0);
}

CASE(http_server_sends_files_and_parts_of_them)
{
    char path[128], request[256], etag[64] = "";
    const char *said;

    expect(mkdtemp(folder) != NULL);
    write_file("a.txt", "0123456789");
    write_file("index.html", "<p>index");
    snprintf(path, sizeof(path), "%s/out", folder);
    expect_int(symlink("/etc/passwd", path), 0);
    serve(serve_root);
    said = ask(GET("/a.txt"));
    expect(strstr(said, "Content-Type: text/plain") != NULL);
    expect(strstr(said, "\r\n\r\n0123456789") != NULL);
    expect(sscanf(strstr(said, "ETag: "), "ETag: %60s", etag) == 1);
    snprintf(request, sizeof(request),
             "GET /a.txt HTTP/1.1\r\nHost: x\r\nIf-None-Match: %s\r\n\r\n",
             etag);
    expect(begins(ask(request), "HTTP/1.1 304 "));
    said = ask("GET /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=2-4\r\n\r\n");
    expect(begins(said, "HTTP/1.1 206 "));
    expect(strstr(said, "Content-Range: bytes 2-4/10\r\n") != NULL);
    expect(strstr(said, "\r\n\r\n234") != NULL);
    said = ask("GET /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1,8-\r\n\r\n");
    expect(strstr(said, "multipart/byteranges") != NULL);
    expect(strstr(said, "bytes 0-1/10\r\n\r\n01\r\n--") != NULL);
    expect(strstr(said, "bytes 8-9/10\r\n\r\n89\r\n--") != NULL);
    expect(begins(
        ask("GET /a.txt HTTP/1.1\r\nHost: x\r\nRange: bytes=20-\r\n\r\n"),
        "HTTP/1.1 416 "));
    expect(strstr(ask(GET("/")), "<p>index") != NULL);
    expect(begins(ask(GET("/nothing")), "HTTP/1.1 404 "));
    expect(begins(ask(GET("/out")), "HTTP/1.1 403 "));
    expect(begins(ask(GET("/../etc/passwd")), "HTTP/1.1 403 "));
    expect(
        begins(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
               "HTTP/1.1 405 "));
    stop();
    remove_file("a.txt");
    remove_file("index.html");
    remove_file("out");
    rmdir(folder);
}

/* A lease makes the kernel refuse the file until its holder has given it back,
 * or for lease-break-time, which is 45 seconds.  The loop must not wait. */
CASE_WITHIN(http_server_does_not_wait_for_a_file_with_a_lease, 30)
{
    char path[128];
    int holder;

    expect(mkdtemp(folder) != NULL);
    write_file("a.txt", "0123456789");
    snprintf(path, sizeof(path), "%s/a.txt", folder);
    signal(SIGIO, SIG_IGN); /* how the kernel asks for it */
    holder = open(path, O_RDONLY | O_CLOEXEC);
    expect_int(fcntl(holder, F_SETLEASE, F_WRLCK), 0);
    serve(serve_root);
    expect(begins(ask(GET("/a.txt")), "HTTP/1.1 503 "));
    expect_int(fcntl(holder, F_SETLEASE, F_UNLCK), 0);
    close(holder);
    expect(begins(ask(GET("/a.txt")), "HTTP/1.1 200 "));
    stop();
    remove_file("a.txt");
    rmdir(folder);
}

/* ---- errors ---- */

static void on_piece(void *arg, weir_http_request *request, int status,
                     weir_bytes bytes)
{
}

/* covers: weir_http_read -EINVAL
 * covers: weir_http_read -EBUSY
 * covers: weir_http_read WEIR_ECLOSED
 * covers: weir_http_collect -EINVAL
 * covers: weir_http_collect -EBUSY
 * covers: weir_http_collect WEIR_ECLOSED
 * covers: weir_http_request_on_end -EINVAL
 * covers: weir_http_request_on_end -EBUSY
 * covers: weir_http_request_on_end WEIR_ECLOSED
 * covers: weir_http_request_on_drain -EINVAL
 * covers: weir_http_request_on_drain -EBUSY
 * covers: weir_http_request_on_drain WEIR_ECLOSED
 * covers: weir_http_respond -EINVAL
 * covers: weir_http_respond -EALREADY
 * covers: weir_http_respond_with -EINVAL
 * covers: weir_http_respond_with -EALREADY
 * covers: weir_http_begin -EINVAL
 * covers: weir_http_begin -EALREADY
 * covers: weir_http_write -EINVAL
 * covers: weir_http_write -EALREADY
 * covers: weir_http_write -EMSGSIZE
 * covers: weir_http_end -EINVAL
 * covers: weir_http_end -EALREADY
 * covers: weir_http_abort -EINVAL
 * covers: weir_http_abort -EALREADY
 * covers: weir_http_serve_file -EINVAL
 * covers: weir_http_serve_file -EALREADY
 * covers: weir_http_upgrade -EALREADY */
static void try_nonsense(void *arg, weir_http_request *request)
{
    weir_http_field bad = WEIR_HTTP_FIELD("Bad Name", "x");
    weir_http_field line = WEIR_HTTP_FIELD("X", "a\r\nb");
    weir_http_field length = WEIR_HTTP_FIELD("Content-Length", "3");
    weir_bytes none = {NULL, 0}, null = {NULL, 1}, two = WEIR_BYTES_OF("ab");
    weir_stream *stream;

    expect_status(weir_http_read(NULL, on_piece, NULL), -EINVAL);
    expect_status(weir_http_read(request, NULL, NULL), -EINVAL);
    expect_status(weir_http_collect(request, 1, NULL, NULL), -EINVAL);
    expect_status(weir_http_read(request, on_piece, NULL), 0);
    expect_status(weir_http_read(request, on_piece, NULL), -EBUSY);
    expect_status(weir_http_collect(request, 1, on_piece, NULL), -EBUSY);
    expect_status(weir_http_request_on_end(request, NULL, NULL), -EINVAL);
    expect_status(weir_http_request_on_end(request, written, NULL), 0);
    expect_status(weir_http_request_on_end(request, written, NULL), -EBUSY);
    expect_status(weir_http_request_on_drain(request, NULL, NULL), -EINVAL);
    expect_status(weir_http_request_on_drain(request, written, NULL), 0);
    expect_status(weir_http_request_on_drain(request, written, NULL), -EBUSY);
    expect_status(weir_http_respond(NULL, 200, NULL, NULL, 0), -EINVAL);
    expect_status(weir_http_respond(request, 199, NULL, NULL, 0), -EINVAL);
    expect_status(weir_http_respond(request, 1000, NULL, NULL, 0), -EINVAL);
    expect_status(weir_http_respond(request, 200, "a\nb", NULL, 0), -EINVAL);
    expect_status(weir_http_respond_with(request, 200, &bad, 1, none), -EINVAL);
    expect_status(weir_http_respond_with(request, 200, &line, 1, none),
                  -EINVAL);
    expect_status(weir_http_respond_with(request, 200, &length, 1, two),
                  -EINVAL);
    expect_status(weir_http_respond_with(request, 200, NULL, 0, null), -EINVAL);
    expect_status(weir_http_begin(request, 200, NULL, 0, -2), -EINVAL);
    expect_status(weir_http_write(request, two, NULL, NULL), -EINVAL);
    expect_status(weir_http_end(request, NULL, 0), -EINVAL);
    expect_status(weir_http_serve_file(request, NULL), -EINVAL);
    expect_status(weir_http_upgrade(NULL, NULL, 0, NULL, NULL, &stream),
                  -EINVAL);
    expect_status(weir_http_begin(request, 200, NULL, 0, 2), 0);
    expect_status(weir_http_begin(request, 200, NULL, 0, 2), -EALREADY);
    expect_status(weir_http_write(request, null, NULL, NULL), -EINVAL);
    expect_status(weir_http_write(request, two, NULL, NULL), 0);
    expect_status(weir_http_write(request, two, NULL, NULL), -EMSGSIZE);
    weir_http_request_ref(request);
    expect_status(weir_http_end(request, &bad, 1), -EINVAL);
    expect_status(weir_http_end(request, NULL, 0), 0);
    expect_status(weir_http_end(request, NULL, 0), -EALREADY);
    expect_status(weir_http_abort(NULL), -EINVAL);
    expect_status(weir_http_abort(request), -EALREADY);
    expect_status(weir_http_write(request, two, NULL, NULL), -EALREADY);
    expect_status(weir_http_respond(request, 200, NULL, NULL, 0), -EALREADY);
    expect_status(weir_http_respond_with(request, 200, NULL, 0, none),
                  -EALREADY);
    expect_status(weir_http_serve_file(request, "/"), -EALREADY);
    expect_status(weir_http_upgrade(request, NULL, 0, NULL, NULL, &stream),
                  -EALREADY);
    kept = request;
}

static void look_later(void *arg, weir_http_request *request)
{
    if (kept == NULL) {
        try_nonsense(arg, request);
        return;
    }
    expect_status(weir_http_read(kept, on_piece, NULL), WEIR_ECLOSED);
    expect_status(weir_http_collect(kept, 1, on_piece, NULL), WEIR_ECLOSED);
    expect_status(weir_http_request_on_end(kept, written, NULL), WEIR_ECLOSED);
    expect_status(weir_http_request_on_drain(kept, written, NULL),
                  WEIR_ECLOSED);
    expect(weir_http_loop(kept) == NULL && weir_http_stream(kept) == NULL);
    weir_http_request_unref(kept);
    hello(arg, request);
}

CASE(http_server_refuses_nonsense_of_handlers)
{
    serve(look_later);
    expect(strstr(ask(GET("/")), "\r\n\r\nab") != NULL);
    expect(strstr(ask(GET("/")), "hello") != NULL);
    stop();
}

/* covers: weir_http_end -EMSGSIZE */
static void end_early(void *arg, weir_http_request *request)
{
    expect_status(weir_http_begin(request, 200, NULL, 0, 10), 0);
    remember(weir_http_end(request, NULL, 0));
}

CASE(http_server_resets_a_response_that_is_too_short)
{
    int fd;

    serve(end_early);
    fd = join_server();
    send_text(fd, GET("/"));
    while (recv(fd, answer, sizeof(answer), 0) > 0)
        ;
    close(fd);
    stop();
    expect_status(statuses[0], -EMSGSIZE);
}

static void remember_end(void *arg, weir_http_request *request, int status)
{
    remember(status);
}

static void abort_it(void *arg, weir_http_request *request)
{
    weir_bytes some = WEIR_BYTES_OF("some of it");

    expect_status(weir_http_request_on_end(request, remember_end, NULL), 0);
    if (!weir_http_is(request, "GET", "/before")) {
        expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
        expect_status(weir_http_write(request, some, NULL, NULL), 0);
    }
    expect_status(weir_http_abort(request), 0);
}

/* Read to the end, which must be a reset. */
static void expect_reset(int fd)
{
    ssize_t count;

    while ((count = recv(fd, answer, sizeof(answer), 0)) > 0)
        expect(memmem(answer, (size_t)count, "0\r\n\r\n", 5) == NULL);
    expect_int(count, -1);
    expect_int(errno, ECONNRESET);
    close(fd);
}

CASE(http_server_resets_a_response_that_is_aborted)
{
    int begun, before;

    serve(abort_it);
    begun = join_server();
    before = join_server();
    send_text(begun, GET("/"));
    send_text(before, GET("/before"));
    expect_reset(begun);
    expect_reset(before);
    stop();
    expect_status(statuses[0], WEIR_ECANCELED);
    expect_status(statuses[1], WEIR_ECANCELED);
}

/* covers: weir_http_respond WEIR_ECLOSED
 * covers: weir_http_respond_with WEIR_ECLOSED
 * covers: weir_http_begin WEIR_ECLOSED
 * covers: weir_http_write WEIR_ECLOSED
 * covers: weir_http_end WEIR_ECLOSED
 * covers: weir_http_abort WEIR_ECLOSED
 * covers: weir_http_serve_file WEIR_ECLOSED
 * covers: weir_http_upgrade WEIR_ECLOSED */
static void try_after_the_client(void *arg, weir_http_request *request,
                                 int status)
{
    weir_bytes none = {NULL, 0};
    weir_stream *stream;

    remember(status);
    expect_status(weir_http_respond(kept, 200, NULL, NULL, 0), WEIR_ECLOSED);
    expect_status(weir_http_respond_with(kept, 200, NULL, 0, none),
                  WEIR_ECLOSED);
    expect_status(weir_http_begin(kept, 200, NULL, 0, 0), WEIR_ECLOSED);
    expect_status(weir_http_upgrade(kept, NULL, 0, NULL, NULL, &stream),
                  WEIR_ECLOSED);
    tell_test();
}

static void try_when_gone(void *arg, int status)
{
    weir_bytes none = {NULL, 0};

    expect_status(weir_http_write(kept, none, NULL, NULL), WEIR_ECLOSED);
    expect_status(weir_http_end(kept, NULL, 0), WEIR_ECLOSED);
    expect_status(weir_http_abort(kept), WEIR_ECLOSED);
    expect_status(weir_http_serve_file(kept, "/"), WEIR_ECLOSED);
    weir_http_request_unref(kept);
    tell_test();
}

static void keep_it(void *arg, weir_http_request *request)
{
    kept = request;
    kept_loop = weir_http_loop(request);
    weir_http_request_ref(request);
    expect_status(weir_http_request_on_end(request, try_after_the_client, NULL),
                  0);
    tell_test();
}

CASE(http_server_refuses_responses_to_clients_that_have_left)
{
    struct linger linger = {1, 0};
    int fd;

    serve(keep_it);
    fd = join_server();
    send_text(fd, GET("/"));
    wait_for(&told_);
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
    close(fd);
    wait_for(&told_);
    expect_status(weir_loop_submit(kept_loop, try_when_gone, NULL), 0);
    wait_for(&told_);
    stop();
}

/* covers: weir_http_server_new -EINVAL
 * covers: weir_http_server_new -E2BIG
 * covers: weir_http_server_new -EALREADY
 * covers: weir_http_server_listen -EINVAL
 * covers: weir_http_server_listen -EALREADY
 * covers: weir_http_server_address -EINVAL
 * covers: weir_http_server_address -ENOENT
 * covers: weir_http_server_counts -EINVAL */
CASE(http_server_refuses_nonsense)
{
    struct {
        weir_http_server_options options;
        int unknown;
    } newer = {{.size = sizeof(newer), .on_request = hello}, 1};
    weir_http_server_options options = {.size = sizeof(options)};
    weir_http_counts counts = {.size = 1};
    weir_http_server *other;

    make();
    expect_status(weir_http_server_new(&server, service, NULL), -EINVAL);
    expect_status(weir_http_server_new(&server, service, &options), -EINVAL);
    options.on_request = hello;
    expect_status(weir_http_server_new(NULL, service, &options), -EINVAL);
    expect_int((int)weir_http_server_report(NULL, NULL, 0, 0), 0);
    expect_status(weir_http_server_new(&server, NULL, &options), -EINVAL);
    options.loop_count = 1;
    expect_status(weir_http_server_new(&server, service, &options), -EINVAL);
    options.loop_count = 0;
    expect_status(weir_http_server_new(&server, service, &newer.options),
                  -E2BIG);
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(NULL, "127.0.0.1:0", NULL), -EINVAL);
    expect_status(weir_http_server_listen(server, NULL, NULL), -EINVAL);
    expect_status(weir_http_server_listen(server, "nowhere", NULL), -EINVAL);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_http_server_address(server, 0, NULL), -EINVAL);
    expect_status(weir_http_server_address(server, 1, &where), -ENOENT);
    expect_status(weir_http_server_counts(server, NULL), -EINVAL);
    expect_status(weir_http_server_counts(server, &counts), -EINVAL);
    expect_status(weir_service_start(service), 0);
    expect_status(weir_http_server_new(&other, service, &options), -EALREADY);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL),
                  -EALREADY);
    stop();
}

static struct failing_allocator memory;

/* covers: weir_http_server_new -ENOMEM
 * covers: weir_http_server_listen -ENOMEM */
CASE(http_server_without_memory_is_not_made)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = hello};
    int err, failures = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make();
    for (uint64_t nth = 1;; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_http_server_new(&server, service, &options);
        memory.fail_at = 0;
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
        failures++;
    }
    expect(failures > 2);
    for (uint64_t nth = 1;; nth++) {
        memory.fail_at = memory.calls + nth;
        err = weir_http_server_listen(server, "127.0.0.1:0", NULL);
        memory.fail_at = 0;
        if (err == 0)
            break;
        expect_status(err, -ENOMEM);
    }
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_status(weir_service_start(service), 0);
    expect(strstr(ask(GET("/")), "hello") != NULL);
    stop();
    expect_int(memory.live, 0);
}

CASE(http_server_that_cannot_listen_ends_its_service_with_the_reason)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = hello};

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (uint64_t nth = 1; nth <= 2; nth++) {
        make();
        expect_status(weir_http_server_new(&server, service, &options), 0);
        expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
        memory.fail_at = memory.calls + nth;
        expect_status(weir_service_start(service), 0);
        end_with(-ENOMEM);
    }
    expect_int(memory.live, 0);
}

static void on_listener_error(void *arg, weir_listener *listener, int err)
{
    remember(err);
    expect_int(sem_post(arg), 0);
}

CASE(http_server_gives_on_error_of_a_listener_its_own_argument)
{
    weir_http_server_options options = {
        .size = sizeof(options), .on_request = hello, .arg = &told_};
    weir_listener_options listening = {.size = sizeof(listening),
                                       .on_error = on_listener_error};
    struct rlimit limit, little;
    size_t size;
    const void *name;
    int first, client, last;

    expect_int(sem_init(&told_, 0, 0), 0);
    make();
    expect_status(weir_http_server_new(&server, service, &options), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", &listening),
                  0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_status(weir_service_start(service), 0);
    first = join_server();
    send_text(first, GET("/"));
    read_until(first, "hello"); /* it listens */
    client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    last = dup(client); /* no descriptor below this one is free */
    expect_int(getrlimit(RLIMIT_NOFILE, &limit), 0);
    little = limit;
    little.rlim_cur = (rlim_t)last;
    close(last);
    expect_int(setrlimit(RLIMIT_NOFILE, &little), 0);
    name = weir_address_sockaddr(&where, &size);
    expect_int(connect(client, name, (socklen_t)size), 0);
    wait_for(&told_);
    expect_status(statuses[0], -EMFILE);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    send_text(client, GET_LAST("/"));
    expect(strstr(read_all(client), "hello") != NULL);
    close(client);
    close(first);
    stop();
}

/* The socket of `from` gets a connection that the server cannot accept. */
static int join_without_descriptors(struct rlimit *limit)
{
    struct rlimit little;
    const void *name;
    size_t size;
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int last = dup(client); /* no descriptor below this one is free */

    expect_int(getrlimit(RLIMIT_NOFILE, limit), 0);
    little = *limit;
    little.rlim_cur = (rlim_t)last;
    close(last);
    expect_int(setrlimit(RLIMIT_NOFILE, &little), 0);
    name = weir_address_sockaddr(&where, &size);
    expect_int(connect(client, name, (socklen_t)size), 0);
    return client;
}

/* A connection that keeps its descriptor for its next request leaves it to one
 * that waits, although its own time is not over. */
CASE(http_server_drain_serves_what_has_waited_for_a_descriptor)
{
    struct rlimit limit;
    int first, client;

    serve(hello, .keep_alive_ns = -1, .drain_idle_ns = WEIR_MS(20));
    first = join_server();
    send_text(first, GET("/"));
    read_until(first, "hello");
    client = join_without_descriptors(&limit);
    send_text(client, GET("/"));
    expect_status(weir_service_stop(service), 0);
    expect_int(*read_all(first), '\0');
    close(first);
    expect(strstr(read_all(client), "hello") != NULL);
    close(client);
    expect_int(setrlimit(RLIMIT_NOFILE, &limit), 0);
    end_with(0);
}

/* covers: weir_http_respond -ENOMEM
 * covers: weir_http_respond_with -ENOMEM
 * covers: weir_http_begin -ENOMEM
 * covers: weir_http_write -ENOMEM
 * covers: weir_http_end -ENOMEM
 * covers: weir_http_collect -ENOMEM
 * covers: weir_http_serve_file -ENOMEM
 * covers: weir_http_upgrade -ENOMEM */
static void try_without_memory(void *arg, weir_http_request *request)
{
    static char large[70000];
    weir_http_field field = WEIR_HTTP_FIELD("Upgrade", "echo");
    weir_http_field trailer = {WEIR_BYTES_OF("X"), {large, sizeof(large)}};
    weir_bytes byte = WEIR_BYTES_OF("x");
    weir_stream *stream;

    memset(large, 'x', sizeof(large));
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_collect(request, 1, on_piece, NULL), -ENOMEM);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_upgrade(request, &field, 1, NULL, NULL, &stream),
                  -ENOMEM);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_respond(request, 200, NULL, "x", 1), -ENOMEM);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_respond_with(request, 200, NULL, 0, byte), -ENOMEM);
    memory.fail_at = memory.calls + 2; /* after that of the root */
    expect_status(weir_http_serve_file(request, "/"), -ENOMEM);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), -ENOMEM);
    memory.fail_at = 0;
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), 0);
    memory.fail_at = memory.calls + 1;
    expect_status(weir_http_write(request, byte, written, NULL), -ENOMEM);
    memory.fail_at = 0;
    expect_status(weir_http_end(request, &trailer, 1), -ENOMEM);
    expect_status(weir_http_end(request, NULL, 0), 0);
}

CASE(http_server_without_memory_leaves_a_request_as_it_is)
{
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    serve(try_without_memory);
    expect(strstr(ask("GET /nothing HTTP/1.1\r\nHost: x\r\n"
                      "Connection: Upgrade\r\nUpgrade: echo\r\n\r\n"),
                  "\r\n\r\n0\r\n\r\n") != NULL);
    stop();
    expect_int(memory.live, 0);
}

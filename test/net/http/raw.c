/* SPDX-License-Identifier: MIT */
/*
 * raw -- responses that a host formats itself, and the connections of a guest.
 *
 * A thread runs the loop; the case is the client, with a socket that blocks.
 */
#include "weir/host/http.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/support/client_fixture.h"
#include "support/failing_allocator.h"
#include "support/service_fixture.h"
#include "weir/host/service.h"
#include "weir/host/thread.h"

static weir_loop *loop;
static weir_thread thread;
static weir_http_server *server;
static sem_t opened, happened;
static int end_status;
static unsigned connects, disconnects, refusals;
static weir_http_connection *last;
static weir_http_server_options given;
static bool takes_refusals, half_close_aborts, accepts_more;

/* ---- the server ---- */

static void on_end(void *arg, weir_http_server *of, int status)
{
    end_status = status;
    expect_status(weir_http_server_close(of), -EALREADY);
    weir_http_server_free(of);
}

static void on_connection(void *arg, weir_http_connection *connection)
{
    connects++;
    last = connection;
    expect(weir_http_connection_data(connection) == NULL);
    weir_http_connection_set_data(connection, &connects);
    expect(weir_http_connection_stream(connection) != NULL);
    expect(!weir_http_connection_is_idle(connection));
}

static void on_disconnect(void *arg, weir_http_connection *connection,
                          int status)
{
    expect(weir_http_connection_data(connection) == &connects);
    disconnects++;
}

static bool on_refused(void *arg, weir_http_connection *connection,
                       const weir_http_refusal *refusal)
{
    static const weir_bytes text = WEIR_BYTES_OF("refused\n");

    refusals++;
    expect(refusal->text != NULL);
    if (!takes_refusals)
        return false;
    expect_int(refusal->status, 400);
    expect_status(refusal->error, WEIR_EHTTP);
    expect_status(weir_http_connection_write(connection, text), 0);
    weir_http_connection_close(connection, false);
    expect_status(weir_http_connection_write(connection, text), WEIR_ECLOSED);
    return true;
}

static void open_server(void *arg, int status)
{
    const weir_http_guest_options guest = {.size = sizeof(guest),
                                           .control =
                                               weir_service_loop(service),
                                           .on_end = on_end,
                                           .on_connection = on_connection,
                                           .on_disconnect = on_disconnect,
                                           .accepts_any_expect = accepts_more,
                                           .accepts_no_host = accepts_more,
                                           .on_refused = on_refused};

    expect_status(weir_http_server_open(&server, loop, &given, &guest), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_int(sem_post(&opened), 0);
}

static void run_loop(void *arg)
{
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
}

static void serve(void (*handler)(void *arg, weir_http_request *request))
{
    given = (weir_http_server_options){.size = sizeof(given),
                                       .on_request = handler,
                                       .half_close_aborts = half_close_aborts,
                                       .drain_idle_ns = WEIR_MS(20)};
    expect_int(sem_init(&opened, 0, 0), 0);
    expect_int(sem_init(&happened, 0, 0), 0);
    make();
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, open_server, NULL), 0);
    expect_status(weir_thread_start(&thread, run_loop, NULL, 0), 0);
    expect_int(sem_wait(&opened), 0);
}

static void close_server(void *arg, int status)
{
    expect_status(weir_http_server_close(server), 0);
    expect_status(weir_http_server_close(server), -EALREADY);
    expect_int(sem_post(&happened), 0);
}

static void on_loop(weir_fn *fn)
{
    expect_status(weir_loop_submit(loop, fn, NULL), 0);
    expect_int(sem_wait(&happened), 0);
}

static void finish(int status)
{
    weir_thread_join(&thread);
    expect_status(end_status, status);
    expect_int(connects, disconnects);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* ---- the client ---- */

#define GET "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/* ---- responses ---- */

static const weir_bytes hint = WEIR_BYTES_OF("HTTP/1.1 103 Hint\r\n\r\n");
static const weir_bytes head =
    WEIR_BYTES_OF("HTTP/1.1 299 Mine\r\nX: 1\r\ncontent-length: 3\r\n\r\n");
static const weir_bytes body = WEIR_BYTES_OF("raw");

/* covers: weir_http_raw_send -EINVAL
 * covers: weir_http_raw_send -EALREADY */
static void answer_raw(void *arg, weir_http_request *request)
{
    const weir_bytes parts[] = {head, body};

    expect_status(weir_http_raw_send(NULL, parts, 2, 0), -EINVAL);
    expect_status(weir_http_raw_send(request, NULL, 2, 0), -EINVAL);
    expect(!weir_http_raw_closes(request));
    expect(!weir_http_expects_continue(request));
    expect(!weir_http_wants_upgrade(request));
    expect(weir_http_connection_of(request) == last);
    weir_http_request_ref(request);
    expect_status(weir_http_raw_send(request, &hint, 1, WEIR_HTTP_RAW_INTERIM),
                  0);
    expect_status(weir_http_raw_send(request, parts, 2, WEIR_HTTP_RAW_END), 0);
    expect_status(weir_http_raw_send(request, parts, 2, WEIR_HTTP_RAW_END),
                  -EALREADY);
    weir_http_request_unref(request);
}

/* covers: weir_http_server_close -EALREADY
 * covers: weir_http_server_close -EINVAL */
CASE(raw_response_is_sent_as_it_is_and_the_connection_goes_on)
{
    weir_http_times times = {.size = sizeof(times)};
    int fd;

    serve(answer_raw);
    expect_status(weir_http_server_close(NULL), -EINVAL);
    fd = join_server();
    for (int i = 0; i < 3; i++) {
        send_text(fd, GET);
        expect_string(read_until(fd, "\r\n\r\nraw"),
                      "HTTP/1.1 103 Hint\r\n\r\nHTTP/1.1 299 Mine\r\nX: 1\r\n"
                      "content-length: 3\r\n\r\nraw");
    }
    expect_status(weir_http_server_times(server, &times), 0);
    expect_int(times.statuses[1], 3); /* 299, not 103 */
    on_loop(close_server);
    send_text(fd, GET); /* close() closes listeners only */
    read_until(fd, "\r\n\r\nraw");
    close(fd);
    finish(0);
    expect_int(connects, 1);
}

/* A response after WEIR_HTTP_RAW_END | WEIR_HTTP_RAW_CLOSE is the last. */
static void answer_last(void *arg, weir_http_request *request)
{
    static char large[1 << 15];
    const weir_bytes parts[] = {WEIR_BYTES_OF("HTTP/1.1 200 OK\r\n\r\n"),
                                {large, sizeof(large)}};

    memset(large, 'x', sizeof(large));
    expect_status(weir_http_raw_send(request, parts, 1, 0), 0);
    expect_status(weir_http_begin(request, 200, NULL, 0, -1), -EALREADY);
    expect_status(weir_http_raw_send(request, parts + 1, 1,
                                     WEIR_HTTP_RAW_END | WEIR_HTTP_RAW_CLOSE),
                  0);
}

CASE(raw_response_can_end_with_the_connection)
{
    int fd;

    serve(answer_last);
    fd = join_server();
    send_text(fd, GET);
    expect_int(strlen(read_rest(fd)), 19 + (1 << 15));
    on_loop(close_server);
    finish(0);
}

static void begin_otherwise(void *arg, weir_http_request *request)
{
    expect_status(weir_http_begin(request, 200, NULL, 0, 0), 0);
    expect_status(weir_http_raw_send(request, &body, 1, 0), -EALREADY);
    expect_status(weir_http_end(request, NULL, 0), 0);
}

CASE(raw_send_after_another_beginning_is_refused)
{
    int fd;

    serve(begin_otherwise);
    fd = join_server();
    send_text(fd, GET);
    expect(strstr(read_until(fd, "\r\n\r\n"), "200 OK") != NULL);
    close(fd);
    on_loop(close_server);
    finish(0);
}

/* ---- connections ---- */

static int request_status;
static weir_http_request *kept;

static void on_request_end(void *arg, weir_http_request *request, int status)
{
    request_status = status;
    expect_int(sem_post(&happened), 0);
}

static void keep(void *arg, weir_http_request *request)
{
    weir_http_request_ref(request);
    kept = request;
    expect_status(weir_http_request_on_end(request, on_request_end, NULL), 0);
    expect_int(sem_post(&opened), 0);
}

static void release_kept(void *arg, int status)
{
    expect_status(weir_http_raw_send(kept, &body, 1, 0), WEIR_ECLOSED);
    expect(weir_http_raw_closes(kept));
    expect(weir_http_connection_of(kept) == NULL);
    weir_http_request_unref(kept);
    expect_int(sem_post(&happened), 0);
}

/* covers: weir_http_raw_send WEIR_ECLOSED */
CASE(guest_connection_ends_with_its_client_if_the_host_wants_that)
{
    int fd;

    half_close_aborts = true;
    serve(keep);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&opened), 0);
    expect_int(shutdown(fd, SHUT_WR), 0);
    expect_string(read_rest(fd), "");
    expect_int(sem_wait(&happened), 0);
    expect_status(request_status, -ECONNRESET);
    on_loop(release_kept);
    on_loop(close_server);
    finish(0);
}

static void close_last(void *arg, int status)
{
    weir_http_connection_close(last, true);
    weir_http_connection_close(last, true); /* has no effect */
    expect_int(sem_post(&happened), 0);
}

CASE(guest_connection_can_be_closed_during_a_request)
{
    int fd;

    serve(keep);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&opened), 0);
    on_loop(close_last);
    expect_string(read_rest(fd), "");
    expect_int(sem_wait(&happened), 0);
    expect_status(request_status, -ECONNRESET);
    on_loop(release_kept);
    on_loop(close_server);
    finish(0);
}

static void find_idle(void *arg, int status)
{
    expect(weir_http_connection_is_idle(last));
    weir_http_connection_close(last, false);
    expect_int(sem_post(&happened), 0);
}

CASE(guest_connection_between_two_requests_is_idle)
{
    int fd;

    serve(answer_raw);
    fd = join_server();
    send_text(fd, GET);
    read_until(fd, "\r\n\r\nraw");
    on_loop(find_idle);
    expect_string(read_rest(fd), "");
    on_loop(close_server);
    finish(0);
}

/* covers: weir_http_connection_write -EINVAL
 * covers: weir_http_connection_write WEIR_ECLOSED */
CASE(guest_answers_what_is_refused_or_leaves_it_to_the_server)
{
    int fd;

    takes_refusals = true;
    serve(answer_raw);
    expect_status(weir_http_connection_write(NULL, body), -EINVAL);
    fd = join_server();
    send_text(fd, "GET / HTTX/1.1\r\n\r\nmore");
    expect_string(read_rest(fd), "refused\n");
    takes_refusals = false;
    fd = join_server();
    send_text(fd, "GET / HTTX/1.1\r\n\r\n");
    expect(strstr(read_rest(fd), "400 Bad Request") != NULL);
    expect_int(refusals, 2);
    on_loop(close_server);
    finish(0);
}

CASE(guest_accepts_unusual_requests_if_the_host_wants_that)
{
    int fd;

    accepts_more = true;
    serve(answer_raw);
    fd = join_server();
    send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n");
    read_until(fd, "\r\n\r\nraw");
    send_text(fd, "GET / HTTP/1.1\r\n\r\n");
    read_until(fd, "\r\n\r\nraw");
    close(fd);
    on_loop(close_server);
    finish(0);
    expect_int(refusals, 0);
}

static void shorten_times(void *arg, int status)
{
    weir_http_server_set_times(server, WEIR_MS(10), 0, 0);
    expect_int(sem_post(&happened), 0);
}

CASE(guest_times_can_be_changed)
{
    int fd;

    serve(answer_raw);
    on_loop(shorten_times);
    fd = join_server();
    send_text(fd, "GET");
    expect(strstr(read_rest(fd), "408 ") != NULL);
    expect_int(refusals, 1);
    on_loop(close_server);
    finish(0);
}

/* ---- the drain ---- */

static void answer_when_drained(void *arg, weir_http_request *request,
                                int status)
{
    const weir_bytes parts[] = {head, body};

    expect(weir_http_raw_closes(request));
    expect_status(weir_http_raw_send(request, parts, 2,
                                     WEIR_HTTP_RAW_END | WEIR_HTTP_RAW_CLOSE),
                  0);
}

static void wait_for_drain(void *arg, weir_http_request *request)
{
    expect_status(
        weir_http_request_on_drain(request, answer_when_drained, NULL), 0);
    expect_int(sem_post(&opened), 0);
}

CASE(guest_can_drain_after_its_listeners_were_closed)
{
    int fd, other;

    serve(wait_for_drain);
    fd = join_server();
    other = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&opened), 0);
    on_loop(close_server);
    expect_status(weir_http_server_drain(server, WEIR_S(30)), 0);
    expect(strstr(read_rest(fd), "raw") != NULL);
    expect_string(read_rest(other), "");
    finish(0);
}

/* ---- other protocols ---- */

static weir_stream *taken;

static void on_taken_read(void *arg, weir_stream *stream, int status,
                          weir_bytes bytes)
{
    if (status == 0)
        expect_status(weir_stream_write(stream, &bytes, 1, NULL, NULL), 0);
    else
        weir_stream_close(stream, NULL, NULL);
}

/* covers: weir_http_take -EINVAL
 * covers: weir_http_take -EALREADY
 * covers: weir_http_take WEIR_ECLOSED */
static void take(void *arg, weir_http_request *request)
{
    weir_http_request_ref(request);
    expect_status(weir_http_take(NULL, NULL, NULL, &taken), -EINVAL);
    if (!weir_http_wants_upgrade(request)) {
        expect_status(weir_http_take(request, NULL, NULL, &taken), -EINVAL);
        answer_raw(arg, request);
        expect_status(weir_http_take(request, NULL, NULL, &taken), -EALREADY);
    } else {
        expect_status(weir_http_take(request, NULL, NULL, &taken), 0);
        expect_status(weir_http_take(request, NULL, NULL, &taken), -EALREADY);
        expect_status(weir_stream_read(taken, on_taken_read, NULL), 0);
    }
    weir_http_request_unref(request);
}

CASE(guest_connection_can_be_taken_over_without_an_answer)
{
    int fd;

    serve(take);
    fd = join_server();
    send_text(fd, GET);
    read_until(fd, "\r\n\r\nraw");
    send_text(fd, "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
                  "Upgrade: echo\r\n\r\nfirst");
    expect_string(read_until(fd, "first"), "first");
    expect_int(shutdown(fd, SHUT_WR), 0);
    expect_string(read_rest(fd), "");
    on_loop(close_server);
    finish(0);
}

static void take_closed(void *arg, int status)
{
    expect_status(weir_http_take(kept, NULL, NULL, &taken), WEIR_ECLOSED);
    weir_http_request_unref(kept);
    expect_int(sem_post(&happened), 0);
}

CASE(guest_connection_that_is_gone_cannot_be_taken_over)
{
    int fd;

    serve(keep);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&opened), 0);
    on_loop(close_last);
    expect_string(read_rest(fd), "");
    expect_int(sem_wait(&happened), 0);
    on_loop(take_closed);
    on_loop(close_server);
    finish(0);
}

/* ---- memory ---- */

static int failures;
static struct failing_allocator memory;

/* covers: weir_http_raw_send -ENOMEM
 * covers: weir_http_connection_write -ENOMEM
 * covers: weir_http_take -ENOMEM */
static void answer_without_memory(void *arg, weir_http_request *request)
{
    int err;

    memory.fail_at = memory.calls + 1;
    if (weir_http_wants_upgrade(request))
        err = weir_http_take(request, NULL, NULL, &taken);
    else if (weir_http_is(request, NULL, "/c"))
        err = weir_http_connection_write(last, body);
    else
        err = weir_http_raw_send(request, &body, 1, 0);
    memory.fail_at = 0;
    expect_status(err, -ENOMEM);
    failures++;
    if (!weir_http_is(request, NULL, "/"))
        weir_http_connection_close(last, true);
}

CASE(raw_calls_without_memory_fail)
{
    static const char *const texts[] = {
        GET, "GET /c HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /u HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n"
        "Upgrade: echo\r\n\r\nfirst"};

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    serve(answer_without_memory);
    for (int i = 0; i < 3; i++) {
        int fd = join_server();

        send_text(fd, texts[i]);
        read_rest(fd);
    }
    on_loop(close_server);
    finish(0);
    expect_int(failures, 3);
    expect_int(memory.live, 0);
}

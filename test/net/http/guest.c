/* SPDX-License-Identifier: MIT */
/*
 * guest -- a server on a loop that it does not own, and its drain.
 *
 * A thread runs the loop; the case is the client, with a socket that blocks.
 * The control loop is that of a service without members.
 */
#include "weir/host/http.h"

#include <errno.h>
#include <fcntl.h>
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
static weir_http_request *kept;
static sem_t opened, arrived, late, ended;
static int end_status, listen_error;
static unsigned ends, deadlines;
static weir_http_server_options given;
static bool is_unref;
static weir_http_guest_options more; /* reads_on, reads_late */

/* ---- the server ---- */

static void hello(void *arg, weir_http_request *request)
{
    expect_status(weir_http_respond(request, 200, "text/plain", "hello\n", 6),
                  0);
}

static void keep(void *arg, weir_http_request *request)
{
    weir_http_request_ref(request);
    kept = request;
    expect_int(sem_post(&arrived), 0);
}

/* Keep the loop busy until the deadline has passed. */
static void block(void *arg, weir_http_request *request)
{
    expect_int(sem_post(&arrived), 0);
    expect_int(sem_wait(&late), 0);
}

static void on_end(void *arg, weir_http_server *of, int status)
{
    expect(of == server && arg == &given);
    end_status = status;
    ends++;
    expect_status(weir_http_server_drain(of, 0), -EALREADY);
    expect_status(weir_http_server_listen(of, "127.0.0.1:0", NULL), -EALREADY);
    weir_http_server_free(of);
    expect_int(sem_post(&ended), 0);
}

static void on_late(void *arg, weir_http_server *of)
{
    expect(of == server && arg == &given);
    deadlines++;
    expect_int(sem_post(&late), 0);
}

static int open_on(weir_loop *on)
{
    return weir_http_server_open(
        &server, on, &given,
        &(weir_http_guest_options){.size = sizeof(weir_http_guest_options),
                                   .control = weir_service_loop(service),
                                   .arg = &given,
                                   .on_end = on_end,
                                   .on_deadline = on_late,
                                   .reads_on = more.reads_on,
                                   .reads_late = more.reads_late});
}

static void open_server(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(open_on(loop), 0);
    if (is_unref)
        weir_http_server_set_ref(server, false);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    expect_int(sem_post(&opened), 0);
}

static void run_loop(void *arg)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);

    expect(err == 0 || err == WEIR_ECLOSED);
}

static void prepare(void)
{
    expect_int(sem_init(&opened, 0, 0), 0);
    expect_int(sem_init(&arrived, 0, 0), 0);
    expect_int(sem_init(&late, 0, 0), 0);
    expect_int(sem_init(&ended, 0, 0), 0);
    make();
    expect_status(weir_loop_new(&loop, NULL), 0);
}

/* Open a server on a loop that runs. */
#define serve(handler, ...)                                                    \
    start(                                                                     \
        &(weir_http_server_options){.size = sizeof(weir_http_server_options),  \
                                    .on_request = handler,                     \
                                    __VA_ARGS__})

static void start(const weir_http_server_options *options)
{
    given = *options;
    if (given.drain_idle_ns == 0)
        given.drain_idle_ns = WEIR_MS(20);
    prepare();
    expect_status(weir_loop_submit(loop, open_server, NULL), 0);
    expect_status(weir_thread_start(&thread, run_loop, NULL, 0), 0);
    expect_int(sem_wait(&opened), 0);
}

/* The drain was asked for: the loop becomes idle when the server has ended. */
static void finish(int status)
{
    weir_thread_join(&thread);
    expect_int(ends, 1);
    expect_status(end_status, status);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* ---- the client ---- */

#define GET "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/* ---- cases ---- */

CASE(guest_serves_on_a_running_loop_and_ends_with_0)
{
    int fd;

    serve(hello);
    expect(!weir_http_server_is_draining(server));
    fd = join_server();
    send_text(fd, GET);
    expect(strstr(read_until(fd, "hello\n"), "200 OK") != NULL);
    close(fd);
    expect_status(weir_http_server_drain(server, -1), 0);
    finish(0);
    expect_int(deadlines, 0);
}

static void answer_late(void *arg, weir_http_request *request, int status)
{
    expect(weir_http_server_is_draining(server));
    expect_status(weir_http_respond(request, 200, NULL, "late\n", 5), 0);
}

static void wait_for_drain(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_drain(request, answer_late, NULL), 0);
    expect_int(sem_post(&arrived), 0);
}

CASE(guest_drain_waits_for_the_answer_of_a_request)
{
    int fd;

    serve(wait_for_drain);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_http_server_drain(server, WEIR_S(30)), 0);
    expect(strstr(read_rest(fd), "late\n") != NULL);
    expect(strstr(answer, "Connection: close") != NULL);
    finish(0);
}

static void answer_and_keep(void *arg, weir_http_request *request)
{
    keep(arg, request);
    hello(arg, request);
}

static void read_kept(void *arg, int status)
{
    weir_bytes host = weir_http_field_of(kept, "Host");

    expect_int(host.size, 1);
    expect(memcmp(host.data, "x", 1) == 0);
    expect(weir_http_is(kept, "GET", "/"));
    weir_http_request_unref(kept);
}

CASE(guest_request_that_was_answered_can_be_read_while_it_is_referenced)
{
    int fd;

    serve(answer_and_keep);
    fd = join_server();
    send_text(fd, GET);
    read_until(fd, "hello\n");
    close(fd);
    expect_status(weir_loop_submit(loop, read_kept, NULL), 0);
    expect_status(weir_http_server_drain(server, -1), 0);
    finish(0);
}

static void drop_kept(void *arg, weir_http_request *request, int status)
{
    expect_status(status, WEIR_ECANCELED);
    weir_http_request_unref(request);
}

static void keep_until_end(void *arg, weir_http_request *request)
{
    weir_http_request_ref(request);
    expect_status(weir_http_request_on_end(request, drop_kept, NULL), 0);
    expect_int(sem_post(&arrived), 0);
}

/* A request is answered at the deadline, whatever its handler does. */
static void expect_503(void (*handler)(void *arg, weir_http_request *request))
{
    int fd;

    serve(handler);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_http_server_drain(server, WEIR_MS(10)), 0);
    expect(strstr(read_rest(fd), "503 ") != NULL);
    finish(WEIR_EFORCED);
    expect_int(deadlines, 1);
}

CASE(guest_deadline_answers_503_and_ends_with_EFORCED)
{
    expect_503(keep_until_end);
}

CASE(guest_deadline_passes_while_a_handler_blocks_the_loop)
{
    expect_503(block);
}

CASE(guest_deadline_can_be_brought_forward_only)
{
    int fd;

    serve(keep_until_end);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_http_server_drain(server, WEIR_S(3600)), 0);
    expect_status(weir_http_server_drain(server, 0), 0);
    expect_status(weir_http_server_drain(server, WEIR_S(3600)), 0);
    expect(strstr(read_rest(fd), "503 ") != NULL);
    finish(WEIR_EFORCED);
}

CASE(guest_drain_at_once_ends_without_connections_with_0)
{
    serve(hello, .drain_delay_ns = WEIR_S(3600));
    expect_status(weir_http_server_drain(server, 0), 0);
    finish(0);
}

CASE(guest_that_drains_is_not_ready_but_alive)
{
    int fd, other;

    serve(hello, .has_health = true, .drain_delay_ns = WEIR_S(3600));
    fd = join_server();
    other = join_server();
    send_text(fd, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(strstr(read_until(fd, "\r\n\r\n"), "200 OK") != NULL);
    expect_status(weir_http_server_drain(server, WEIR_S(30)), 0);
    send_text(fd, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(strstr(read_rest(fd), "503 ") != NULL);
    send_text(other, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(strstr(read_rest(other), "200 OK") != NULL);
    expect_status(weir_http_server_drain(server, 0), 0);
    finish(0);
}

static void note_reset(void *arg, weir_http_request *request, int status)
{
    expect_status(status, -ECONNRESET);
    expect_int(sem_post(&late), 0);
}

static void wait_for_reset(void *arg, weir_http_request *request)
{
    expect_status(weir_http_request_on_end(request, note_reset, NULL), 0);
    expect_int(sem_post(&arrived), 0);
}

CASE(guest_with_half_close_aborts_ends_the_request_of_a_client_that_leaves)
{
    int fd;

    serve(wait_for_reset, .half_close_aborts = true);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    shutdown(fd, SHUT_WR);
    expect_int(sem_wait(&late), 0);
    close(fd);
    expect_status(weir_http_server_drain(server, -1), 0);
    finish(0);
}

CASE(guest_of_a_loop_that_is_closed_ends_with_ECANCELED)
{
    int fd;

    serve(keep_until_end);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_string(read_rest(fd), "");
    finish(WEIR_ECANCELED);
}

/* Nobody reads its body, so the connection is paused. */
CASE(guest_of_a_loop_that_is_closed_ends_a_request_that_is_not_read)
{
    struct failing_allocator memory;
    int fd;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    serve(keep_until_end);
    fd = join_server();
    send_text(fd,
              "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nbody");
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    (void)read_rest(fd);
    finish(WEIR_ECANCELED);
    expect_int(memory.live, 0);
}

CASE(guest_of_a_loop_that_is_closed_during_the_drain_ends_once)
{
    int fd;

    serve(keep_until_end);
    fd = join_server();
    send_text(fd, GET);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_http_server_drain(server, WEIR_S(30)), 0);
    expect_status(weir_loop_close(loop, -1), 0);
    expect_string(read_rest(fd), "");
    finish(WEIR_ECANCELED);
}

/* ---- bodies that are read after the response ---- */

static size_t body_size;
static int body_status;
static bool pauses;

static void on_piece(void *arg, weir_http_request *request, int status,
                     weir_bytes bytes)
{
    if (status == 0 && pauses)
        weir_http_pause(request);
    body_size += bytes.size;
    if (status == 0)
        return;
    body_status = status;
    weir_http_request_unref(request);
    expect_int(sem_post(&arrived), 0);
}

static void read_and_answer(void *arg, weir_http_request *request)
{
    if (weir_http_is(request, "GET", "/")) {
        hello(arg, request);
        return;
    }
    weir_http_request_ref(request);
    expect_status(weir_http_read(request, on_piece, NULL), 0);
    hello(arg, request);
}

/* Send half of a body, the rest after the response, and a GET.  Returns what
 * the reader was told at the end. */
static int post_in_halves(void)
{
    int fd;

    body_size = 0;
    serve(read_and_answer);
    fd = join_server();
    send_text(fd, "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n"
                  "half");
    (void)read_until(fd, "hello\n");
    send_text(fd, "half" GET);
    expect(strstr(read_until(fd, "hello\n"), "200 OK") != NULL);
    expect_int(sem_wait(&arrived), 0);
    expect_status(weir_http_server_drain(server, WEIR_S(3600)), 0);
    (void)read_all(fd);
    finish(0);
    more = (weir_http_guest_options){.size = 0};
    return body_status;
}

CASE(guest_reader_is_told_that_the_response_has_ended)
{
    expect_status(post_in_halves(), WEIR_ECANCELED);
    expect(body_size <= 4);
}

CASE(guest_that_reads_on_reads_the_body_after_the_response)
{
    more.reads_on = true;
    expect_status(post_in_halves(), WEIR_EEOF);
    expect_int(body_size, 8);
}

CASE(guest_that_reads_on_does_not_wait_for_a_reader_that_pauses)
{
    more.reads_on = pauses = true;
    expect_status(post_in_halves(), WEIR_EEOF);
    expect_int(body_size, 8);
}

static void read_late(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_http_read(kept, on_piece, NULL), 0);
}

static void discard_late(void *arg, int status)
{
    expect_status(status, 0);
    weir_http_discard(kept);
    weir_http_discard(kept);
    expect_status(weir_http_read(kept, on_piece, NULL), WEIR_ECLOSED);
    weir_http_request_unref(kept);
}

static void keep_and_answer(void *arg, weir_http_request *request)
{
    if (weir_http_is(request, "POST", "/p")) {
        weir_http_request_ref(request);
        kept = request;
    }
    hello(arg, request);
}

/* The body has arrived; it is read or discarded after the response. */
static void post_and_call(weir_fn *fn)
{
    int fd;

    more.reads_late = true;
    body_size = 0;
    serve(keep_and_answer);
    fd = join_server();
    send_text(fd, "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n"
                  "body" GET);
    (void)read_until(fd, "hello\n");
    expect_status(weir_loop_submit(loop, fn, NULL), 0);
    expect(strstr(read_until(fd, "hello\n"), "200 OK") != NULL);
    expect_status(weir_http_server_drain(server, WEIR_S(3600)), 0);
    (void)read_all(fd);
    finish(0);
    more = (weir_http_guest_options){.size = 0};
}

CASE(guest_that_reads_late_begins_to_read_after_the_response)
{
    post_and_call(read_late);
    expect_status(body_status, WEIR_EEOF);
    expect_int(body_size, 4);
}

CASE(guest_that_reads_late_goes_on_when_the_body_is_discarded)
{
    post_and_call(discard_late);
    expect_int(body_size, 0);
}

static void pass(void *arg, int status)
{
    expect_status(status, 0);
    expect_int(sem_post(&arrived), 0);
}

/* Wait until the control loop has done what it was asked for, and what that
 * has asked for. */
static void wait_for_control(void)
{
    for (int i = 0; i < 4; i++) {
        expect_status(weir_loop_submit(weir_service_loop(service), pass, NULL),
                      0);
        expect_int(sem_wait(&arrived), 0);
    }
}

/* A while after weir_http_server_close. */
static void drain_late(void *arg, int status)
{
    int *left = arg;

    expect_status(status, 0);
    if (ends > 0)
        return;
    wait_for_control();
    if (--*left > 0) {
        expect_status(weir_loop_on_close_phase(loop, drain_late, left), 0);
        return;
    }
    expect_status(weir_http_server_drain(server, 0), 0);
    wait_for_control();
}

static void close_and_drain(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_http_server_close(server), 0);
    expect_status(weir_loop_on_close_phase(loop, drain_late, arg), 0);
}

/* At one of these moments the end is on its way to the loop. */
CASE(guest_that_is_about_to_end_can_be_drained)
{
    for (int moment = 1; moment < 6; moment++) {
        int left = moment;

        ends = 0;
        serve(hello);
        expect_status(weir_loop_submit(loop, close_and_drain, &left), 0);
        finish(0);
        expect_int(deadlines, 0);
    }
}

CASE(guest_that_is_unreferenced_lets_its_loop_end)
{
    is_unref = true;
    serve(hello);
    weir_thread_join(&thread);
    expect_int(ends, 0);
    expect_status(weir_loop_free(loop), 0);
    expect_int(ends, 1);
    expect_status(end_status, WEIR_ECANCELED);
    expect_status(weir_service_free(service), 0);
}

static void open_again(void *arg, int status)
{
    expect_status(open_on(loop), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_http_server_drain(server, -1), 0);
}

CASE(guest_can_be_opened_again_and_again_on_one_loop)
{
    prepare();
    given = (weir_http_server_options){.size = sizeof(given),
                                       .on_request = hello,
                                       .drain_idle_ns = WEIR_MS(1)};
    for (unsigned i = 1; i <= 20; i++) {
        expect_status(weir_loop_submit(loop, open_again, NULL), 0);
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
        expect_int(ends, i);
        expect_status(end_status, 0);
    }
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_http_server_listen -EALREADY */
static void listen_twice(void *arg, int status)
{
    char text[64];

    expect_status(open_on(loop), 0);
    expect_status(weir_http_server_listen(server, "127.0.0.1:0", NULL), 0);
    expect_status(weir_http_server_address(server, 0, &where), 0);
    weir_address_format(&where, text, sizeof(text));
    listen_error = weir_http_server_listen(server, text, NULL);
    expect_status(weir_http_server_address(server, 1, &where), -ENOENT);
    expect_status(weir_http_server_drain(server, 0), 0);
    expect_status(weir_http_server_listen(server, text, NULL), -EALREADY);
}

CASE(guest_that_cannot_listen_returns_the_error)
{
    prepare();
    given =
        (weir_http_server_options){.size = sizeof(given), .on_request = hello};
    expect_status(weir_loop_submit(loop, listen_twice, NULL), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(listen_error, -EADDRINUSE);
    expect_int(ends, 1);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_http_server_open -EINVAL
 * covers: weir_http_server_open -E2BIG
 * covers: weir_http_server_drain -EINVAL */
CASE(guest_open_refuses_invalid_options)
{
    struct {
        weir_http_server_options options;
        char more[8];
    } large = {{.size = sizeof(large), .on_request = hello}, {1}};
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = hello};
    weir_http_guest_options guest = {.size = sizeof(guest), .on_end = on_end};
    weir_http_server *other;

    prepare();
    expect_status(weir_http_server_open(&other, loop, &options, &guest),
                  -EINVAL);
    guest.control = weir_service_loop(service);
    expect_status(weir_http_server_open(NULL, loop, &options, &guest), -EINVAL);
    expect_status(weir_http_server_open(&other, NULL, &options, &guest),
                  -EINVAL);
    expect_status(weir_http_server_open(&other, loop, &large.options, &guest),
                  -E2BIG);
    options.threads = 2;
    expect_status(weir_http_server_open(&other, loop, &options, &guest),
                  -EINVAL);
    options.threads = 0;
    guest.on_end = NULL;
    expect_status(weir_http_server_open(&other, loop, &options, &guest),
                  -EINVAL);
    expect_status(weir_http_server_drain(NULL, 0), -EINVAL);
    expect_status(weir_http_server_new(&other, service, &options), 0);
    expect_status(weir_http_server_drain(other, 0), -EINVAL);
    expect(!weir_http_server_is_draining(other));
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
    weir_http_server_free(other);
}

/* covers: weir_http_server_open WEIR_ECLOSED
 * covers: weir_http_server_drain -EALREADY */
CASE(guest_open_on_a_closed_loop_is_refused)
{
    prepare();
    given =
        (weir_http_server_options){.size = sizeof(given), .on_request = hello};
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(open_on(loop), WEIR_ECLOSED);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_service_free(service), 0);
}

/* covers: weir_http_server_open -ENOMEM */
CASE(guest_open_without_memory_leaves_nothing_behind)
{
    struct failing_allocator memory;
    int err = -ENOMEM;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    prepare();
    given =
        (weir_http_server_options){.size = sizeof(given), .on_request = hello};
    for (unsigned i = 1; err != 0; i++) {
        memory.fail_at = memory.calls + i;
        err = open_on(loop);
        expect(err == 0 || err == -ENOMEM);
        expect(err != 0 || i > 3);
    }
    memory.fail_at = 0;
    expect_status(weir_loop_free(loop), 0);
    expect_int(ends, 1);
    expect_status(end_status, WEIR_ECANCELED);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
}

/* A call that fails has no effect: the caller closes its socket. */
CASE(guest_that_cannot_listen_on_a_descriptor_leaves_it_open)
{
    weir_listener_options options = {.size = sizeof(options), .has_fd = true};
    struct failing_allocator memory;
    int err = -ENOMEM;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    prepare();
    given =
        (weir_http_server_options){.size = sizeof(given), .on_request = hello};
    expect_status(open_on(loop), 0);
    options.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(listen(options.fd, 1), 0);
    for (unsigned i = 1; err != 0; i++) {
        memory.fail_at = memory.calls + i;
        err = weir_http_server_listen(server, NULL, &options);
        expect(err == 0 || err == -ENOMEM);
        expect(fcntl(options.fd, F_GETFD) >= 0);
        expect(err != 0 || i > 3);
    }
    memory.fail_at = 0;
    expect_status(weir_loop_free(loop), 0);
    expect(fcntl(options.fd, F_GETFD) < 0);
    expect_status(weir_service_free(service), 0);
    expect_int(memory.live, 0);
}

/* ---- connections that were accepted elsewhere ---- */

static int ends_of_pair[2];

/* covers: weir_http_server_adopt -EINVAL
 * covers: weir_http_server_adopt -EALREADY
 * covers: weir_http_server_fd -EINVAL
 * covers: weir_http_server_fd -ENOENT */
static void adopt_stream(void *arg, int status)
{
    weir_stream *stream, *other;
    int refused[2];

    expect_status(status, 0);
    expect_status(weir_http_server_fd(NULL), -EINVAL);
    expect_int(fcntl(weir_http_server_fd(server), F_GETFD), FD_CLOEXEC);
    expect_int(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_of_pair),
               0);
    expect_int(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, refused), 0);
    expect_status(weir_stream_open(&stream, loop, ends_of_pair[0], NULL), 0);
    expect_status(weir_stream_open(&other, loop, refused[0], NULL), 0);
    expect_status(weir_http_server_adopt(NULL, stream), -EINVAL);
    expect_status(weir_http_server_adopt(server, NULL), -EINVAL);
    expect_status(weir_http_server_adopt(server, stream), 0);
    expect_status(weir_http_server_close(server), 0);
    expect_status(weir_http_server_fd(server), -ENOENT);
    expect_status(weir_http_server_adopt(server, other), -EALREADY);
    weir_stream_close(other, NULL, NULL); /* still ours */
    close(refused[1]);
    expect_int(sem_post(&arrived), 0);
}

CASE(guest_serves_a_connection_that_was_accepted_elsewhere)
{
    serve(hello);
    expect_status(weir_loop_submit(loop, adopt_stream, NULL), 0);
    expect_int(sem_wait(&arrived), 0);
    for (int i = 0; i < 2; i++) {
        send_text(ends_of_pair[1], GET);
        read_until(ends_of_pair[1], "hello\n");
    }
    close(ends_of_pair[1]); /* the last connection of a closed server */
    finish(0);
}

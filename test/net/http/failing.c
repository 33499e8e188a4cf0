/* SPDX-License-Identifier: MIT */
/*
 * failing -- the HTTP server and the client with every system call and every
 * allocation failing once (sweep.h).
 *
 * Both are on one loop of a service.  The client fetches everything that the
 * server can do, then the service drains.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/support/sweep.h"
#include "weir/host/service.h"
#include "weir/net/connect.h"
#include "weir/net/http.h"
#include "weir/net/http_client.h"

enum { LARGE = 200000, FETCHES = 8 };

static char pattern[LARGE];
static char root[] = "/tmp/weir-failing-XXXXXX";

/* One run.  The loop's thread writes, until the service has ended. */
static struct {
    weir_service *service;
    weir_loop *loop;
    weir_http_client *client;
    char authority[WEIR_ADDRESS_TEXT];
    int status;            /* the first error */
    unsigned next;         /* fetch */
    unsigned fetching;     /* fetches in progress */
    unsigned begun, ended; /* operations */
    char answer[4096];     /* to an upgrade */
    size_t size;           /* of it */
} run;

static void fail(int err)
{
    sweep_note(&run.status, err);
}

static int accepted(int err)
{
    if (err == 0)
        run.begun++;
    return err;
}

/* ---- the server ---- */

static void on_request_end(void *arg, weir_http_request *request, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

/* Answer 500 if there is no memory, or nothing. */
static void check_answer(weir_http_request *request, int err)
{
    if (err == 0)
        return;
    fail(err);
    if (err != WEIR_ECLOSED && err != -EALREADY)
        (void)weir_http_respond(request, 500, NULL, "", 0);
}

static void on_collected(void *arg, weir_http_request *request, int status,
                         weir_bytes body)
{
    run.ended++;
    if (status == 0)
        check_answer(request, weir_http_respond(request, 200, NULL, body.data,
                                                body.size));
    else
        fail(status);
}

static void on_piece(void *arg, weir_http_request *request, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

/* A call without memory has no effect, and can be repeated. */
#define TRY_TWICE(err, call)                                                   \
    do {                                                                       \
        err = (call);                                                          \
        if (err == -ENOMEM)                                                    \
            err = (call);                                                      \
    } while (0)

static void respond_in_chunks(weir_http_request *request)
{
    weir_bytes parts[] = {{pattern, 1000}, {pattern + 1000, LARGE - 1000}};
    int err;

    weir_http_request_ref(request);
    TRY_TWICE(err, weir_http_begin(request, 200, NULL, 0, -1));
    for (int i = 0; i < 2 && err == 0; i++)
        TRY_TWICE(err,
                  accepted(weir_http_write(request, parts[i], on_piece, NULL)));
    if (err == 0)
        TRY_TWICE(err, weir_http_end(request, NULL, 0));
    if (err != 0)
        fail(err);
    weir_http_request_unref(request);
}

static void upgrade_request(weir_http_request *request);

static void on_request(void *arg, weir_http_request *request)
{
    int err = accepted(weir_http_request_on_end(request, on_request_end, NULL));

    if (err != 0)
        fail(err);
    if (weir_http_is(request, "GET", "/hello"))
        check_answer(request,
                     weir_http_respond(request, 200, NULL, pattern, 100));
    else if (weir_http_is(request, "POST", "/echo"))
        check_answer(request, accepted(weir_http_collect(request, LARGE,
                                                         on_collected, NULL)));
    else if (weir_http_is(request, "GET", "/chunks"))
        respond_in_chunks(request);
    else if (weir_http_is(request, "GET", "/up"))
        upgrade_request(request);
    else
        check_answer(request, weir_http_serve_file(request, root));
}

/* ---- the client ---- */

static const struct {
    const char *path;
    size_t size; /* of the response */
    bool has_ranges;
} fetches[] = {
    {"/hello", 100, false},    {"/echo", LARGE, false},
    {"/chunks", LARGE, false}, {"/large", LARGE, false},
    {"/small", 10000, false},  {"/large", 0, true},
    {"/hello", 100, false},    {"/hello", 100, false},
};

static void on_closed(void *arg)
{
    run.ended++;
    (void)weir_service_stop(run.service); /* -EALREADY: it drains */
}

static void close_client(void)
{
    weir_http_client *client = run.client;

    run.client = NULL;
    run.begun++;
    weir_http_client_close(client, on_closed, NULL);
}

static void begin_next(void);

static void on_fetched(void *arg, weir_fetch *fetch, int status,
                       weir_bytes body)
{
    unsigned index = (unsigned)(uintptr_t)arg;

    run.ended++;
    run.fetching--;
    if (status != 0) {
        fail(status);
        if (status == -ETIMEDOUT)
            run.next = FETCHES;
    } else if (fetches[index].has_ranges && weir_fetch_status(fetch) == 206) {
        expect(body.size > 1000 && memcmp(body.data, "\r\n--", 4) == 0);
    } else if (weir_fetch_status(fetch) != 200) {
        /* The handler has failed, and so has the scenario. */
        expect(run.status != 0 || weir_fetch_status(fetch) == 404 ||
               weir_fetch_status(fetch) == 403 ||
               weir_fetch_status(fetch) >= 500);
        fail(-ENOENT);
    } else {
        expect_int(body.size, fetches[index].size);
        expect(memcmp(body.data, pattern, body.size) == 0);
    }
    begin_next();
}

static int fetch(unsigned index)
{
    static const weir_http_field range =
        WEIR_HTTP_FIELD("Range", "bytes=0-999,100000-100999");
    char url[256];
    bool has_body = index == 1;
    weir_fetch_options options = {
        .size = sizeof(options),
        .method = has_body ? "POST" : "GET",
        .url = url,
        .body = {pattern, has_body ? LARGE : 0},
        .fields = &range,
        .field_count = fetches[index].has_ranges ? 1 : 0,
    };

    snprintf(url, sizeof(url), "http://%s%s", run.authority,
             fetches[index].path);
    return accepted(weir_fetch_collect(run.client, NULL, LARGE, on_fetched,
                                       (void *)(uintptr_t)index, &options));
}

/* Begin the next fetch; the last two at the same time.  After the last one the
 * client is closed, and that stops the service. */
static void begin_next(void)
{
    while (run.next < FETCHES &&
           (run.fetching == 0 || run.next == FETCHES - 1)) {
        int err = fetch(run.next++);

        if (err == 0)
            run.fetching++;
        else
            fail(err);
    }
    if (run.next == FETCHES && run.fetching == 0 && run.client != NULL)
        close_client();
}

static void on_start(void *arg, int status)
{
    weir_http_client_options options = {.size = sizeof(options),
                                        .http_proxy = "",
                                        .https_proxy = "",
                                        .total_ns = WEIR_S(6)};
    int err = status;

    run.ended++;
    if (err == 0)
        err = weir_http_client_new(&run.client, run.loop, &options);
    if (err == 0) {
        begin_next();
        return;
    }
    fail(err);
    run.client = NULL;
    (void)weir_service_stop(run.service);
}

/* ---- an upgrade ---- */

/* A client that does not wait for the answer: bytes of the new protocol come
 * with its request. */
static const char upgrade[] = "GET /up HTTP/1.1\r\nHost: x\r\n"
                              "Connection: Upgrade\r\nUpgrade: echo\r\n\r\n"
                              "early";

static void on_stream_gone(void *arg, weir_stream *stream, int status)
{
    run.ended++;
    if (status != 0)
        fail(status);
}

static void close_stream(weir_stream *stream)
{
    run.begun++;
    weir_stream_close(stream, on_stream_gone, NULL);
}

static void on_upgraded_read(void *arg, weir_stream *stream, int status,
                             weir_bytes bytes)
{
    int err = status;

    if (err == 0)
        err = weir_stream_write(stream, &bytes, 1, NULL, NULL);
    if (err == 0)
        return;
    if (err != WEIR_EEOF)
        fail(err);
    close_stream(stream);
}

static void upgrade_request(weir_http_request *request)
{
    weir_http_field field = WEIR_HTTP_FIELD("Upgrade", "echo");
    weir_stream *stream;
    int err = weir_http_upgrade(request, &field, 1, NULL, NULL, &stream);

    if (err == -ENOMEM) { /* it had no effect */
        fail(err);
        expect_status(weir_http_respond(request, 500, NULL, "", 0), 0);
        return;
    }
    if (err != 0) {
        fail(err);
        return;
    }
    err = weir_stream_read(stream, on_upgraded_read, NULL);
    if (err != 0) {
        fail(err);
        close_stream(stream);
    }
}

static void on_client_gone(void *arg, weir_stream *stream, int status)
{
    on_stream_gone(arg, stream, status);
    (void)weir_service_stop(run.service);
}

static void on_client_read(void *arg, weir_stream *stream, int status,
                           weir_bytes bytes)
{
    if (status == 0 && run.size + bytes.size < sizeof(run.answer)) {
        memcpy(run.answer + run.size, bytes.data, bytes.size);
        run.size += bytes.size;
        if (strncmp(run.answer, "HTTP/1.1 5", 10) == 0)
            fail(-ENOMEM); /* the server says so */
        else if (strstr(run.answer, "\r\n\r\nearly") == NULL)
            return;
        else
            expect(strncmp(run.answer, "HTTP/1.1 101 ", 13) == 0);
    } else {
        fail(status);
    }
    run.begun++;
    weir_stream_close(stream, on_client_gone, NULL);
}

static void on_connect(void *arg, int status, weir_stream *stream)
{
    weir_bytes bytes = {upgrade, sizeof(upgrade) - 1};
    int err = status;

    run.ended++;
    if (err == 0)
        err = weir_stream_set_timeouts(stream, WEIR_S(5), 0);
    if (err == 0)
        err = weir_stream_read(stream, on_client_read, NULL);
    if (err == 0)
        err = weir_stream_write(stream, &bytes, 1, NULL, NULL);
    if (err == 0)
        return;
    fail(err);
    if (stream != NULL) {
        run.begun++;
        weir_stream_close(stream, on_client_gone, NULL);
    } else {
        (void)weir_service_stop(run.service);
    }
}

static void on_upgrade_start(void *arg, int status)
{
    weir_address where;
    int err = status;

    run.ended++;
    expect_status(weir_address_parse(&where, run.authority, 0), 0);
    if (err == 0)
        err = accepted(weir_connect_addresses(run.loop, NULL, &where, 1,
                                              on_connect, NULL, NULL));
    if (err != 0) {
        fail(err);
        (void)weir_service_stop(run.service);
    }
}

/* ---- runs ---- */

static void on_report(void *arg, weir_service *service)
{
}

static int make_server(weir_http_server **server, weir_fn *begin)
{
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request,
                                        .loops = &run.loop,
                                        .loop_count = 1,
                                        .keep_alive_ns = WEIR_S(20),
                                        .drain_idle_ns = WEIR_MS(20),
                                        .drain_linger_ns = WEIR_MS(500),
                                        .drain_deadline_ns = WEIR_S(4)};
    weir_address where;
    int err = weir_service_add_loop(run.service, &run.loop, NULL);

    if (err == 0)
        err = weir_http_server_new(server, run.service, &options);
    if (err == 0)
        err = weir_http_server_listen(*server, "127.0.0.1:0", NULL);
    if (err == 0)
        err = weir_http_server_address(*server, 0, &where);
    if (err == 0)
        weir_address_format(&where, run.authority, sizeof(run.authority));
    if (err == 0)
        err =
            accepted(weir_service_on_start(run.service, run.loop, begin, NULL));
    if (err == 0)
        err = weir_service_start(run.service);
    return err;
}

static int run_service(weir_fn *begin)
{
    weir_service_options options = {
        .size = sizeof(options), .no_signals = true, .on_report = on_report};
    weir_http_server *server = NULL;
    int err;

    memset(&run, 0, sizeof(run));
    expect_status(weir_clock_freeze(WEIR_S(1)), 0);
    err = weir_service_new(&run.service, &options);
    if (err != 0)
        return err;
    err = make_server(&server, begin);
    if (err == 0)
        err = sweep_wait(run.service, &run.loop, 1, WEIR_S(100));
    expect_status(weir_service_free(run.service), 0);
    weir_http_server_free(server);
    expect_int(run.ended, run.begun);
    expect(run.client == NULL);
    return run.status != 0 ? run.status : err;
}

static int serve(void)
{
    return run_service(on_start);
}

static int serve_upgrade(void)
{
    return run_service(on_upgrade_start);
}

static void write_file(const char *name, size_t size)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    file = fopen(path, "w");
    expect(file != NULL);
    expect_int(fwrite(pattern, 1, size, file), size);
    fclose(file);
}

static void make_files(void)
{
    for (size_t i = 0; i < LARGE; i++)
        pattern[i] = (char)(i * 7 + i / 251);
    expect(mkdtemp(root) != NULL);
    write_file("large", LARGE);
    write_file("small", 10000);
}

static void remove_files(void)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/large", root);
    unlink(path);
    snprintf(path, sizeof(path), "%s/small", root);
    unlink(path);
    rmdir(root);
}

CASE_WITHIN(http_survives_every_failure, 400)
{
    make_files();
    sweep("HTTP", serve, CALL_SOCKET, CALL_SETSOCKOPT, CALL_BIND, CALL_LISTEN,
          CALL_GETSOCKNAME, CALL_ACCEPT4, CALL_CONNECT, CALL_RECV, CALL_SEND,
          CALL_SENDMSG, CALL_SENDFILE, CALL_OPEN, CALL_OPENAT2, CALL_FSTAT,
          CALL_SHUTDOWN, CALL_CLOSE, CALL_EPOLL_CTL, CALL_PTHREAD_CREATE);
    remove_files();
}

CASE_WITHIN(an_upgrade_survives_every_failure, 180)
{
    sweep("an upgrade", serve_upgrade, CALL_ACCEPT4, CALL_CONNECT, CALL_RECV,
          CALL_SEND, CALL_EPOLL_CTL);
}

/* SPDX-License-Identifier: MIT */
/*
 * otlp -- spans reach a collector, or are counted.
 *
 * The case is the collector, with sockets that block: it accepts a connection,
 * reads a request, and answers when it wants.
 */
#include "weir/net/otlp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/failing_syscalls.h"
#include "support/suite.h"
#include "weir.h"
#include "weir/net/address.h"

static int listener = -1;
static char url[64], request[1 << 20];
static char trouble[512];
static unsigned troubles;

static void listen_here(void)
{
    weir_address address;
    size_t size;
    struct sockaddr_in name;
    socklen_t length = sizeof(name);
    const struct sockaddr *any;

    expect_status(weir_address_parse(&address, "127.0.0.1:0", 0), 0);
    any = weir_address_sockaddr(&address, &size);
    listener = socket(any->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect_int(bind(listener, any, (socklen_t)size), 0);
    expect_int(listen(listener, 16), 0);
    expect_int(getsockname(listener, (struct sockaddr *)&name, &length), 0);
    snprintf(url, sizeof(url), "http://127.0.0.1:%u", ntohs(name.sin_port));
}

static void on_trouble(void *arg, const char *text)
{
    snprintf(trouble, sizeof(trouble), "%s", text);
    troubles++;
}

static weir_otlp_options options_for_spans(void)
{
    return (weir_otlp_options){.size = sizeof(weir_otlp_options),
                               .url = url,
                               .service = "a \"service\"",
                               .span_delay_ns = WEIR_MS(1),
                               .metrics_period_ns = -1,
                               .on_trouble = on_trouble};
}

static void start(void)
{
    weir_otlp_options options = options_for_spans();

    listen_here();
    expect_status(weir_otlp_start(&options), 0);
}

static void add(const char *json)
{
    expect_status(weir_otlp_add_span(json, strlen(json)), 0);
}

/* Read one request.  Returns its body. */
static const char *read_request(int fd)
{
    size_t size = 0, wanted = SIZE_MAX;
    const char *body = "";

    while (size < wanted) {
        ssize_t got = recv(fd, request + size, sizeof(request) - 1 - size, 0);

        expect(got > 0);
        size += (size_t)got;
        request[size] = '\0';
        body = strstr(request, "\r\n\r\n");
        if (body != NULL && wanted == SIZE_MAX) {
            const char *length = strcasestr(request, "content-length:");

            expect(length != NULL);
            body += 4;
            wanted = (size_t)(body - request) +
                     (size_t)strtoull(length + 15, NULL, 10);
        }
    }
    return strstr(request, "\r\n\r\n") + 4;
}

static int join(void)
{
    struct timeval limit = {30, 0};
    int fd = accept(listener, NULL, NULL);

    expect(fd >= 0);
    expect_int(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)),
               0);
    return fd;
}

static void reply(int fd, const char *status)
{
    char text[128];
    int size = snprintf(text, sizeof(text),
                        "HTTP/1.1 %s\r\nContent-Length: 2\r\n\r\n{}", status);

    expect_int(send(fd, text, (size_t)size, MSG_NOSIGNAL), size);
}

static weir_otlp_counts counts_now(void)
{
    weir_otlp_counts counts = {.size = sizeof(counts)};

    expect_status(weir_otlp_get_counts(&counts), 0);
    return counts;
}

static bool has(const char *all, const char *part)
{
    return strstr(all, part) != NULL;
}

CASE(otlp_refuses_bad_options)
{
    weir_otlp_options options = options_for_spans();
    weir_otlp_counts none = {.size = 0};
    struct {
        weir_otlp_options known;
        int more;
    } larger = {.known = {.size = sizeof(larger), .url = "http://127.0.0.1:1"},
                .more = 1};
    static const char *const urls[] = {NULL, "", "nowhere", "ftp://127.0.0.1",
                                       "http://"};

    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        options.url = urls[i];
        /* covers: weir_otlp_start -EINVAL */
        expect_status(weir_otlp_start(&options), -EINVAL);
    }
    options.url = "http://127.0.0.1:1";
    options.headers = "Content-Length=3";
    expect_status(weir_otlp_start(&options), -EINVAL);
    options.headers = "a=%0d%0ab: c";
    expect_status(weir_otlp_start(&options), -EINVAL);
    options.headers = NULL;
    options.attributes = "a";
    expect_status(weir_otlp_start(&options), -EINVAL);
    /* covers: weir_otlp_start -E2BIG */
    expect_status(weir_otlp_start(&larger.known), -E2BIG);
    expect(!weir_otlp_is_running());
    /* covers: weir_otlp_add_span WEIR_ECLOSED */
    expect_status(weir_otlp_add_span("{}", 2), WEIR_ECLOSED);
    /* covers: weir_otlp_add_span -EINVAL */
    expect_status(weir_otlp_add_span("", 0), -EINVAL);
    expect_status(weir_otlp_add_span(NULL, 1), -EINVAL);
    /* covers: weir_otlp_get_counts -EINVAL */
    expect_status(weir_otlp_get_counts(NULL), -EINVAL);
    expect_status(weir_otlp_get_counts(&none), -EINVAL);
    weir_otlp_flush(-1);
    weir_otlp_stop(0); /* both without effect */
}

CASE(otlp_sends_what_was_added)
{
    const char *body;
    int fd;
    weir_otlp_options again = options_for_spans();

    start();
    again.url = url;
    expect(weir_otlp_is_running());
    /* covers: weir_otlp_start -EALREADY */
    expect_status(weir_otlp_start(&again), -EALREADY);
    add("{\"name\":\"one\"}");
    fd = join();
    body = read_request(fd);
    expect(strncmp(request, "POST /v1/traces HTTP/1.1\r\n", 26) == 0);
    expect(has(body, "\"stringValue\":\"a \\\"service\\\"\""));
    expect(has(body, "\"spans\":[{\"name\":\"one\"}]}]}]}"));
    reply(fd, "200 OK");
    add("{\"name\":\"two\"}");
    expect(has(read_request(fd), "\"spans\":[{\"name\":\"two\"}]"));
    reply(fd, "200 OK");
    weir_otlp_stop(-1);
    expect_int(counts_now().spans, 2);
    expect_int(counts_now().sent, 2);
    expect_int(counts_now().dropped, 0);
    close(fd);
    close(listener);
}

CASE(otlp_queue_that_is_full_drops_and_counts)
{
    static char large[WEIR_OTLP_SPAN_BYTES + 1];
    weir_otlp_options options = options_for_spans();
    int fd;

    listen_here();
    options.url = url;
    options.queue_spans = 3;
    options.batch_spans = 2;
    expect_status(weir_otlp_start(&options), 0);
    memset(large, ' ', sizeof(large));
    /* covers: weir_otlp_add_span -EMSGSIZE */
    expect_status(weir_otlp_add_span(large, sizeof(large)), -EMSGSIZE);
    add("1");
    add("2");
    fd = join();
    expect(has(read_request(fd), "\"spans\":[1,2]"));
    for (int i = 0; i < 3; i++)
        add("3");
    /* covers: weir_otlp_add_span -ENOBUFS */
    expect_status(weir_otlp_add_span("4", 1), -ENOBUFS);
    reply(fd, "200 OK");
    expect(has(read_request(fd), "\"spans\":[3,3]"));
    reply(fd, "200 OK");
    expect(has(read_request(fd), "\"spans\":[3]"));
    reply(fd, "200 OK");
    weir_otlp_stop(-1);
    expect_int(counts_now().spans, 7);
    expect_int(counts_now().sent, 5);
    expect_int(counts_now().dropped, 2);
    close(fd);
    close(listener);
}

CASE(otlp_stop_ends_at_its_deadline)
{
    int fd;

    start();
    add("1");
    fd = join();
    (void)read_request(fd); /* and there is no answer */
    add("2");
    weir_otlp_flush(WEIR_MS(1));
    weir_otlp_stop(-1); /* the flush has set a limit */
    expect_int(counts_now().dropped, 2);
    expect_int(troubles, 1);
    close(fd);
    close(listener);
}

CASE(otlp_batch_that_is_refused_is_dropped)
{
    int fd;

    start();
    add("1");
    fd = join();
    (void)read_request(fd);
    reply(fd, "400 Bad Request");
    add("2");
    expect(has(read_request(fd), "\"spans\":[2]"));
    reply(fd, "200 OK");
    weir_otlp_stop(-1);
    expect_int(counts_now().sent, 1);
    expect_int(counts_now().dropped, 1);
    expect_int(troubles, 1);
    expect(has(trouble, "/v1/traces: the collector answers 400"));
    close(fd);
    close(listener);
}

/* Its pause is half a second at least; stop tries again at once. */
CASE(otlp_batch_that_failed_is_kept)
{
    int fd, status;

    start();
    add("1");
    fd = join();
    (void)read_request(fd);
    reply(fd, "503 Service Unavailable");
    while (counts_now().failed == 0)
        sched_yield();
    expect_int(counts_now().dropped, 0);
    if (fork() == 0) {
        /* A child has no thread, and leaves the parent's alone. */
        bool is_running = weir_otlp_is_running();

        weir_otlp_stop(-1);
        _exit(is_running ? 1 : 0);
    }
    expect(wait(&status) > 0);
    expect_int(status, 0);
    expect_int(counts_now().sent, 0);
    close(fd);
    close(listener); /* nobody is there any more */
    weir_otlp_stop(-1);
    expect_int(counts_now().dropped, 1);
}

CASE(otlp_sends_metrics_at_the_end)
{
    weir_otlp_options options = options_for_spans();
    weir_otlp_counts counts;
    int fd;

    listen_here();
    options.url = url;
    options.metrics_period_ns = WEIR_S(3600);
    options.headers = "x-key=a%20b";
    options.attributes = "service.name=ignored,region=north";
    expect_status(weir_otlp_start(&options), 0);
    weir_otlp_flush(-1);
    fd = join();
    expect(has(read_request(fd), "\"name\":\"process_cpu_seconds\""));
    expect(strncmp(request, "POST /v1/metrics HTTP/1.1\r\n", 27) == 0);
    expect(has(request, "x-key: a b\r\n"));
    expect(has(request, "\"stringValue\":\"north\""));
    expect(!has(request, "ignored"));
    reply(fd, "200 OK");
    do
        counts = counts_now();
    while (counts.metrics_sent == 0 && sched_yield() == 0);
    expect_int(counts.metrics_sent, 1);
    close(fd);
    close(listener);
    weir_otlp_stop(-1);
    expect_int(counts_now().failed, 1);
}

CASE(otlp_start_that_fails_leaves_nothing_behind)
{
    static struct failing_allocator memory;
    weir_otlp_options options = options_for_spans();
    int err;

    options.url = "http://127.0.0.1:1";
    options.attributes = "a=b,c=d";
    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    for (uint64_t at = 1;; at++) {
        uint64_t before = memory.live;

        memory.fail_at = memory.calls + at;
        err = weir_otlp_start(&options);
        if (err == 0)
            break;
        /* covers: weir_otlp_start -ENOMEM */
        expect_status(err, -ENOMEM);
        expect_int(memory.live, before);
    }
    memory.fail_at = memory.calls + 1;
    /* covers: weir_otlp_add_span -ENOMEM */
    expect_status(weir_otlp_add_span("1", 1), -ENOMEM);
    memory.fail_at = 0;
    weir_otlp_stop(0);
    failing_syscalls_set(CALL_PTHREAD_CREATE, 1, 1, EAGAIN);
    /* covers: weir_otlp_start -EAGAIN */
    expect_status(weir_otlp_start(&options), -EAGAIN);
    expect(!weir_otlp_is_running());
}

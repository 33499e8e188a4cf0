/* SPDX-License-Identifier: MIT */
/*
 * routes -- what the monitor answers.
 *
 *     GET  /, /live.js, /live.css    the page, which holds no data
 *     GET  /livez, /readyz           health, for those who restart or route
 *     GET  /events                   samples and blocks, as they come
 *     GET  /sample.json              one sample, with the blocks
 *     GET  /metrics                  for Prometheus
 *     GET  /file?name=profile        a file that the program offers
 *     POST /trace?seconds=10         what the recorder has, for Perfetto
 *     POST /drain                    as the program says
 *     POST /ask?what=heap            asks the program for a section of the page
 *
 * All but the page and health need the token.
 *
 * Tested by  test/net/monitor/monitor.c, test/api/live.py
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/blocks.h"
#include "monitor/metrics.h"
#include "monitor/monitor.h"
#include "monitor/page.h"
#include "monitor/sections.h"
#include "weir/clock.h"
#include "weir/recorder.h"

#define POLICY                                                                 \
    "default-src 'none'; script-src 'self'; style-src 'self'; "                \
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; " \
    "frame-ancestors 'none'"

enum { FIELDS = 5 };

static void answer(weir_http_request *request, unsigned status,
                   const char *type, weir_bytes body, const char *file)
{
    char disposition[128];
    weir_http_field fields[FIELDS + 1] = {
        {WEIR_BYTES_OF("Content-Type"), {type, strlen(type)}},
        WEIR_HTTP_FIELD("Cache-Control", "no-store"),
        WEIR_HTTP_FIELD("X-Content-Type-Options", "nosniff"),
        WEIR_HTTP_FIELD("Referrer-Policy", "no-referrer"),
        WEIR_HTTP_FIELD("Content-Security-Policy", POLICY),
    };
    size_t count = FIELDS;

    if (file != NULL) {
        snprintf(disposition, sizeof(disposition),
                 "attachment; filename=\"%s\"", file);
        fields[count++] = (weir_http_field){
            WEIR_BYTES_OF("Content-Disposition"),
            {disposition, strlen(disposition)},
        };
    }
    /* Without memory for the head, the client would wait forever. */
    if (weir_http_respond_with(request, status, fields, count, body) != 0)
        (void)weir_http_abort(request);
}

static void answer_text(weir_http_request *request, unsigned status,
                        const char *text)
{
    answer(request, status, "text/plain; charset=utf-8",
           (weir_bytes){text, strlen(text)}, NULL);
}

/* Answer with a text that was made, if there was memory for it. */
static void answer_made(weir_http_request *request, const char *type,
                        struct weir__text *text, const char *file)
{
    if (text->is_short)
        answer_text(request, 503, "no memory\n");
    else
        answer(request, 200, type, (weir_bytes){text->bytes, text->size}, file);
    weir__text_free(text);
}

/* ---- data ---- */

static void send_events(struct weir__monitor *monitor,
                        weir_http_request *request)
{
    weir__feed_add(monitor, request);
}

static void send_sample(struct weir__monitor *monitor,
                        weir_http_request *request)
{
    struct weir__text text = {0};

    weir__sample_write(monitor, &text);
    if (text.size > 0)
        text.size--; /* the brace */
    weir__text_add(&text, ",\"blocks\":[");
    weir__blocks_write(&text, 0, "", ",");
    if (text.bytes != NULL && text.bytes[text.size - 1] == ',')
        text.size--;
    weir__text_add(&text, "]}\n");
    answer_made(request, "application/json", &text, NULL);
}

static void send_metrics(struct weir__monitor *monitor,
                         weir_http_request *request)
{
    const weir_monitor_options *options = &monitor->options;
    struct weir__text text = {0};

    weir__metrics_write(
        &text,
        options->get_pool != NULL ? options->get_pool(options->arg) : NULL,
        monitor->server);
    answer_made(request, "text/plain; version=0.0.4; charset=utf-8", &text,
                NULL);
}

/* The text after "NAME=", if that is the query and fits; otherwise "". */
static void read_query(const weir_http_request *request, const char *name,
                       char *text, size_t size)
{
    weir_bytes query = weir_http_query(request);
    size_t skipped = strlen(name);

    text[0] = '\0';
    if (query.size <= skipped || query.size - skipped >= size ||
        memcmp(query.data, name, skipped) != 0)
        return;
    memcpy(text, (const char *)query.data + skipped, query.size - skipped);
    text[query.size - skipped] = '\0';
}

static void send_file(struct weir__monitor *monitor, weir_http_request *request)
{
    char name[64];
    struct weir__text text = {0};

    read_query(request, "name=", name, sizeof(name));
    if (weir__sections_copy_file(&text, name))
        answer_made(request, "application/octet-stream", &text, name);
    else
        answer_text(request, 404, "no such file\n");
}

/* ---- actions ---- */

static int append(void *arg, const void *bytes, size_t size)
{
    struct weir__text *text = arg;

    weir__text_put(text, bytes, size);
    return text->is_short ? -ENOMEM : 0;
}

/* The number in "seconds=10"; negative: there is none. */
static double seconds_of(const weir_http_request *request)
{
    static const char name[] = "seconds=";
    weir_bytes query = weir_http_query(request);
    char text[32], *end;
    double seconds;

    if (query.size < sizeof(name) - 1 || query.size >= sizeof(text) ||
        memcmp(query.data, name, sizeof(name) - 1) != 0)
        return -1;
    memcpy(text, query.data, query.size);
    text[query.size] = '\0';
    seconds = strtod(text + sizeof(name) - 1, &end);
    return *end == '\0' && seconds >= 0 && seconds <= 1e9 ? seconds : -1;
}

static void send_trace(struct weir__monitor *monitor,
                       weir_http_request *request)
{
    struct weir__text text = {0};
    double seconds = seconds_of(request);
    int64_t since_ns =
        seconds < 0 ? 0 : weir_clock_now() - (int64_t)(seconds * 1e9);
    int err = weir_recorder_write(since_ns, append, &text);

    if (err == 0) {
        answer_made(request, "application/octet-stream", &text, "weir.pftrace");
        return;
    }
    weir__text_free(&text);
    answer_text(request, err == -ENOENT ? 404 : 503,
                err == -ENOENT ? "the recorder is off\n" : "no memory\n");
}

static void begin_drain(struct weir__monitor *monitor,
                        weir_http_request *request)
{
    if (monitor->options.on_drain == NULL) {
        answer_text(request, 404, "this program cannot be drained from here\n");
        return;
    }
    answer_text(request, 202, "the drain begins\n");
    monitor->options.on_drain(monitor->options.arg);
}

static void pass_question(struct weir__monitor *monitor,
                          weir_http_request *request)
{
    char what[256];

    if (monitor->options.on_ask == NULL) {
        answer_text(request, 404, "this program cannot be asked\n");
        return;
    }
    read_query(request, "what=", what, sizeof(what));
    if (what[0] == '\0') {
        answer_text(request, 400, "what?\n");
        return;
    }
    answer_text(request, 202, "it will be shown\n");
    monitor->options.on_ask(monitor->options.arg, what);
}

/* ---- health ---- */

static void send_live(struct weir__monitor *monitor, weir_http_request *request)
{
    answer_text(request, 200, "ok\n");
}

static void send_ready(struct weir__monitor *monitor,
                       weir_http_request *request)
{
    int64_t blocked_ns;
    struct weir__text unused = {0};

    weir__sample_write(monitor, &unused); /* looks */
    weir__text_free(&unused);
    if (monitor->survey.is_ending)
        answer_text(request, 503, "draining\n");
    else if (weir__blocks_find(0, &blocked_ns))
        answer_text(request, 503, "blocked\n");
    else
        answer_text(request, 200, "ok\n");
}

/* ---- the table ---- */

struct route {
    const char *method, *path;
    bool needs_token;
    void (*serve)(struct weir__monitor *monitor, weir_http_request *request);
};

static const struct route routes[] = {
    {"GET", "/events", true, send_events},
    {"GET", "/sample.json", true, send_sample},
    {"GET", "/metrics", true, send_metrics},
    {"GET", "/file", true, send_file},
    {"POST", "/trace", true, send_trace},
    {"POST", "/drain", true, begin_drain},
    {"POST", "/ask", true, pass_question},
    {"GET", "/livez", false, send_live},
    {"GET", "/readyz", false, send_ready},
};

static bool is_permitted(const struct weir__monitor *monitor,
                         weir_http_request *request, bool needs_token)
{
    unsigned status;
    const char *reason =
        weir__access_refuse(request, monitor->token, needs_token, &status);

    if (reason != NULL)
        answer_text(request, status, reason);
    return reason == NULL;
}

static bool serve_page(const struct weir__monitor *monitor,
                       weir_http_request *request)
{
    for (size_t i = 0; i < WEIR__PAGE_FILES; i++) {
        const struct weir__page_file *file = &weir__page_files[i];

        if (!weir_http_is(request, "GET", file->path) &&
            !weir_http_is(request, "HEAD", file->path))
            continue;
        if (is_permitted(monitor, request, false))
            answer(request, 200, file->type,
                   (weir_bytes){file->bytes, file->size}, NULL);
        return true;
    }
    return false;
}

void weir__routes_serve(void *arg, weir_http_request *request)
{
    struct weir__monitor *monitor = arg;
    bool is_path = false;

    if (serve_page(monitor, request))
        return;
    for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++) {
        const struct route *route = &routes[i];

        if (!weir_http_is(request, NULL, route->path))
            continue;
        is_path = true;
        if (!weir_http_is(request, route->method, route->path))
            continue;
        if (is_permitted(monitor, request, route->needs_token))
            route->serve(monitor, request);
        return;
    }
    if (is_permitted(monitor, request, false))
        answer_text(request, is_path ? 405 : 404,
                    is_path ? "not with this method\n" : "not found\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * send -- the requests to the collector, on the exporter's thread.
 *
 * Spans     One batch is on its way at a time.  A batch that could not be sent is
 *           kept, and is the next one that is sent, after a pause; meanwhile the
 *           queue fills up, and then drops.
 * Metrics   They count from the beginning of the process, so those that could
 *           not be sent are not sent again: the next ones say more.
 * The end   Everything is tried once more, without pauses.  The first failure
 *           drops the rest, and so does the deadline.
 *
 * What the collector answers (OTLP 1.x, "Failures"): 429, 502, 503 and 504 ask
 * for the same again later; any other status but 2xx means that the same would be
 * refused again.
 *
 * Tested by  test/net/otlp/otlp.c, test/api/otlp.py
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "monitor/metrics.h"
#include "os/random.h"
#include "os/usage.h"
#include "os/wall.h"
#include "otlp/convert.h"
#include "otlp/exporter.h"
#include "weir/version.h"

enum { ANSWER_BYTES = 65536, MOST_TRIES = 5 };

static const int64_t first_pause_ns = 1000000000;
static const int64_t longest_pause_ns = 30000000000;
static const int64_t longest_wish_ns = 300000000000;

static void send(struct weir__exporter *exporter, struct weir__signal *signal);

static void stop_timer(struct weir__exporter *exporter, weir_timer *timer)
{
    if (*timer != 0)
        (void)!weir_timer_cancel(exporter->loop, *timer);
    *timer = 0;
}

/* ---- the end ---- */

static void close_client(struct weir__exporter *exporter)
{
    weir_http_client_close(exporter->client, NULL, NULL);
    exporter->client = NULL;
    weir_loop_unref(exporter->loop);
}

static void drop_batch(struct weir__exporter *exporter)
{
    struct weir__signal *traces = &exporter->traces;

    weir__otlp_count(&(weir_otlp_counts){.dropped = traces->spans});
    traces->spans = 0;
    weir__text_clear(&traces->body);
}

static void drop_all(struct weir__exporter *exporter)
{
    uint32_t count, rest;
    struct weir__span *spans =
        weir__otlp_take(exporter, 1, UINT32_MAX, &count, &rest);

    weir__otlp_free_spans(spans);
    weir__otlp_count(&(weir_otlp_counts){.dropped = count});
    if (exporter->traces.fetch == NULL)
        drop_batch(exporter);
}

static void end_if_done(struct weir__exporter *exporter)
{
    if (!exporter->is_ending || exporter->is_over ||
        exporter->traces.fetch != NULL || exporter->metrics.fetch != NULL ||
        exporter->traces.spans > 0)
        return;
    exporter->is_over = true;
    drop_all(exporter); /* if they could not even be tried */
    stop_timer(exporter, &exporter->deadline);
    stop_timer(exporter, &exporter->delay);
    close_client(exporter);
}

/* ---- failures ---- */

__attribute__((format(printf, 3, 4))) static void
report_failure(struct weir__exporter *exporter,
               const struct weir__signal *signal, const char *format, ...)
{
    char text[512];
    int size = snprintf(text, sizeof(text), "%s: ", signal->url);
    va_list args;

    weir__otlp_count(&(weir_otlp_counts){.failed = 1});
    if (exporter->is_in_trouble || exporter->options.on_trouble == NULL)
        return;
    exporter->is_in_trouble = true;
    if (size < 0 || (size_t)size >= sizeof(text))
        size = 0;
    va_start(args, format);
    vsnprintf(text + size, sizeof(text) - (size_t)size, format, args);
    va_end(args);
    exporter->options.on_trouble(exporter->options.arg, text);
}

/* Half of it is random, so that many programs do not come at once. */
static int64_t pause_of(struct weir__exporter *exporter)
{
    unsigned tries =
        exporter->tries < MOST_TRIES ? exporter->tries : MOST_TRIES;
    int64_t pause_ns = first_pause_ns << tries;
    uint32_t random = 0;

    if (pause_ns > longest_pause_ns)
        pause_ns = longest_pause_ns;
    (void)weir__random_fill(&random, sizeof(random));
    return pause_ns / 2 +
           (int64_t)((double)(pause_ns / 2) * random / UINT32_MAX);
}

/* Retry-After in seconds; 0: none. */
static int64_t wish_of(const weir_fetch *fetch)
{
    weir_bytes value = weir_fetch_field_of(fetch, "Retry-After");
    const char *text = value.data;
    int64_t seconds = 0;

    if (value.size > 6)
        return 0;
    for (size_t i = 0; i < value.size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        seconds = 10 * seconds + (text[i] - '0');
    }
    return seconds * 1000000000 < longest_wish_ns ? seconds * 1000000000
                                                  : longest_wish_ns;
}

static void on_retry(void *arg, int status)
{
    struct weir__exporter *exporter = arg;

    exporter->retry = 0;
    if (status == 0)
        send(exporter, &exporter->traces);
}

static void try_later(struct weir__exporter *exporter, int64_t wish_ns)
{
    int64_t pause_ns = wish_ns > 0 ? wish_ns : pause_of(exporter);

    exporter->tries++;
    if (weir_timer_start(exporter->loop, &exporter->retry, pause_ns,
                         WEIR_TIMER_ONCE, on_retry, exporter) == 0)
        return;
    exporter->retry = 0;
    drop_batch(exporter);
}

/* ---- requests ---- */

static bool asks_again(unsigned status)
{
    return status == 429 || status == 502 || status == 503 || status == 504;
}

static void handle_spans(struct weir__exporter *exporter,
                         const weir_fetch *fetch, int err, unsigned status)
{
    struct weir__signal *traces = &exporter->traces;
    bool is_temporary = err != 0 || asks_again(status);

    if (err == 0 && status / 100 == 2) {
        weir__otlp_count(&(weir_otlp_counts){.sent = traces->spans});
        traces->spans = 0;
        weir__text_clear(&traces->body);
        exporter->tries = 0;
    } else if (exporter->is_ending) {
        drop_all(exporter);
    } else if (is_temporary) {
        try_later(exporter, err == 0 ? wish_of(fetch) : 0);
    } else {
        drop_batch(exporter);
    }
    weir__otlp_pump(exporter);
}

static void on_answer(void *arg, weir_fetch *fetch, int err, weir_bytes body)
{
    struct weir__exporter *exporter = arg;
    struct weir__signal *signal = fetch == exporter->traces.fetch
                                      ? &exporter->traces
                                      : &exporter->metrics;
    unsigned status = err == 0 ? weir_fetch_status(fetch) : 0;

    signal->fetch = NULL;
    if (err == WEIR_ECANCELED)
        report_failure(exporter, signal,
                       "no answer within the time for the end");
    else if (err != 0)
        report_failure(exporter, signal, "%s",
                       weir_fetch_reason(fetch)[0] != '\0'
                           ? weir_fetch_reason(fetch)
                           : weir_error_text(err));
    else if (status / 100 != 2)
        report_failure(exporter, signal, "the collector answers %u", status);
    else
        exporter->is_in_trouble = false;
    if (signal == &exporter->traces) {
        handle_spans(exporter, fetch, err, status);
    } else {
        weir__text_clear(&signal->body);
        if (status / 100 == 2)
            weir__otlp_count(&(weir_otlp_counts){.metrics_sent = 1});
    }
    end_if_done(exporter);
}

static void send(struct weir__exporter *exporter, struct weir__signal *signal)
{
    const weir_fetch_options options = {
        .size = sizeof(options),
        .method = "POST",
        .url = signal->url,
        .fields = exporter->fields,
        .field_count = exporter->field_count,
        .body = {signal->body.bytes, signal->body.size},
    };
    int err =
        signal->body.is_short
            ? -ENOMEM
            : weir_fetch_collect(exporter->client, &signal->fetch, ANSWER_BYTES,
                                 on_answer, exporter, &options);

    if (err == 0)
        return;
    signal->fetch = NULL;
    report_failure(exporter, signal, "%s", weir_error_text(err));
    if (signal == &exporter->traces)
        drop_batch(exporter);
    weir__text_clear(&signal->body);
}

/* ---- spans ---- */

static void write_spans(struct weir__exporter *exporter,
                        const struct weir__span *span)
{
    struct weir__text *body = &exporter->traces.body;

    weir__text_clear(body);
    weir__text_add(body, "{\"resourceSpans\":[");
    weir__text_put(body, exporter->resource.bytes, exporter->resource.size);
    weir__text_add(body, "\"scopeSpans\":[{\"scope\":{\"name\":\"weir\","
                         "\"version\":\"" WEIR_VERSION "\"},\"spans\":[");
    for (; span != NULL; span = span->next) {
        weir__text_comma(body);
        weir__text_put(body, span->json, span->size);
    }
    weir__text_add(body, "]}]}]}");
}

static void on_delay(void *arg, int status)
{
    struct weir__exporter *exporter = arg;

    exporter->delay = 0;
    exporter->is_due = true;
    if (status == 0)
        weir__otlp_pump(exporter);
}

static void wait_for_more(struct weir__exporter *exporter)
{
    if (exporter->delay == 0 &&
        weir_timer_start(exporter->loop, &exporter->delay,
                         exporter->options.span_delay_ns, WEIR_TIMER_ONCE,
                         on_delay, exporter) != 0)
        exporter->delay = 0; /* the next span tries again */
}

void weir__otlp_pump(struct weir__exporter *exporter)
{
    uint32_t batch = exporter->options.batch_spans, count, rest;
    bool is_late = exporter->is_due || exporter->is_ending;
    struct weir__span *spans;

    if (exporter->traces.fetch != NULL || exporter->traces.spans > 0 ||
        exporter->is_over)
        return; /* this goes on when the batch has arrived */
    spans =
        weir__otlp_take(exporter, is_late ? 1 : batch, batch, &count, &rest);
    if (spans != NULL) {
        write_spans(exporter, spans);
        exporter->traces.spans = count;
        weir__otlp_free_spans(spans);
        send(exporter, &exporter->traces);
    }
    if (rest > 0) {
        wait_for_more(exporter);
    } else {
        exporter->is_due = false;
        stop_timer(exporter, &exporter->delay);
    }
}

/* ---- metrics ---- */

static void write_counts(struct weir__text *text)
{
    weir_otlp_counts counts = {.size = sizeof(counts)};

    (void)!weir_otlp_get_counts(&counts);
    weir__text_add(
        text,
        "# HELP weir_otlp_spans_total Spans that have ended.\n"
        "# TYPE weir_otlp_spans_total counter\nweir_otlp_spans_total %" PRIu64
        "\n# HELP weir_otlp_spans_dropped_total Spans that were not sent.\n"
        "# TYPE weir_otlp_spans_dropped_total counter\n"
        "weir_otlp_spans_dropped_total %" PRIu64 "\n",
        counts.spans, counts.dropped);
}

static void write_metrics(struct weir__exporter *exporter)
{
    const weir_otlp_options *options = &exporter->options;
    struct weir__text *body = &exporter->metrics.body,
                      *text = &exporter->scratch;
    int64_t now_ns = weir__wall_now();

    weir__text_clear(text);
    weir__metrics_write(
        text,
        options->get_pool != NULL ? options->get_pool(options->arg) : NULL,
        NULL);
    write_counts(text);
    weir__text_put(text, "", 1);
    weir__text_clear(body);
    body->is_short = text->is_short;
    if (text->is_short)
        return;
    weir__text_add(body, "{\"resourceMetrics\":[");
    weir__text_put(body, exporter->resource.bytes, exporter->resource.size);
    weir__text_add(body, "\"scopeMetrics\":[{\"scope\":{\"name\":\"weir\","
                         "\"version\":\"" WEIR_VERSION "\"},\"metrics\":");
    weir__convert_metrics(body, text->bytes, now_ns - weir__usage_read().age_ns,
                          now_ns);
    weir__text_add(body, "}]}]}");
}

static void send_metrics(struct weir__exporter *exporter)
{
    if (exporter->metrics.fetch != NULL)
        return; /* the last ones are still on their way */
    write_metrics(exporter);
    send(exporter, &exporter->metrics);
}

static void on_period(void *arg, int status)
{
    struct weir__exporter *exporter = arg;

    if (status == 0)
        send_metrics(exporter);
}

void weir__otlp_flush_all(struct weir__exporter *exporter)
{
    exporter->is_due = true;
    weir__otlp_pump(exporter);
    if (exporter->period != 0)
        send_metrics(exporter);
}

int weir__otlp_start_metrics(struct weir__exporter *exporter)
{
    if (exporter->options.metrics_period_ns < 0)
        return 0;
    return weir_timer_start(exporter->loop, &exporter->period,
                            exporter->options.metrics_period_ns,
                            WEIR_TIMER_FIXED_RATE, on_period, exporter);
}

/* ---- stop ---- */

static void on_deadline(void *arg, int status)
{
    struct weir__exporter *exporter = arg;

    exporter->deadline = 0;
    if (status != 0)
        return;
    if (exporter->traces.fetch != NULL)
        weir_fetch_abort(exporter->traces.fetch);
    if (exporter->metrics.fetch != NULL)
        weir_fetch_abort(exporter->metrics.fetch);
    drop_all(exporter);
    end_if_done(exporter);
}

void weir__otlp_end(struct weir__exporter *exporter, int64_t within_ns)
{
    bool has_metrics = exporter->period != 0;
    bool is_kept = exporter->traces.spans > 0 && exporter->traces.fetch == NULL;

    exporter->is_ending = true;
    stop_timer(exporter, &exporter->delay);
    stop_timer(exporter, &exporter->retry);
    stop_timer(exporter, &exporter->period);
    if (within_ns >= 0 &&
        weir_timer_start(exporter->loop, &exporter->deadline, within_ns,
                         WEIR_TIMER_ONCE, on_deadline, exporter) != 0) {
        exporter->deadline = 0;
        on_deadline(exporter, 0);
        return;
    }
    if (is_kept)
        send(exporter, &exporter->traces);
    weir__otlp_pump(exporter);
    if (has_metrics)
        send_metrics(exporter);
    end_if_done(exporter);
}

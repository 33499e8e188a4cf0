/* SPDX-License-Identifier: MIT */
/*
 * otlp -- see otlp.h.
 *
 * The option alone turns the export on.  The environment of a machine often names
 * a collector for programs that have OpenTelemetry's own library, and each span
 * of such a program would be sent twice.
 */
#include "otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/net/otlp.h"

static const char standard_url[] = "http://localhost:4318";

static bool is_running;

/* On the exporter's thread. */
static void on_trouble(void *arg, const char *text)
{
    fprintf(stderr, "weir: --otlp: %s\n", text);
}

/* A text of the environment; NULL: none. */
static const char *text_of(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* A number of the environment, of which each stands for `unit`.  Returns false
 * after printing a message. */
static bool read_number(const char *name, int64_t unit, int64_t most,
                        int64_t *number)
{
    const char *text = text_of(name);
    char *end;
    long long value;

    if (text == NULL)
        return true;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value <= 0 || value > most) {
        fprintf(stderr, "weir: bad value of %s: %s\n", name, text);
        return false;
    }
    *number = value * unit;
    return true;
}

static bool read_numbers(weir_otlp_options *options)
{
    enum { MS_NS = 1000000, MOST_MS = 1000000000, MOST_SPANS = 1000000 };
    int64_t queue = 0, batch = 0;
    bool is_valid =
        read_number("OTEL_BSP_SCHEDULE_DELAY", MS_NS, MOST_MS,
                    &options->span_delay_ns) &&
        read_number("OTEL_METRIC_EXPORT_INTERVAL", MS_NS, MOST_MS,
                    &options->metrics_period_ns) &&
        read_number("OTEL_EXPORTER_OTLP_TIMEOUT", MS_NS, MOST_MS,
                    &options->timeout_ns) &&
        read_number("OTEL_BSP_MAX_QUEUE_SIZE", 1, MOST_SPANS, &queue) &&
        read_number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, MOST_SPANS, &batch);
    const char *exporter = text_of("OTEL_METRICS_EXPORTER");

    options->queue_spans = (uint32_t)queue;
    options->batch_spans = (uint32_t)batch;
    if (exporter != NULL && strcmp(exporter, "none") == 0)
        options->metrics_period_ns = -1;
    return is_valid;
}

bool otlp_start(const char *url, const weir_pool *(*get_pool)(void *arg),
                void *arg)
{
    weir_otlp_options options = {
        .size = sizeof(options),
        .headers = text_of("OTEL_EXPORTER_OTLP_HEADERS"),
        .attributes = text_of("OTEL_RESOURCE_ATTRIBUTES"),
        .service = text_of("OTEL_SERVICE_NAME"),
        .arg = arg,
        .get_pool = get_pool,
        .on_trouble = on_trouble,
    };
    int err;

    if (url == NULL)
        return true;
    if (url[0] == '\0')
        url = text_of("OTEL_EXPORTER_OTLP_ENDPOINT");
    options.url = url != NULL ? url : standard_url;
    if (!read_numbers(&options))
        return false;
    err = weir_otlp_start(&options);
    is_running = err == 0;
    if (err == -EINVAL)
        fprintf(stderr,
                "weir: --otlp: not a URL of http or https, or a malformed list "
                "in OTEL_EXPORTER_OTLP_HEADERS or OTEL_RESOURCE_ATTRIBUTES: "
                "%s\n",
                options.url);
    else if (err != 0)
        fprintf(stderr, "weir: --otlp: %s\n", weir_error_text(err));
    return err == 0;
}

void otlp_stop(int64_t within_ns)
{
    weir_otlp_counts counts = {.size = sizeof(counts)};

    if (!is_running)
        return;
    is_running = false;
    weir_otlp_stop(within_ns);
    if (weir_otlp_get_counts(&counts) == 0 && counts.dropped > 0)
        fprintf(stderr,
                "weir: --otlp: %" PRIu64 " of %" PRIu64
                " spans were not sent\n",
                counts.dropped, counts.spans);
}

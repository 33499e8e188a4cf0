/* SPDX-License-Identifier: MIT */
/*
 * weir/net/otlp.h -- send spans and metrics to a collector of OpenTelemetry.
 *
 *     weir_otlp_options options = {.size = sizeof(options),
 *                                  .url = "http://127.0.0.1:4318",
 *                                  .service = "shop"};
 *
 *     weir_otlp_start(&options);
 *     weir_otlp_add_span(json, strlen(json));      any thread, any time
 *     ...
 *     weir_otlp_stop(WEIR_S(2));
 *
 * The exporter has a thread with its own loop, and a client of HTTP there.  It
 * speaks OTLP/HTTP with JSON: POST URL/v1/traces and URL/v1/metrics.  The
 * metrics are those that the process shows to Prometheus (weir/metrics.h, and
 * those of its HTTP servers), once in each period.
 *
 * Spans wait in a queue that is bounded, and leave it in batches: when a batch
 * is full, or span_delay_ns after the first one has come.  What does not fit is
 * dropped and counted; nobody waits for a collector.  While the collector is
 * away, a batch is kept and sent again, after 1 s, 2 s, 4 s and so on up to 30 s,
 * or when the collector wants it (Retry-After).
 */
#ifndef WEIR_NET_OTLP_H
#define WEIR_NET_OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/clock.h"
#include "weir/error.h"
#include "weir/export.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_OTLP_QUEUE_SPANS 2048
#define WEIR_OTLP_BATCH_SPANS 512
#define WEIR_OTLP_SPAN_BYTES 65536 /* of one span */
#define WEIR_OTLP_SPAN_DELAY_NS WEIR_S(5)
#define WEIR_OTLP_METRICS_PERIOD_NS WEIR_S(60)
#define WEIR_OTLP_TIMEOUT_NS WEIR_S(10)

/* size and url must be set.  Every other member may be left 0, which means the
 * default. */
typedef struct weir_otlp_options {
    size_t size;     /* sizeof(weir_otlp_options) */
    const char *url; /* such as "http://127.0.0.1:4318", or https */
    /* Fields of each request, and attributes of the resource:
     * "name=value,name=value", where %2C and the like stand for a character. */
    const char *headers;
    const char *attributes;
    /* The attribute service.name, which has precedence over one of the above.
     * NULL: "unknown_service:weir", unless they have one. */
    const char *service;
    uint32_t queue_spans;      /* 2048 */
    uint32_t batch_spans;      /* 512 */
    int64_t span_delay_ns;     /* 5 s */
    int64_t metrics_period_ns; /* 60 s; negative: no metrics */
    int64_t timeout_ns;        /* of each request; 10 s */
    void *arg; /* for the functions below, which are called on the exporter's
                  thread and must not block */
    /* Return the pool that metrics include, or NULL.  The pool must exist until
     * weir_otlp_stop. */
    const weir_pool *(*get_pool)(void *arg);
    /* The collector cannot be reached, or refuses what it gets; `text` says why.
     * Not called again until something was sent. */
    void (*on_trouble)(void *arg, const char *text);
} weir_otlp_options;

/**
 * Start the exporter of this process.
 *
 * Thread   any except a loop's
 * Owns     the texts of the options are copied
 * Returns  0, -EINVAL (no URL of http or https, or headers or attributes are
 *          malformed), -E2BIG (an option that this library does not know),
 *          -EALREADY (it runs), -EAGAIN (no thread), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_otlp_start(const weir_otlp_options *options);

/**
 * Test whether the exporter runs.
 *
 * Thread   any
 */
WEIR_API bool weir_otlp_is_running(void);

/**
 * Add a span that has ended: a JSON object as in the field `spans` of OTLP,
 * which is sent as it is.
 *
 * Thread   any; it does not wait
 * Owns     the text is copied
 * Returns  0, -EINVAL (NULL, or no text), WEIR_ECLOSED (the exporter does not
 *          run, or stops), or, counted as dropped, -ENOBUFS (the queue is full),
 *          -EMSGSIZE (more than WEIR_OTLP_SPAN_BYTES), -ENOMEM
 */
WEIR_API int weir_otlp_add_span(const char *json, size_t size);

/**
 * Send at once what waits in the queue, and metrics, as a program does that
 * begins to drain.  A later weir_otlp_stop waits no longer than until within_ns
 * from now.  Negative: no such limit.  Without effect if the exporter does not
 * run.
 *
 * Thread   any; it does not wait
 */
WEIR_API void weir_otlp_flush(int64_t within_ns);

/**
 * Stop the exporter: send what waits in the queue and the metrics once more,
 * but for no longer than within_ns (negative: no limit), and wait for its thread.
 * If the collector cannot be reached now, what is left is dropped.  The exporter
 * can be started again.  Without effect if it does not run.
 *
 * Thread   any except a loop's; one at a time
 */
WEIR_API void weir_otlp_stop(int64_t within_ns);

/* What exporters of this process have done so far. */
typedef struct weir_otlp_counts {
    size_t size;           /* sizeof(weir_otlp_counts) */
    uint64_t spans;        /* that were passed to weir_otlp_add_span */
    uint64_t sent;         /* of them, those that the collector has taken */
    uint64_t dropped;      /* those that will never be sent */
    uint64_t metrics_sent; /* how often metrics were taken */
    uint64_t failed;       /* requests that failed or were refused */
} weir_otlp_counts;

/**
 * Get the counts.  Those that are neither sent nor dropped wait.
 *
 * Thread   any
 * Owns     fills *counts, up to counts->size
 * Returns  0, -EINVAL (NULL, or a size that is invalid)
 */
WEIR_API WEIR_CHECKED int weir_otlp_get_counts(weir_otlp_counts *counts);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_OTLP_H */

/* SPDX-License-Identifier: MIT */
/*
 * exporter -- the state of the exporter, of which there is one.
 *
 * Written by start before the thread begins.  Then each part has its owner:
 *
 *   queue                       any thread, under the lock of otlp.c
 *   everything below `client`   the exporter's thread
 */
#ifndef WEIR_NET_OTLP_EXPORTER_H
#define WEIR_NET_OTLP_EXPORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "monitor/text.h"
#include "weir/host/thread.h"
#include "weir/net/http_client.h"
#include "weir/net/otlp.h"
#include "weir/timer.h"

/* A span that waits. */
struct weir__span {
    struct weir__span *next;
    size_t size;
    char json[];
};

struct weir__span_queue {
    struct weir__span *first, **last;
    uint32_t count;
    bool is_waking;      /* the task `wake` is posted */
    bool is_flushing;    /* send without waiting for a full batch */
    bool is_closed;      /* nothing more is added */
    int64_t deadline_ns; /* for stop, by weir_otlp_flush; INT64_MAX: none */
};

/* One of the two kinds of requests. */
struct weir__signal {
    char *url;
    size_t url_bytes;
    struct weir__text body; /* empty: there is nothing to send */
    uint32_t spans;         /* in the body */
    weir_fetch *fetch;      /* NULL: not being sent */
};

struct weir__exporter {
    weir_otlp_options options; /* its texts are not used after start */
    struct weir__span_queue queue;
    weir_task wake;
    weir_loop *loop;
    weir_thread thread;
    weir_http_client *client;
    weir_http_field *fields; /* of each request; names and values are copies */
    size_t field_count, field_capacity;
    struct weir__text resource; /* "{"resource":{...}," */
    struct weir__text scratch;
    struct weir__signal traces, metrics;
    weir_timer delay, retry, period, deadline; /* 0: not running */
    bool is_due;    /* send what there is, even if it is not a full batch */
    bool is_ending; /* stop was called */
    bool is_over;   /* and nothing is left to do */
    bool is_in_trouble;
    unsigned tries; /* of the batch that is kept */
    int64_t end_within_ns;
};

/* ---- otlp.c ---- */

/* Take up to `most` spans, if there are `least`; otherwise NULL.  *count becomes
 * their number, *rest the number of those that are left. */
struct weir__span *weir__otlp_take(struct weir__exporter *exporter,
                                   uint32_t least, uint32_t most,
                                   uint32_t *count, uint32_t *rest);
void weir__otlp_free_spans(struct weir__span *span);

/* Add to the counts of the process. */
void weir__otlp_count(const weir_otlp_counts *more);

/* ---- resource.c ---- */

/* Fill `resource` and `fields` from the options.  Returns 0, -EINVAL, -ENOMEM. */
int weir__otlp_describe(struct weir__exporter *exporter,
                        const weir_otlp_options *options);
void weir__otlp_forget(struct weir__exporter *exporter);

/* ---- send.c: on the exporter's thread ---- */

/* Something was added. */
void weir__otlp_pump(struct weir__exporter *exporter);

/* Send what there is, metrics too: servers that drain will soon be gone. */
void weir__otlp_flush_all(struct weir__exporter *exporter);

/* Start to send metrics in each period. */
int weir__otlp_start_metrics(struct weir__exporter *exporter);

/* Send what there is, for no longer than within_ns, and then end the loop. */
void weir__otlp_end(struct weir__exporter *exporter, int64_t within_ns);

#endif /* WEIR_NET_OTLP_EXPORTER_H */

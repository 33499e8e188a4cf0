/* SPDX-License-Identifier: MIT */
/*
 * otlp -- a queue of spans, and the thread that sends them.
 *
 * Why a thread: spans come from every thread that runs JavaScript, a loop must
 * not wait for a collector, and at the end of the program, after process.exit()
 * too, the last spans have to leave when no JavaScript runs any more.  Since no
 * code of the program's runs on it, it makes no spans of its own requests.
 *
 * Shape     Any thread appends to the queue under a lock, and posts the task
 *           `wake` to the exporter's loop, unless it is posted.  The task, on the
 *           exporter's thread, takes batches from the queue and sends them
 *           (send.c).
 * The word  `exporter`, under the lock, decides whether a span is accepted:
 *           stop closes the queue under it, and everything accepted before is
 *           sent or counted as dropped.
 * Life      start makes the exporter and its thread.  stop closes the queue,
 *           posts `wake`, joins the thread, and frees the exporter, which nobody
 *           else can have: the others use it under the lock only.
 *
 * Shared state, all under the lock
 *   exporter, its queue   any thread
 *   counts                any thread; they outlive exporters
 *
 * Tested by  test/net/otlp/otlp.c, test/api/otlp.py
 */
#include "weir/net/otlp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "http/url.h"
#include "otlp/exporter.h"
#include "weir/host/lock.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static bool is_starting;                /* under lock */
static struct weir__exporter *exporter; /* under lock; NULL: none */
static weir_otlp_counts counts;         /* under lock */
static pid_t process;                   /* under lock: whose exporter it is */

/* Under lock.  A child of fork() has no exporter: the thread is its parent's, and
 * what was copied with the process may be half changed, so it is left alone. */
static struct weir__exporter *ours(void)
{
    pid_t self = getpid();

    if (process != self) {
        process = self;
        exporter = NULL;
        is_starting = false;
    }
    return exporter;
}

/* ---- counts ---- */

static void add_counts(const weir_otlp_counts *more)
{
    counts.spans += more->spans;
    counts.sent += more->sent;
    counts.dropped += more->dropped;
    counts.metrics_sent += more->metrics_sent;
    counts.failed += more->failed;
}

void weir__otlp_count(const weir_otlp_counts *more)
{
    weir_global_lock_acquire(&lock);
    add_counts(more);
    weir_global_lock_release(&lock);
}

int weir_otlp_get_counts(weir_otlp_counts *to)
{
    weir_otlp_counts now;

    if (to == NULL)
        return -EINVAL;
    weir_global_lock_acquire(&lock);
    now = counts;
    weir_global_lock_release(&lock);
    now.size = to->size;
    return weir_sized_write(to, &now, sizeof(now));
}

/* ---- the queue ---- */

/* Under lock. */
static void wake(struct weir__exporter *mine)
{
    if (mine->queue.is_waking)
        return;
    mine->queue.is_waking = weir_loop_post(mine->loop, &mine->wake) == 0;
}

/* Under lock. */
static int append(struct weir__exporter *mine, struct weir__span *span)
{
    struct weir__span_queue *queue = &mine->queue;
    uint32_t batch = mine->options.batch_spans;

    if (queue->count >= mine->options.queue_spans)
        return -ENOBUFS;
    *queue->last = span;
    queue->last = &span->next;
    /* In between, the thread waits for a timer, or for a full batch. */
    if (++queue->count == 1 || queue->count % batch == 0)
        wake(mine);
    return 0;
}

int weir_otlp_add_span(const char *json, size_t size)
{
    struct weir__span *span = NULL;
    int err;

    if (json == NULL || size == 0)
        return -EINVAL;
    err = size > WEIR_OTLP_SPAN_BYTES ? -EMSGSIZE : 0;
    if (err == 0) {
        span = weir_memory_alloc(sizeof(*span) + size);
        err = span == NULL ? -ENOMEM : 0;
    }
    if (err == 0) {
        span->next = NULL;
        span->size = size;
        memcpy(span->json, json, size);
    }
    weir_global_lock_acquire(&lock);
    if (ours() == NULL || exporter->queue.is_closed) {
        err = WEIR_ECLOSED;
    } else {
        err = err == 0 ? append(exporter, span) : err;
        add_counts(&(weir_otlp_counts){.spans = 1, .dropped = err != 0});
    }
    weir_global_lock_release(&lock);
    if (err != 0 && span != NULL)
        weir_memory_free(span, sizeof(*span) + size);
    return err;
}

struct weir__span *weir__otlp_take(struct weir__exporter *mine, uint32_t least,
                                   uint32_t most, uint32_t *count,
                                   uint32_t *rest)
{
    struct weir__span_queue *queue = &mine->queue;
    struct weir__span *first, **end;
    uint32_t taken = 0;

    weir_global_lock_acquire(&lock);
    first = queue->first;
    end = &queue->first;
    while (queue->count >= least && taken < most && *end != NULL) {
        end = &(*end)->next;
        taken++;
    }
    if (taken > 0) {
        queue->first = *end;
        *end = NULL;
        if (queue->first == NULL)
            queue->last = &queue->first;
        queue->count -= taken;
    }
    *count = taken;
    *rest = queue->count;
    weir_global_lock_release(&lock);
    return taken > 0 ? first : NULL;
}

void weir__otlp_free_spans(struct weir__span *span)
{
    while (span != NULL) {
        struct weir__span *next = span->next;

        weir_memory_free(span, sizeof(*span) + span->size);
        span = next;
    }
}

/* ---- the thread ---- */

static void on_wake(weir_task *task, int status)
{
    struct weir__exporter *mine =
        (struct weir__exporter *)((char *)task -
                                  offsetof(struct weir__exporter, wake));
    bool is_closed, is_flushing;

    weir_global_lock_acquire(&lock);
    mine->queue.is_waking = false;
    is_closed = mine->queue.is_closed;
    is_flushing = mine->queue.is_flushing;
    mine->queue.is_flushing = false;
    weir_global_lock_release(&lock);
    if (status != 0 || mine->is_ending)
        return;
    if (is_closed)
        weir__otlp_end(mine, mine->end_within_ns);
    else if (is_flushing)
        weir__otlp_flush_all(mine);
    else
        weir__otlp_pump(mine);
}

static void run(void *arg)
{
    struct weir__exporter *mine = arg;

    (void)!weir_loop_run(mine->loop, WEIR_RUN_UNTIL_IDLE);
}

/* ---- start ---- */

static void set_defaults(weir_otlp_options *options)
{
    if (options->queue_spans == 0)
        options->queue_spans = WEIR_OTLP_QUEUE_SPANS;
    if (options->batch_spans == 0)
        options->batch_spans = WEIR_OTLP_BATCH_SPANS;
    if (options->batch_spans > options->queue_spans)
        options->batch_spans = options->queue_spans;
    if (options->span_delay_ns <= 0)
        options->span_delay_ns = WEIR_OTLP_SPAN_DELAY_NS;
    if (options->metrics_period_ns == 0)
        options->metrics_period_ns = WEIR_OTLP_METRICS_PERIOD_NS;
    if (options->timeout_ns <= 0)
        options->timeout_ns = WEIR_OTLP_TIMEOUT_NS;
}

/* "http://127.0.0.1:4318" and "/v1/traces". */
static int make_url(struct weir__signal *signal, const char *base,
                    const char *path)
{
    struct weir__http_url url = {0};
    size_t length = strlen(base);
    int err;

    while (length > 0 && base[length - 1] == '/')
        length--;
    signal->url_bytes = length + strlen(path) + 1;
    signal->url = weir_memory_alloc(signal->url_bytes);
    if (signal->url == NULL)
        return -ENOMEM;
    memcpy(signal->url, base, length);
    strcpy(signal->url + length, path);
    err = weir__http_url_parse(
        &url, (weir_bytes){signal->url, signal->url_bytes - 1}, NULL);
    weir__http_url_fini(&url);
    return err;
}

static void destroy(struct weir__exporter *mine)
{
    if (mine->client != NULL)
        weir_http_client_close(mine->client, NULL, NULL);
    if (mine->loop != NULL) {
        (void)!weir_loop_shutdown(mine->loop, -1);
        (void)weir_loop_free(mine->loop);
    }
    weir__otlp_free_spans(mine->queue.first);
    weir__otlp_forget(mine);
    weir_memory_free(mine->traces.url, mine->traces.url_bytes);
    weir_memory_free(mine->metrics.url, mine->metrics.url_bytes);
    weir__text_free(&mine->traces.body);
    weir__text_free(&mine->metrics.body);
    weir__text_free(&mine->scratch);
    weir_memory_free(mine, sizeof(*mine));
}

static int make_client(struct weir__exporter *mine)
{
    const weir_loop_options loop = {.size = sizeof(loop), .name = "otlp"};
    const weir_http_client_options client = {
        .size = sizeof(client),
        .connections_per_origin = 2,
        .connect_ns = mine->options.timeout_ns,
        .total_ns = mine->options.timeout_ns,
        .http_proxy = "",
        .https_proxy = "",
        .no_proxy = "",
        .user_agent = "weir-otlp",
    };
    int err = weir_loop_new(&mine->loop, &loop);

    return err != 0 ? err
                    : weir_http_client_new(&mine->client, mine->loop, &client);
}

static int make(struct weir__exporter *mine, const weir_otlp_options *options)
{
    int err;

    mine->options = *options;
    set_defaults(&mine->options);
    mine->queue.last = &mine->queue.first;
    mine->queue.deadline_ns = INT64_MAX;
    mine->wake = (weir_task){.run = on_wake, .name = "otlp"};
    err = make_url(&mine->traces, options->url, "/v1/traces");
    if (err == 0)
        err = make_url(&mine->metrics, options->url, "/v1/metrics");
    if (err == 0)
        err = weir__otlp_describe(mine, options);
    if (err == 0)
        err = make_client(mine);
    if (err == 0)
        err = weir__otlp_start_metrics(mine);
    if (err != 0)
        return err;
    weir_loop_ref(mine->loop);
    err = weir_thread_start(&mine->thread, run, mine, 0);
    if (err != 0)
        weir_loop_unref(mine->loop);
    return err;
}

static void set(struct weir__exporter *mine)
{
    weir_global_lock_acquire(&lock);
    is_starting = false;
    exporter = mine;
    weir_global_lock_release(&lock);
}

int weir_otlp_start(const weir_otlp_options *given)
{
    weir_otlp_options options;
    struct weir__exporter *mine;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (options.url == NULL)
        return -EINVAL;
    weir_global_lock_acquire(&lock);
    err = ours() != NULL || is_starting ? -EALREADY : 0;
    is_starting |= err == 0;
    weir_global_lock_release(&lock);
    if (err != 0)
        return err;
    mine = weir_memory_alloc(sizeof(*mine));
    err = -ENOMEM;
    if (mine != NULL) {
        memset(mine, 0, sizeof(*mine));
        err = make(mine, &options);
        if (err != 0)
            destroy(mine);
    }
    set(err == 0 ? mine : NULL);
    return err;
}

/* ---- while it runs ---- */

bool weir_otlp_is_running(void)
{
    bool is_running;

    weir_global_lock_acquire(&lock);
    is_running = ours() != NULL && !exporter->queue.is_closed;
    weir_global_lock_release(&lock);
    return is_running;
}

void weir_otlp_flush(int64_t within_ns)
{
    int64_t now_ns = weir_clock_now();

    weir_global_lock_acquire(&lock);
    if (ours() != NULL && !exporter->queue.is_closed) {
        if (within_ns >= 0 && within_ns < INT64_MAX - now_ns)
            exporter->queue.deadline_ns = now_ns + within_ns;
        exporter->queue.is_flushing = true;
        wake(exporter);
    }
    weir_global_lock_release(&lock);
}

/* The shorter one of the two times. */
static int64_t time_left(const struct weir__exporter *mine, int64_t within_ns)
{
    int64_t left_ns = mine->queue.deadline_ns - weir_clock_now();

    if (mine->queue.deadline_ns == INT64_MAX)
        return within_ns;
    left_ns = left_ns < 0 ? 0 : left_ns;
    return within_ns < 0 || left_ns < within_ns ? left_ns : within_ns;
}

void weir_otlp_stop(int64_t within_ns)
{
    struct weir__exporter *mine;
    bool is_ending = false;

    weir_global_lock_acquire(&lock);
    mine = ours();
    if (mine != NULL && !mine->queue.is_closed) {
        mine->queue.is_closed = true;
        mine->end_within_ns = time_left(mine, within_ns);
        wake(mine);
        is_ending = mine->queue.is_waking;
    }
    weir_global_lock_release(&lock);
    if (is_ending) {
        weir_thread_join(&mine->thread);
        set(NULL);
        destroy(mine);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * link -- see link.h.
 *
 * libpq may change its socket while it connects (another address, another
 * protocol), so the descriptor is watched anew after each step.  An error that
 * is found while sending is not reported inside the call: the link is broken,
 * and a timer that is due at once tells.
 */
#include "postgres/link.h"

#include <stdio.h>
#include <string.h>

#include "time/backoff.h"
#include "weir/clock.h"
#include "weir/fd.h"

enum {
    FIRST_WAIT_MS = 50,
    MOST_WAIT_MS = 5000,
    CONNECT_MS = 5000, /* for one attempt */
};

void weir__link_init(struct weir__link *link,
                     const struct weir__link_class *class,
                     const struct weir__libpq *pq, weir_loop *loop,
                     const char *url)
{
    *link = (struct weir__link){
        .class = class, .pq = pq, .loop = loop, .url = url, .fd = -1};
}

/* ---- the descriptor ---- */

static void on_ready(void *arg, int status, int fd, unsigned events);

static void unwatch(struct weir__link *link)
{
    if (link->fd >= 0)
        (void)!weir_fd_remove(link->loop, link->fd, NULL, NULL);
    link->fd = -1;
}

static void stop_timer(struct weir__link *link)
{
    if (link->wait != 0)
        (void)!weir_timer_cancel(link->loop, link->wait);
    link->wait = 0;
}

static void start_timer(struct weir__link *link, int64_t delay_ms, weir_fn *fn)
{
    stop_timer(link);
    if (weir_timer_start(link->loop, &link->wait, WEIR_MS(delay_ms),
                         WEIR_TIMER_ONCE, fn, link) != 0)
        link->wait = 0;
}

static void come_to_break(void *arg, int status);

static void break_later(struct weir__link *link)
{
    if (link->is_broken)
        return;
    link->is_broken = true;
    start_timer(link, 0, come_to_break);
}

static void watch(struct weir__link *link, unsigned events)
{
    int fd = link->pq->PQsocket(link->connection);
    int err;

    if (fd == link->fd && events == link->events)
        return;
    if (fd == link->fd) {
        err = weir_fd_modify(link->loop, fd, events);
    } else {
        unwatch(link);
        err = weir_fd_add(link->loop, fd, events, on_ready, link);
        link->fd = err == 0 ? fd : -1;
    }
    link->events = events;
    if (err != 0)
        break_later(link);
}

/* ---- the end of a connection ---- */

static void hang_up(struct weir__link *link)
{
    unwatch(link);
    stop_timer(link);
    if (link->connection != NULL)
        link->pq->PQfinish(link->connection);
    link->connection = NULL;
    link->is_up = link->is_pipeline = link->is_broken = false;
    link->expected = 0;
    link->generation++;
}

void weir__link_stop(struct weir__link *link)
{
    hang_up(link);
}

static void try_again(void *arg, int status)
{
    struct weir__link *link = arg;

    link->wait = 0;
    if (status == 0)
        weir__link_start(link);
}

void weir__link_restart(struct weir__link *link)
{
    uint64_t random = (uint64_t)weir_clock_now() >> 4;

    hang_up(link);
    link->failures++;
    start_timer(
        link,
        weir__backoff_ms(FIRST_WAIT_MS, MOST_WAIT_MS, link->failures, random),
        try_again);
}

/* The first line of what libpq says, which names no password; or what the server
 * says in it. */
static void copy_reason(const struct weir__link *link,
                        char reason[WEIR__OP_REASON_BYTES])
{
    const char *text = link->connection != NULL
                           ? link->pq->PQerrorMessage(link->connection)
                           : "";
    const char *fatal = strstr(text, "FATAL:  ");
    size_t size;

    if (fatal != NULL)
        text = fatal + strlen("FATAL:  ");
    size = strcspn(text, "\n");
    if (size == 0)
        text = "the connection to the server was lost", size = strlen(text);
    snprintf(reason, WEIR__OP_REASON_BYTES, "%.*s", (int)size, text);
}

/* Whether the server has answered that it will not serve us.  One that starts
 * or stops says so, and serves us later. */
static bool is_refusal(const struct weir__link *link)
{
    static const char *const passing[] = {
        "starting up",       "shutting down", "recovery",
        "not yet accepting", "too many",      "connection slots",
        "server closed the",
    };
    const char *text;

    if (link->connection == NULL)
        return false;
    text = link->pq->PQerrorMessage(link->connection);
    if (text[0] == '\0') /* the time for this attempt is over */
        return false;
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++)
        if (strstr(text, passing[i]) != NULL)
            return false;
    return link->pq->PQconnectionNeedsPassword(link->connection) ||
           link->pq->PQconnectionUsedPassword(link->connection) ||
           strstr(text, "FATAL:") != NULL;
}

static void lose(struct weir__link *link)
{
    char reason[WEIR__OP_REASON_BYTES];
    bool is_final = !link->is_up && is_refusal(link);

    copy_reason(link, reason);
    weir__link_restart(link);
    link->class->lost(link, reason, is_final);
}

static void come_to_break(void *arg, int status)
{
    struct weir__link *link = arg;

    link->wait = 0;
    if (status == 0)
        lose(link);
}

/* ---- connecting ---- */

static void connect_on(struct weir__link *link)
{
    uint32_t generation = link->generation;

    unwatch(link); /* the next step may close it, and open another */
    switch (link->pq->PQconnectPoll(link->connection)) {
    case PGRES_POLLING_READING:
        watch(link, WEIR_FD_READABLE);
        return;
    case PGRES_POLLING_WRITING:
        watch(link, WEIR_FD_WRITABLE);
        return;
    case PGRES_POLLING_OK:
        break;
    default:
        lose(link);
        return;
    }
    stop_timer(link);
    link->is_up = true;
    link->pid = link->pq->PQbackendPID(link->connection);
    watch(link, WEIR_FD_READABLE);
    if (link->pq->PQsetnonblocking(link->connection, 1) != 0)
        break_later(link);
    else if (generation == link->generation)
        link->class->ready(link);
}

/* Notices are for people at a terminal. */
static void ignore_notice(void *arg, const PGresult *result)
{
}

void weir__link_start(struct weir__link *link)
{
    /* What the URL says comes later, and wins.  A peer that has vanished is
     * noticed within a minute, even by a connection that only listens. */
    const char *const keys[] = {"keepalives_idle",
                                "keepalives_interval",
                                "keepalives_count",
                                "tcp_user_timeout",
                                "fallback_application_name",
                                "dbname",
                                NULL};
    const char *const values[] = {"30",   "10",      "3", "30000",
                                  "weir", link->url, NULL};

    hang_up(link);
    link->connection = link->pq->PQconnectStartParams(keys, values, 1);
    if (link->connection == NULL ||
        link->pq->PQstatus(link->connection) == CONNECTION_BAD) {
        lose(link);
        return;
    }
    (void)link->pq->PQsetNoticeReceiver(link->connection, ignore_notice, NULL);
    start_timer(link, CONNECT_MS, come_to_break);
    watch(link, WEIR_FD_WRITABLE);
}

/* ---- results ---- */

static void take_notifies(struct weir__link *link)
{
    uint32_t generation = link->generation;
    PGnotify *notify;

    while (generation == link->generation &&
           (notify = link->pq->PQnotifies(link->connection)) != NULL) {
        link->class->notified(link, notify);
        link->pq->PQfreemem(notify);
    }
}

/* Hand on a result, or the end of a group.  A callback may stop the link. */
static void take_result(struct weir__link *link, PGresult *result)
{
    uint32_t generation = link->generation;

    if (result == NULL) { /* the end of one request of a pipeline, or of all */
        if (!link->is_pipeline) {
            link->expected--;
            link->class->synced(link);
        }
        return;
    }
    if (link->pq->PQresultStatus(result) == PGRES_PIPELINE_SYNC) {
        link->expected--;
        link->class->synced(link);
        if (generation == link->generation)
            link->failures = 0; /* it was set up, and works */
    } else {
        link->class->result(link, result);
    }
    link->pq->PQclear(result);
}

/* On a lost connection PQgetResult returns NULL however often it is called. */
static void take_results(struct weir__link *link)
{
    uint32_t generation = link->generation;

    while (generation == link->generation && link->expected > 0 &&
           !link->pq->PQisBusy(link->connection)) {
        PGresult *result = link->pq->PQgetResult(link->connection);

        if (result == NULL &&
            link->pq->PQstatus(link->connection) == CONNECTION_BAD)
            return;
        take_result(link, result);
    }
}

static void flush(struct weir__link *link)
{
    int rest = link->pq->PQflush(link->connection);

    if (rest < 0)
        break_later(link);
    else
        watch(link, rest > 0 ? WEIR_FD_READABLE | WEIR_FD_WRITABLE
                             : WEIR_FD_READABLE);
}

static void on_ready(void *arg, int status, int fd, unsigned events)
{
    struct weir__link *link = arg;
    uint32_t generation = link->generation;
    bool is_lost;

    if (status != 0) {
        link->fd = -1;
        return;
    }
    if (!link->is_up) {
        connect_on(link);
        return;
    }
    is_lost = !link->pq->PQconsumeInput(link->connection);
    take_results(link); /* even those that came with the end */
    if (generation == link->generation)
        take_notifies(link);
    if (generation != link->generation)
        return;
    if (is_lost || link->pq->PQstatus(link->connection) == CONNECTION_BAD)
        lose(link);
    else
        flush(link);
}

/* ---- requests ---- */

void weir__link_query(struct weir__link *link, const char *text)
{
    if (!link->pq->PQsendQuery(link->connection, text)) {
        break_later(link);
        return;
    }
    link->expected++;
    flush(link);
}

void weir__link_pipeline(struct weir__link *link)
{
    if (link->pq->PQenterPipelineMode(link->connection))
        link->is_pipeline = true;
    else
        break_later(link);
}

void weir__link_prepare(struct weir__link *link, const char *name,
                        const char *text)
{
    if (!link->pq->PQsendPrepare(link->connection, name, text, 0, NULL))
        break_later(link);
}

void weir__link_send(struct weir__link *link, const char *name,
                     const struct weir__params *params)
{
    if (!link->pq->PQsendQueryPrepared(link->connection, name, params->count,
                                       params->values, params->sizes,
                                       params->formats, 1))
        break_later(link);
}

void weir__link_sync(struct weir__link *link)
{
    if (!link->pq->PQpipelineSync(link->connection)) {
        break_later(link);
        return;
    }
    link->expected++;
    flush(link);
}

/* ---- values ---- */

void weir__param_number(struct weir__params *params, int64_t number)
{
    char *text = params->numbers[params->count];

    snprintf(text, sizeof(params->numbers[0]), "%lld", (long long)number);
    weir__param_text(params, text);
}

void weir__param_text(struct weir__params *params, const char *text)
{
    int at = params->count++;

    params->values[at] = text;
    params->sizes[at] = 0;
    params->formats[at] = 0;
}

void weir__param_bytes(struct weir__params *params, const void *bytes,
                       size_t size)
{
    int at = params->count++;

    params->values[at] = bytes != NULL ? bytes : "";
    params->sizes[at] = (int)size;
    params->formats[at] = 1;
}

int64_t weir__link_number(const struct weir__link *link, const PGresult *result,
                          int row, int column, int64_t otherwise)
{
    const unsigned char *bytes;
    uint64_t number = 0;
    int size;

    if (link->pq->PQgetisnull(result, row, column))
        return otherwise;
    bytes = (const unsigned char *)link->pq->PQgetvalue(result, row, column);
    size = link->pq->PQgetlength(result, row, column);
    if (size > 1 && (bytes[0] & 0x80) != 0)
        number = UINT64_MAX;
    for (int i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return (int64_t)number;
}

double weir__link_double(const struct weir__link *link, const PGresult *result,
                         int row, int column)
{
    int64_t bits = weir__link_number(link, result, row, column, 0);
    double number;

    memcpy(&number, &bits, sizeof(number));
    return number;
}

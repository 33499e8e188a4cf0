/* SPDX-License-Identifier: MIT */
/*
 * store -- see store.h.
 */
#include "postgres/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/clock.h"
#include "os/uuid.h"
#include "weir/clock.h"
#include "weir/host/memory.h"

static struct weir__engine *engine_of(struct weir__link *link)
{
    return (struct weir__engine *)((char *)link -
                                   offsetof(struct weir__engine, work));
}

/* ---- errors and times ---- */

int weir__pg_status(const struct weir__engine *engine, const PGresult *result,
                    char reason[WEIR__OP_REASON_BYTES])
{
    static const struct {
        char code[6];
        int status;
    } known[] = {
        {"53100", -ENOSPC},      {"53200", -ENOMEM},      {"55P03", -EBUSY},
        {"25006", -EROFS},       {"42501", -EACCES},      {"58030", -EIO},
        {"WJ001", WEIR_ESCHEMA}, {"42883", WEIR_ESCHEMA},
    };
    const char *code = engine->pq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text =
        engine->pq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    snprintf(reason, WEIR__OP_REASON_BYTES, "%s",
             text != NULL ? text : "the server has failed");
    for (size_t i = 0; code != NULL && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(code, known[i].code) == 0)
            return known[i].status;
    return WEIR_ESTORE;
}

void weir__param_date(struct weir__params *params)
{
    if (weir__clock_is_set())
        weir__param_number(params, weir__clock_date_ms() * 1000);
    else
        weir__param_text(params, NULL); /* the server's clock */
}

/* ---- the connection for lists ---- */

/* Until the store is open, `deadline` is that of its set-up: no list runs. */
static void stop_opening(struct weir__engine *engine)
{
    if (engine->deadline != 0)
        (void)!weir_timer_cancel(engine->host->loop, engine->deadline);
    engine->deadline = 0;
}

static void miss_opening(void *arg, int status)
{
    struct weir__engine *engine = arg;

    engine->deadline = 0;
    if (status == 0)
        weir__store_opened(engine, WEIR_ESTORE, "the server does not answer");
}

static void start_opening(struct weir__engine *engine)
{
    enum { MORE_MS = 1000 }; /* than the server waits for a lock */

    stop_opening(engine);
    if (weir_timer_start(engine->host->loop, &engine->deadline,
                         WEIR_MS(engine->host->busy_ms + MORE_MS),
                         WEIR_TIMER_ONCE, miss_opening, engine) != 0)
        engine->deadline = 0;
}

void weir__store_opened(struct weir__engine *engine, int status,
                        const char *reason)
{
    char text[WEIR__OP_REASON_BYTES];

    snprintf(text, sizeof(text), "%s", reason);
    if (!engine->is_open) {
        stop_opening(engine);
        engine->is_open = status == 0;
        if (status != 0)
            weir__link_stop(&engine->work);
        engine->host->opened(engine->host, status, text);
    } else if (status == 0) {
        weir__list_connected(engine);
    } else {
        weir__link_restart(&engine->work);
        weir__list_fail(engine, status, text);
    }
}

static void ready(struct weir__link *link)
{
    struct weir__engine *engine = engine_of(link);

    if (!engine->is_open)
        start_opening(engine);
    weir__setup_begin(engine);
}

static void take_result(struct weir__link *link, PGresult *result)
{
    struct weir__engine *engine = engine_of(link);

    if (engine->setup == WEIR__SETUP_DONE)
        weir__list_result(engine, result);
    else
        weir__setup_result(engine, result);
}

static void synced(struct weir__link *link)
{
    struct weir__engine *engine = engine_of(link);

    if (engine->setup == WEIR__SETUP_DONE)
        weir__list_synced(engine);
    else
        weir__setup_synced(engine);
}

static void lost(struct weir__link *link, const char *reason, bool is_final)
{
    struct weir__engine *engine = engine_of(link);
    bool is_late = weir__clock_uptime_us() / 1000 >=
                   engine->sent_ms + engine->host->busy_ms;

    engine->setup = WEIR__SETUP_LOOK;
    if (engine->is_open) {
        weir__list_lost(engine, reason);
        return;
    }
    stop_opening(engine);
    if (is_final || is_late)
        weir__store_opened(engine, is_final ? -EACCES : WEIR_ESTORE, reason);
}

static void notified(struct weir__link *link, const PGnotify *notify)
{
}

static const struct weir__link_class work_class = {
    .ready = ready,
    .result = take_result,
    .synced = synced,
    .lost = lost,
    .notified = notified,
};

/* ---- open and close ---- */

static void free_engine(struct weir__engine *engine)
{
    if (engine->url != NULL) {
        /* It may have a password. */
        memset(engine->url, 0, engine->url_bytes);
        weir_memory_free(engine->url, engine->url_bytes);
    }
    weir__libpq_close(&engine->pq);
    weir_memory_free(engine, sizeof(*engine));
}

static void end(weir_task *task, int status)
{
    free_engine((struct weir__engine *)((char *)task -
                                        offsetof(struct weir__engine, end)));
}

/* The host may close the store inside a callback of a link's, which looks at the
 * link after it: the memory is freed by a task. */
static void close_store(struct weir__engine *engine)
{
    weir__list_stop(engine);
    weir__watch_stop(engine);
    weir__link_stop(&engine->work);
    engine->end = (weir_task){.run = end, .name = "jobs"};
    if (weir_loop_post(engine->host->loop, &engine->end) != 0)
        free_engine(engine); /* the loop has ended: nobody is inside */
}

/* A '/' or '@' of a password ends it for libpq.  The rest would be a port, a
 * host or a database, which libpq and the server name in their messages. */
static bool is_url(const char *url)
{
    const char *at = strstr(url, "://");
    size_t size;

    if (strncmp(url, "postgres://", 11) != 0 &&
        strncmp(url, "postgresql://", 13) != 0)
        return false;
    at += 3;
    size = strcspn(at, "@/");
    if (at[size] == '@')
        at += size + 1;
    return memchr(at, '@', strcspn(at, "?")) == NULL;
}

/* Several hosts have several ports, of which some may be missing. */
static bool are_ports(const char *text)
{
    enum { MOST = 65535, MOST_DIGITS = 5 };

    while (true) {
        size_t digits = strspn(text, "0123456789");

        if (digits > MOST_DIGITS ||
            (digits > 0 && (atoi(text) < 1 || atoi(text) > MOST)))
            return false;
        if (text[digits] != ',')
            return text[digits] == '\0';
        text += digits + 1;
    }
}

static bool has_ports(const PQconninfoOption *options)
{
    for (; options->keyword != NULL; options++)
        if (strcmp(options->keyword, "port") == 0)
            return options->val == NULL || are_ports(options->val);
    return true;
}

/* Check what can be checked without the server.  The texts of libpq are not
 * used: they quote the URL, with its password. */
static int check_url(struct weir__engine *engine, const char **reason)
{
    PQconninfoOption *options = NULL;

    if (!weir__libpq_open(&engine->pq)) {
        *reason = "libpq.so.5 is not installed, or older than PostgreSQL 14";
        return -ENOSYS;
    }
    if (is_url(engine->url))
        options = engine->pq.PQconninfoParse(engine->url, NULL);
    if (options != NULL && !has_ports(options)) {
        engine->pq.PQconninfoFree(options);
        options = NULL;
    }
    if (options == NULL) {
        *reason = "the URL is malformed: "
                  "postgres://user:password@host:port/database?option=value, "
                  "with %2F for / and %40 for @ in the password";
        return -EINVAL;
    }
    engine->pq.PQconninfoFree(options);
    return weir__uuid_make(engine->client);
}

static struct weir__engine *open_store(struct weir__engine_host *host,
                                       const char *path)
{
    struct weir__engine *engine = weir_memory_alloc(sizeof(*engine));
    const char *reason = "";
    int err = -ENOMEM;

    if (engine == NULL)
        goto fail;
    memset(engine, 0, sizeof(*engine));
    engine->host = host;
    engine->url_bytes = strlen(path) + 1;
    engine->url = weir_memory_alloc(engine->url_bytes);
    if (engine->url == NULL)
        goto fail_engine;
    memcpy(engine->url, path, engine->url_bytes);
    err = check_url(engine, &reason);
    if (err != 0)
        goto fail_engine;
    weir__link_init(&engine->work, &work_class, &engine->pq, host->loop,
                    engine->url);
    weir__link_init(&engine->watch, &weir__watch_class, &engine->pq, host->loop,
                    engine->url);
    engine->sent_ms = weir__clock_uptime_us() / 1000;
    weir__link_start(&engine->work);
    return engine;
fail_engine:
    free_engine(engine);
fail:
    host->opened(host, err, reason);
    return NULL;
}

const struct weir__engine_class weir__postgres_engine = {
    .open = open_store,
    .run = weir__list_run,
    .renew = weir__watch_renew,
    .close = close_store,
};

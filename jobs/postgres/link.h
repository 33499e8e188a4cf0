/* SPDX-License-Identifier: MIT */
/*
 * link -- a connection to a server, on the dispatcher's loop, that comes back.
 *
 * A link that is started connects; if that fails, or the connection is lost, it
 * tries again after a wait that doubles, until it is stopped.  Each connection
 * begins in the simple protocol, in which `ready` sets it up.  After
 * weir__link_pipeline it is in pipeline mode: requests are sent without waiting,
 * and the results come in their order, those up to a sync together.
 *
 *     DOWN --start--> CONNECTING --ready()--> UP --lost--> lost(), a wait,
 *      ^                                                   CONNECTING
 *      +--------------------- stop -----------------------------+
 *
 * All of it happens on the dispatcher's thread.  Neither connecting nor a
 * request waits for the server.  The exception is the look-up of a host's name,
 * by libpq.
 */
#ifndef WEIR_JOBS_POSTGRES_LINK_H
#define WEIR_JOBS_POSTGRES_LINK_H

#include "engine/op.h"
#include "postgres/libpq.h"
#include "weir/loop.h"
#include "weir/timer.h"

struct weir__link;

struct weir__link_class {
    /* A connection is made; nothing was sent over it. */
    void (*ready)(struct weir__link *link);
    /* A result of a request.  Not called for the end of a pipeline. */
    void (*result)(struct weir__link *link, PGresult *result);
    /* Everything up to a sync, or all of a simple query, has its result. */
    void (*synced)(struct weir__link *link);
    /* The connection was lost, or could not be made.  The link tries again,
     * unless it is stopped in this callback.  A failure that is_final is an
     * answer of the server's: it refuses this user, or has no such database. */
    void (*lost)(struct weir__link *link, const char *reason, bool is_final);
    void (*notified)(struct weir__link *link, const PGnotify *notify);
};

struct weir__link {
    /* const after init */
    const struct weir__link_class *class;
    const struct weir__libpq *pq;
    weir_loop *loop;
    const char *url;
    /* the dispatcher's thread */
    PGconn *connection; /* NULL: none */
    int fd;             /* that is watched; -1: none */
    unsigned events;    /* that it is watched for */
    bool is_up, is_pipeline;
    bool is_broken;      /* to be reported by the next turn */
    unsigned expected;   /* syncs, or simple queries, that have no result yet */
    unsigned failures;   /* one after the other */
    weir_timer wait;     /* until the next attempt, or the end of this one */
    uint32_t generation; /* of the connection */
    int pid;             /* of the server's process */
};

void weir__link_init(struct weir__link *link,
                     const struct weir__link_class *class,
                     const struct weir__libpq *pq, weir_loop *loop,
                     const char *url);

/* Connect, now. */
void weir__link_start(struct weir__link *link);

/* Close the connection, and do not try again.  No callback is called. */
void weir__link_stop(struct weir__link *link);

/* Give the connection up and make a new one, after the wait. */
void weir__link_restart(struct weir__link *link);

/* Send a text with any number of statements; only before the pipeline. */
void weir__link_query(struct weir__link *link, const char *text);

/* Enter pipeline mode. */
void weir__link_pipeline(struct weir__link *link);

/* The parameters of a request.  Text and bytes are not copied. */
enum { WEIR__PARAMS_LIMIT = 14 };

struct weir__params {
    int count;
    const char *values[WEIR__PARAMS_LIMIT];
    int sizes[WEIR__PARAMS_LIMIT];
    int formats[WEIR__PARAMS_LIMIT]; /* 0: text, 1: bytes */
    char numbers[WEIR__PARAMS_LIMIT][24];
};

void weir__param_number(struct weir__params *params, int64_t number);
void weir__param_text(struct weir__params *params, const char *text);
void weir__param_bytes(struct weir__params *params, const void *bytes,
                       size_t size);

/* In pipeline mode: prepare a statement, run it, and end a group of requests.
 * An error of the connection is reported by lost(), later. */
void weir__link_prepare(struct weir__link *link, const char *name,
                        const char *text);
void weir__link_send(struct weir__link *link, const char *name,
                     const struct weir__params *params);
void weir__link_sync(struct weir__link *link);

/* Read a column of a result: a number of any size, or a double's bits. */
int64_t weir__link_number(const struct weir__link *link, const PGresult *result,
                          int row, int column, int64_t otherwise);
double weir__link_double(const struct weir__link *link, const PGresult *result,
                         int row, int column);

#endif /* WEIR_JOBS_POSTGRES_LINK_H */

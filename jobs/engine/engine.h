/* SPDX-License-Identifier: MIT */
/*
 * engine -- what keeps the jobs: the interface of SQLite, and of others.
 *
 * An engine carries out a list of ops in their order, as one transaction: after
 * `ran` either all of them are durable, or none has happened and each has the
 * error as its status.  An op that is refused (a stale token, an unknown job)
 * has its own status and changes nothing.  So the answers of a list never say
 * more than what is on the disk.
 *
 * All functions, and the callbacks of the host, run on the dispatcher's thread.
 */
#ifndef WEIR_JOBS_ENGINE_ENGINE_H
#define WEIR_JOBS_ENGINE_ENGINE_H

#include "engine/op.h"
#include "weir/loop.h"

struct weir__engine;

/* The dispatcher, as an engine sees it. */
struct weir__engine_host {
    weir_loop *loop; /* of the dispatcher's thread */
    int64_t busy_ms;
    /* The store is open: status is 0; or it could not be opened. */
    void (*opened)(struct weir__engine_host *host, int status,
                   const char *reason);
    /* The list that was given to run is carried out. */
    void (*ran)(struct weir__engine_host *host, struct weir__op *first);
    /* The op that was given to renew is carried out. */
    void (*renewed)(struct weir__engine_host *host, struct weir__op *op);
    /* Another process may have changed a queue, or all if it is NULL. */
    void (*changed)(struct weir__engine_host *host, const char *queue);
    /* Schedules are due: run a list, even if there is nothing else to do. */
    void (*due)(struct weir__engine_host *host);
};

struct weir__engine_class {
    /* Open the store.  opened is called before or after the return; until then
     * there is no other call but close.  Returns NULL if it has failed before
     * the return. */
    struct weir__engine *(*open)(struct weir__engine_host *host,
                                 const char *path);
    /* Carry out a list.  ran is called before or after the return; until then
     * there is no other call of run. */
    void (*run)(struct weir__engine *engine, struct weir__op *first);
    /* Renew leases while a list may be running; renewed is called later.  NULL:
     * RENEW is part of a list. */
    void (*renew)(struct weir__engine *engine, struct weir__op *op);
    /* Close the store.  No callback of the host is called any more. */
    void (*close)(struct weir__engine *engine);
};

extern const struct weir__engine_class weir__sqlite_engine;
extern const struct weir__engine_class weir__postgres_engine;

#endif /* WEIR_JOBS_ENGINE_ENGINE_H */

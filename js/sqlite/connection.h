/* SPDX-License-Identifier: MIT */
/*
 * connection -- an open database, and who may use it when.
 *
 * Owner     The loop's thread, except while a job is under way (is_busy): then
 *           the job's thread is the only one that may call SQLite with it.
 * Life      Each object that needs the connection, and each job, has entered its
 *           gate.  The last exit, on any thread, closes what is still open and
 *           frees it: a job may outlast the host.
 * Doomed    A statement whose object dies while a job is under way waits in a
 *           list until the job returns.
 *
 * Only weir__js_connection_interrupt may be called while a job is under way.  The
 * lock protects `db` against a job that opens or closes it.  An interrupt has no
 * effect on a statement that begins later; one that begins after the host has
 * ended finds is_ended at its first progress check.
 */
#ifndef WEIR_JS_CONNECTION_H
#define WEIR_JS_CONNECTION_H

/* What sqlite3.h declares only on request; Debian's library has both. */
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

#include "core/host.h"
#include "weir/gate.h"
#include "weir/host/lock.h"

enum weir__js_connection_flags {
    WEIR__JS_READ_ONLY = 1,
    WEIR__JS_FOREIGN_KEYS = 2,
    WEIR__JS_DOUBLE_QUOTED = 4,
    WEIR__JS_EXTENSIONS = 8,
};

/* A statement or a session: the first member of its struct. */
struct weir__js_child {
    struct weir__js_link link; /* of the connection's children, or doomed */
    /* Release what SQLite has for it.  The connection's owner. */
    void (*end)(struct weir__js_child *child);
};

struct weir__js_connection {
    weir_gate references; /* any thread */
    weir_lock lock;
    sqlite3 *db;                    /* the owner; NULL: closed */
    bool is_ended;                  /* under the lock: the host has ended */
    weir_js *js;                    /* the rest: loop only */
    struct weir__js_link link;      /* of all connections of the host */
    struct weir__js_link children;  /* weir__js_child.link */
    struct weir__js_link doomed;    /* ... whose objects are gone */
    struct weir__js_link functions; /* weir__js_function.link */
    unsigned depth;                 /* calls of SQLite on the stack */
    bool is_busy;                   /* a job has it */
    bool has_thrown; /* a callback did; the exception is pending */
    bool is_quiet;   /* a statement is given up: call no function */
};

/* A function of JavaScript that SQL can call; function.c */
struct weir__js_function {
    struct weir__js_link link;
    struct weir__js_connection *connection;
    /* of a function: call; of an aggregate: start, step, result, inverse */
    JSValue call, start, step, result, inverse;
    bool is_big; /* integers are BigInts */
};

/* Create one, with nothing open, that one object has entered.  Returns NULL
 * with an exception. */
struct weir__js_connection *weir__js_connection_new(JSContext *context);

/* Throw unless the file, with these flags, is granted.  Returns whether it
 * is. */
bool weir__js_sqlite_check(JSContext *context, const char *path, int flags);

/* Before a database is opened in a confined process: let SQLite check each file
 * that it opens or deletes.  Returns false if there is no memory. */
bool weir__js_sqlite_is_safe(void);

/* Replace the name, from malloc, by what was checked.  Returns 0, or -1 with an
 * exception. */
int weir__js_sqlite_resolve(JSContext *context, char **path);

/* Open the database.  Returns a result code.  After an error `db` may be set,
 * and has the message.  The owner; is_here tells whether that is the loop's
 * thread. */
int weir__js_connection_open(struct weir__js_connection *connection,
                             const char *path, int flags, int timeout_ms,
                             bool is_here);

/* Close the database.  Its statements are finalized before, or are doomed.  The
 * owner. */
void weir__js_connection_shut(struct weir__js_connection *connection);

/* End all statements and sessions, and release the functions.  The
 * loop's thread, with no job under way. */
void weir__js_connection_strip(struct weir__js_connection *connection);

/* The job is over: finalize the statements that waited for it.  The loop's
 * thread. */
void weir__js_connection_returned(struct weir__js_connection *connection);

/* End the statement that is being executed with SQLITE_INTERRUPT.  The loop's
 * thread, even while a job is under way. */
void weir__js_connection_interrupt(struct weir__js_connection *connection);

/* Leave the connection, for an object or a job that has entered its gate. */
static inline void
weir__js_connection_exit(struct weir__js_connection *connection)
{
    weir_gate_exit(&connection->references);
}

/* The open connection behind an object, which this thread may use now; or NULL
 * with an exception. */
struct weir__js_connection *weir__js_connection_of(JSContext *context,
                                                   JSValueConst object);

/* The connection behind an object in any state, or NULL with an exception. */
struct weir__js_connection *weir__js_any_connection(JSContext *context,
                                                    JSValueConst object);

/* Make an object for a new connection and take it.  Returns an exception if
 * there is no memory. */
JSValue weir__js_connection_object(JSContext *context,
                                   struct weir__js_connection *connection);

/* What a failed call of SQLite throws: the exception of a callback, or the
 * connection's error.  Returns JS_EXCEPTION. */
JSValue weir__js_connection_failed(JSContext *context,
                                   struct weir__js_connection *connection);

/* Release the values and the struct, which is in no list.  In function.c. */
void weir__js_function_free(JSRuntime *runtime,
                            struct weir__js_function *function);

#endif /* WEIR_JS_CONNECTION_H */

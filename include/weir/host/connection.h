/* SPDX-License-Identifier: MIT */
/*
 * weir/host/connection.h -- the phase of a connection, which several threads
 * change.
 *
 * A server's loop serves a connection.  During a drain, the service's thread
 * closes idle connections, cuts the rest off at its deadline, and reports what
 * they are doing.  "A request begins" and "the drain closes the connection" are
 * two changes of one word, of which exactly one happens.
 *
 *            begin            dispatch          idle
 *     NEW ---------> READING ----------> BUSY --------> IDLE --+
 *      |                ^                 | upgrade            |
 *      |                +--------- begin -|--------------------+
 *      |                                  v                    |
 *      |                               UPGRADED                |
 *      +------------ close_idle, by any thread ----------------+--> CLOSING
 *
 *     static void on_notified(weir_connection *connection, unsigned what) ...
 *
 *     weir_connections_init(&set, loop);
 *     weir_connection_add(&set, &mine->connection, on_notified);
 *     if (!weir_connection_begin(&mine->connection)) ...    the drain was first
 *
 * The loop carries out the drain's close.  If it finds that bytes arrived
 * before that, it may revoke the close (weir_connection_reopen).
 *
 * Functions of a connection are called on the loop's thread, functions of the
 * set on any thread.
 */
#ifndef WEIR_HOST_CONNECTION_H
#define WEIR_HOST_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/export.h"
#include "weir/host/lock.h"
#include "weir/loop.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_connection_phase {
    WEIR_CONNECTION_NEW = 0,  /* no byte has arrived */
    WEIR_CONNECTION_IDLE,     /* between two requests */
    WEIR_CONNECTION_READING,  /* a part of a request has arrived */
    WEIR_CONNECTION_BUSY,     /* a request is being answered */
    WEIR_CONNECTION_UPGRADED, /* it speaks another protocol */
    WEIR_CONNECTION_CLOSING,  /* nothing that arrives now is executed */
} weir_connection_phase;

/* What a notification is about; a sum of these. */
enum weir_connection_notice {
    WEIR_CONNECTION_IS_CLOSING =
        1,                      /* the drain has closed it, as it was idle */
    WEIR_CONNECTION_IS_CUT = 2, /* the deadline has passed: end it now */
    /* The last use of the memory: weir_connection_remove returned false, and
     * the connection may be freed now. */
    WEIR_CONNECTION_IS_GONE = 4,
    WEIR_CONNECTION_IS_DRAINING = 8, /* the drain has begun */
};

typedef struct weir_connection weir_connection;

/* Called on the loop's thread, outside all locks. */
typedef void weir_connection_fn(weir_connection *connection, unsigned what);

/* The connections of one loop.  Open, so that it can be embedded; its members
 * are private. */
typedef struct weir_connections {
    weir_lock lock_;
    weir_loop *loop_;        /* const after init */
    weir_connection *first_; /* under the lock */
    bool is_draining_;       /* under the lock */
    bool is_cut_;            /* under the lock */
} weir_connections;

/* Open, so that it can be embedded; its members are private. */
struct weir_connection {
    struct {
        uint32_t v_;
    } word_;                         /* any thread, connection/P1 P2 */
    weir_connection *next_, **link_; /* under the lock */
    weir_connections *set_;          /* const after add */
    weir_connection_fn *notified_;   /* const after add */
    weir_task task_;                 /* the thread that notifies; the loop's */
};

/**
 * Initialize an empty set of connections.
 *
 * Thread   one, before other threads know the set
 */
WEIR_API void weir_connections_init(weir_connections *set, weir_loop *loop);

/**
 * Add a connection to a set, in the phase NEW.  If the drain has begun, the
 * connection is notified like the others.
 *
 * Thread   loop
 * Owns     the connection must remain until weir_connection_remove
 */
WEIR_API void weir_connection_add(weir_connections *set,
                                  weir_connection *connection,
                                  weir_connection_fn *notified);

/**
 * Remove a connection from its set.
 *
 * Thread   loop
 * Owns     true: the memory is the caller's.  false: a notification is pending;
 *          the memory is the caller's when WEIR_CONNECTION_IS_GONE arrives
 */
WEIR_API WEIR_CHECKED bool weir_connection_remove(weir_connection *connection);

/**
 * Begin a request, because its first byte has arrived.
 *
 * Thread   loop
 * Returns  true, or false if the connection is CLOSING: do not execute it
 */
WEIR_API WEIR_CHECKED bool weir_connection_begin(weir_connection *connection);

/**
 * Revoke a close by the drain, because bytes had arrived before it was carried
 * out.  The connection is IDLE again, and a request can begin.  In any phase
 * other than CLOSING, this has no effect.
 *
 * Thread   loop, before the owner has ended the connection in any way
 */
WEIR_API void weir_connection_reopen(weir_connection *connection);

/**
 * Enter BUSY, because the head of a request has arrived.  The function of
 * weir_connections_report can read what the caller wrote before this call,
 * until the next change of phase.
 *
 * Thread   loop
 */
WEIR_API void weir_connection_dispatch(weir_connection *connection);

/**
 * Enter IDLE, because a request was answered.  The call waits for a report that
 * is reading the connection.
 *
 * Thread   loop
 */
WEIR_API void weir_connection_idle(weir_connection *connection);

/**
 * Enter UPGRADED: from now on the connection does not carry requests.
 *
 * Thread   loop
 */
WEIR_API void weir_connection_upgrade(weir_connection *connection);

/**
 * Put a connection in CLOSING: its owner will not read another request.
 *
 * Thread   loop
 */
WEIR_API void weir_connection_close(weir_connection *connection);

/**
 * Test whether the drain has begun: the next response closes the connection.
 *
 * Thread   loop
 */
WEIR_API bool weir_connection_is_draining(const weir_connection *connection);

/**
 * Get the phase of a connection.
 *
 * Thread   loop
 */
WEIR_API weir_connection_phase
weir_connection_phase_of(const weir_connection *connection);

/**
 * Begin the drain of all connections of a set, and of those that are added
 * later.  Each one is notified (WEIR_CONNECTION_IS_DRAINING).
 *
 * Thread   any
 */
WEIR_API void weir_connections_drain(weir_connections *set);

/**
 * Close the connections of a set that are NEW or IDLE, and that already were at
 * the last call.  Each one is notified.  Call it periodically: an idle
 * connection has at least the time between two calls for its next request.
 *
 * Thread   any
 * Returns  the number of connections that were closed
 */
WEIR_API size_t weir_connections_close_idle(weir_connections *set);

/**
 * Cut off all connections of a set, in any phase, and those that are added
 * later.  Each one is notified.
 *
 * Thread   any
 * Returns  the number of connections that were not CLOSING
 */
WEIR_API size_t weir_connections_cut(weir_connections *set);

/* Called under the lock: it must not call back, allocate or wait.  If is_busy,
 * what the connection's owner wrote before weir_connection_dispatch can be
 * read. */
typedef void weir_connection_report_fn(void *arg, weir_connection *connection,
                                       weir_connection_phase phase,
                                       bool is_busy);

/**
 * Call fn for each connection of a set, the newest first.
 *
 * Thread   any
 */
WEIR_API void weir_connections_report(weir_connections *set,
                                      weir_connection_report_fn *fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_CONNECTION_H */

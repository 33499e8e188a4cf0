/* SPDX-License-Identifier: MIT */
/*
 * connection -- each connection is freed once, by its last user, and a request
 * begins or the drain closes, while threads close, cut and report.
 */
#include "weir/host/connection.h"

#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/suite.h"
#include "weir/loop.h"

enum { CONNECTIONS = 16, THREADS = 4 };

/* The loop is on thread 0; the others sweep. */
struct mine {
    weir_connection connection;
    struct round *round;
    unsigned index;
    int shown; /* plain: a report may read it while BUSY */
    bool is_gone;
};

struct round {
    weir_loop *loop;
    weir_connections set;
    struct mine *all[CONNECTIONS]; /* NULL: freed; the loop's thread's */
    unsigned left;                 /* the loop's thread's */
    unsigned freed;
    bool is_over; /* atomic */
};

static void free_mine(struct mine *mine)
{
    mine->round->freed++;
    mine->round->left--;
    mine->round->all[mine->index] = NULL;
    free(mine);
}

static void remove_mine(struct mine *mine)
{
    if (mine->is_gone)
        return;
    mine->is_gone = true;
    if (weir_connection_remove(&mine->connection))
        free_mine(mine);
}

static void on_notified(weir_connection *connection, unsigned what)
{
    struct mine *mine = (struct mine *)connection;

    if (what & WEIR_CONNECTION_IS_GONE)
        free_mine(mine);
    else if (what & (WEIR_CONNECTION_IS_CLOSING | WEIR_CONNECTION_IS_CUT))
        remove_mine(mine);
}

static void serve(struct mine *mine)
{
    if (mine == NULL || mine->is_gone)
        return;
    if (!weir_connection_begin(&mine->connection))
        return; /* a notification is on its way */
    mine->shown++;
    weir_connection_dispatch(&mine->connection);
    weir_connection_idle(&mine->connection);
    mine->shown++;
}

/* Serve each connection once in a turn, until all of them are gone. */
static void run_turn(void *arg, int status)
{
    struct round *round = arg;

    for (unsigned i = 0; i < CONNECTIONS; i++)
        serve(round->all[i]);
    if (round->left > 0)
        expect_status(weir_loop_submit(round->loop, run_turn, round), 0);
}

static void look(void *arg, weir_connection *connection,
                 weir_connection_phase phase, bool is_busy)
{
    if (is_busy) /* odd: between the two increments */
        expect_int(((struct mine *)connection)->shown % 2, 1);
}

static void member(struct crew *crew, unsigned id)
{
    struct round *round = crew->context;

    if (id == 0) {
        for (unsigned i = 0; i < CONNECTIONS; i++) {
            struct mine *mine = calloc(1, sizeof(*mine));

            mine->round = round;
            mine->index = i;
            round->all[i] = mine;
            round->left++;
            weir_connection_add(&round->set, &mine->connection, on_notified);
        }
        expect_status(weir_loop_submit(round->loop, run_turn, round), 0);
        expect_status(weir_loop_run(round->loop, WEIR_RUN_UNTIL_IDLE), 0);
        __atomic_store_n(&round->is_over, true, __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; !__atomic_load_n(&round->is_over, __ATOMIC_RELAXED);
         i++) {
        if (id == 1)
            (void)weir_connections_close_idle(&round->set);
        else if (id == 2)
            weir_connections_report(&round->set, look, NULL);
        else if (i == 0)
            weir_connections_drain(&round->set);
        else if (i == 50)
            (void)weir_connections_cut(&round->set);
    }
}

STRESS_CASE(connections_are_freed_once_while_threads_close_cut_and_report)
{
    struct effort effort = effort_begin(2);

    while (effort_goes_on(&effort)) {
        struct round round = {.left = 0};

        expect_status(weir_loop_new(&round.loop, NULL), 0);
        weir_connections_init(&round.set, round.loop);
        crew_run(THREADS, member, &round);
        expect_int(round.freed, CONNECTIONS);
        expect_status(weir_loop_free(round.loop), 0);
    }
}

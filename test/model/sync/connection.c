/* SPDX-License-Identifier: MIT */
/*
 * connection -- a request begins or the drain closes the connection, never both;
 * the memory goes with its last user; a report reads what is not changing.
 */
#include "weir/host/connection.h"
#include "base/atomic.h"
#include "base/memory.h"
#include "model.h"
#include "weir/loop.h"

struct mine {
    weir_connection connection;
    int shown; /* the loop's thread's, and the report's while BUSY */
};

static weir_loop *loop;
static weir_connections set;
static struct mine *mine;
static bool has_begun, is_closed, is_cut, is_draining, is_freed;
static size_t closed_count, cut_count;
static int seen;

static void free_mine(void)
{
    model_assert(!is_freed);
    is_freed = true;
    weir__memory_free(mine, sizeof(*mine));
}

static void end(void)
{
    if (weir_connection_remove(&mine->connection))
        free_mine();
}

static void on_notified(weir_connection *connection, unsigned what)
{
    if (what & WEIR_CONNECTION_IS_GONE) {
        free_mine();
        return;
    }
    is_draining = is_draining || what & WEIR_CONNECTION_IS_DRAINING;
    is_closed = is_closed || what & WEIR_CONNECTION_IS_CLOSING;
    if (what & WEIR_CONNECTION_IS_CUT)
        is_cut = true;
    if (is_closed || is_cut)
        end();
}

static void init(void)
{
    model_assert(weir_loop_new(&loop, NULL) == 0);
    weir_connections_init(&set, loop);
    mine = weir__memory_alloc(sizeof(*mine), _Alignof(struct mine));
    plain_store(&mine->shown, 0);
    weir_connection_add(&set, &mine->connection, on_notified);
    model_assert(weir_connections_close_idle(&set) == 0); /* it is fresh */
}

static void init_busy(void)
{
    init();
    model_assert(weir_connection_begin(&mine->connection));
    plain_store(&mine->shown, 7);
    weir_connection_dispatch(&mine->connection);
}

/* ---- the loop's thread ---- */

static void on_bytes(void *arg, int status)
{
    if (is_freed || is_closed)
        return;
    has_begun = weir_connection_begin(&mine->connection);
    if (!has_begun)
        return;
    plain_store(&mine->shown, 7);
    weir_connection_dispatch(&mine->connection);
}

/* Bytes have arrived before the close was carried out. */
static void on_early_bytes(void *arg, int status)
{
    if (is_freed || is_closed || is_cut)
        return;
    has_begun = weir_connection_begin(&mine->connection);
    if (!has_begun) {
        weir_connection_reopen(&mine->connection);
        has_begun = weir_connection_begin(&mine->connection);
    }
    model_assert(has_begun);
    weir_connection_dispatch(&mine->connection);
}

static void on_hang_up(void *arg, int status)
{
    if (!is_freed && !is_closed && !is_cut) {
        is_closed = true;
        end();
    }
}

static void on_answered(void *arg, int status)
{
    if (is_freed || is_cut)
        return;
    weir_connection_idle(&mine->connection);
    plain_store(&mine->shown, 8);
}

static void run_with(weir_fn *fn)
{
    model_assert(weir_loop_submit(loop, fn, NULL) == 0);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void receive(void)
{
    run_with(on_bytes);
}

static void receive_early(void)
{
    run_with(on_early_bytes);
}

static void hang_up(void)
{
    run_with(on_hang_up);
}

static void answer(void)
{
    run_with(on_answered);
}

/* ---- other threads ---- */

static void drain(void)
{
    weir_connections_drain(&set);
}

static void close_idle(void)
{
    closed_count = weir_connections_close_idle(&set);
}

static void cut(void)
{
    cut_count = weir_connections_cut(&set);
}

static void look(void *arg, weir_connection *connection,
                 weir_connection_phase phase, bool is_busy)
{
    if (is_busy)
        seen = plain_load(&((struct mine *)connection)->shown);
}

static void report(void)
{
    weir_connections_report(&set, look, NULL);
}

/* ---- what must hold ---- */

/* Handle what was posted after the loop's thread had gone. */
static void settle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void finish(void)
{
    if (!is_freed)
        end();
    settle();
    model_assert(is_freed);
    model_assert(weir_loop_free(loop) == 0);
}

static void begun_or_closed(void)
{
    settle();
    model_assert(has_begun != (closed_count == 1));
    model_assert(is_closed == (closed_count == 1));
    finish();
}

static void begun_if_not_closed(void)
{
    settle();
    model_assert(has_begun != is_closed);
    model_assert(has_begun || closed_count == 1);
    finish();
}

static void reopened_or_cut(void)
{
    settle();
    model_assert(is_freed && (is_cut || is_closed) && cut_count <= 1);
    finish();
}

static void closed_once(void)
{
    settle();
    model_assert(is_closed && is_freed);
    finish();
}

static void cut_off(void)
{
    settle();
    model_assert(is_cut && is_freed && cut_count == 1);
    finish();
}

/* The drain may have closed it before the deadline came. */
static void cut_or_closed(void)
{
    settle();
    model_assert(is_freed && is_cut + closed_count >= 1);
    model_assert(cut_count + closed_count >= 1 && !(has_begun && closed_count));
    finish();
}

static void saw_nothing_or_all(void)
{
    settle();
    model_assert(seen == 0 || seen == 7);
    finish();
}

static void all_told(void)
{
    settle();
    model_assert(is_draining || is_closed);
    model_assert(has_begun != (closed_count == 1));
    finish();
}

static const struct model_case cases[] = {
    {"request_begins_or_drain_closes", .setup = init, .finish = begun_or_closed,
     .preemption_bound = 3, .threads = {T(receive), T(close_idle)}},
    {"request_that_was_first_reopens", .setup = init,
     .finish = begun_if_not_closed, .preemption_bound = 3,
     .threads = {T(receive_early), T(close_idle)}},
    {"deadline_while_request_reopens", .setup = init, .finish = reopened_or_cut,
     .preemption_bound = 2,
     .threads = {T(receive_early), T(close_idle), T(cut)}},
    {"peer_closes_while_drain_closes", .setup = init, .finish = closed_once,
     .preemption_bound = 3, .threads = {T(hang_up), T(close_idle)}},
    {"deadline_while_request_begins", .setup = init, .finish = cut_off,
     .preemption_bound = 3, .threads = {T(receive), T(cut)}},
    {"deadline_while_request_ends", .setup = init_busy, .finish = cut_off,
     .preemption_bound = 3, .threads = {T(answer), T(cut)}},
    {"force_while_drain_closes_and_request_begins", .setup = init,
     .finish = cut_or_closed, .preemption_bound = 2,
     .threads = {T(receive), T(close_idle), T(cut)}},
    {"report_while_request_ends", .setup = init_busy,
     .finish = saw_nothing_or_all, .preemption_bound = 3,
     .threads = {T(answer), T(report)}},
    {"two_reports_while_request_ends", .setup = init_busy,
     .finish = saw_nothing_or_all, .preemption_bound = 2,
     .threads = {T(answer), T(report), T(report)}},
    {"report_while_request_begins", .setup = init, .finish = saw_nothing_or_all,
     .preemption_bound = 3, .threads = {T(receive), T(report)}},
    {"drain_begins_and_closes_while_request_begins", .setup = init,
     .finish = all_told, .preemption_bound = 2,
     .threads = {T(receive), T(drain), T(close_idle)}},
};

MODEL_CASES(cases)

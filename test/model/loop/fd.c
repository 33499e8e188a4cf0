/* SPDX-License-Identifier: MIT */
/*
 * fd -- a descriptor that is removed on one thread while its callback is about
 * to run on another.
 */
#include "weir/fd.h"

#include <errno.h>

#include "model.h"
#include "readiness.h"
#include "weir/loop.h"

static weir_loop *loop;
static int object; /* what arg stands for */
static int called; /* the loop's thread's */
static int removed;
static int canceled;

static void on_ready(void *arg, int status, int fd, unsigned events)
{
    model_assert(!removed && !canceled);
    plain_store(&object, plain_load(&object) + 1);
    if (status == 0) {
        called++;
        readiness_clear(fd);
    } else {
        canceled++;
    }
}

static void on_removed(void *arg, int status)
{
    model_assert(!removed);
    removed = 1;
    plain_store(&object, -1); /* nobody uses it any more */
}

static void make(void)
{
    model_assert(weir_loop_new(&loop, NULL) == 0);
    weir_loop_ref(loop);
}

static void init_ready(void)
{
    make();
    readiness_set(0);
    model_assert(weir_fd_add(loop, 0, WEIR_FD_READABLE, on_ready, NULL) == 0);
}

static void run_until_idle(void)
{
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
}

static void remove_and_let_go(void)
{
    model_assert(weir_fd_remove(loop, 0, on_removed, NULL) == 0);
    weir_loop_unref(loop);
}

static void was_removed(void)
{
    model_assert(removed == 1 && called <= 1 && canceled == 0);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* ---- add while the loop sleeps ---- */

static void on_added(void *arg, int status, int fd, unsigned events)
{
    model_assert(status == 0);
    model_assert(plain_load(&object) == 1);
    called++;
    model_assert(weir_fd_remove(loop, fd, on_removed, NULL) == 0);
}

static void add_and_let_go(void)
{
    plain_store(&object, 1);
    model_assert(weir_fd_add(loop, 0, WEIR_FD_READABLE, on_added, NULL) == 0);
    weir_loop_unref(loop);
}

static void init_to_add(void)
{
    make();
    readiness_set(0);
}

static void was_called(void)
{
    model_assert(called == 1 && removed == 1);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* ---- what the loop reads comes with the word, whoever wrote it last ---- */

/* There is a slot that was used before: no order that brings a new one helps.
 * */
static void init_used_slot(void)
{
    make();
    model_assert(weir_fd_add(loop, 1, 0, on_added, NULL) == 0);
    model_assert(weir_fd_remove(loop, 1, NULL, NULL) == 0);
    weir_loop_unref(loop);
    model_assert(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) == 0);
    weir_loop_ref(loop);
    model_assert(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS) == 0);
    readiness_set(0);
    readiness_hide_order();
}

static void add(void)
{
    plain_store(&object, 1);
    model_assert(weir_fd_add(loop, 0, WEIR_FD_READABLE, on_added, NULL) == 0);
}

/* on_added may have removed it. */
static void was(int err, int expected)
{
    model_assert(err == expected || err == -ENOENT);
}

static void add_modify_and_let_go(void)
{
    add();
    was(weir_fd_modify(loop, 0, WEIR_FD_READABLE | WEIR_FD_PRIORITY), 0);
    weir_loop_unref(loop);
}

static void add_fail_to_modify_and_let_go(void)
{
    add();
    was(weir_fd_modify(loop, 0, WEIR_FD_READABLE | WEIR_FD_EDGE), -ENOTSUP);
    weir_loop_unref(loop);
}

static void add_unref_ref_and_let_go(void)
{
    add();
    was(weir_fd_unref(loop, 0), 0);
    was(weir_fd_ref(loop, 0), 0);
    weir_loop_unref(loop);
}

/* ---- closed before it is removed, and still reported ---- */

static unsigned ghosts_before; /* reported before the loop knew */

/* Does not read, or not at once: it must come to an end. */
static void on_lost(void *arg, int status, int fd, unsigned events)
{
    model_assert(!removed);
    if (++called == 2)
        readiness_clear(fd);
}

static void on_lost_removed(void *arg, int status)
{
    on_removed(arg, status);
    ghosts_before = readiness_ghosts();
}

/* Always in the poller. */
static void init_lost(void)
{
    make();
    model_assert(weir_loop_set_fd_mode(loop, WEIR_FD_MODE_ALWAYS) == 0);
    readiness_set(0);
    model_assert(weir_fd_add(loop, 0, WEIR_FD_READABLE, on_lost, NULL) == 0);
}

static void close_remove_and_let_go(void)
{
    readiness_close(0);
    model_assert(weir_fd_remove(loop, 0, on_lost_removed, NULL) == 0);
    weir_loop_unref(loop);
}

/* However long the other thread took to let go. */
static void was_reported_once_more_at_most(void)
{
    model_assert(removed == 1 && readiness_ghosts() <= ghosts_before + 1);
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

/* ---- the loop closes meanwhile ---- */

static int err_of_remove;

static void try_remove_and_let_go(void)
{
    err_of_remove = weir_fd_remove(loop, 0, on_removed, NULL);
    model_assert(err_of_remove == 0 || err_of_remove == -ENOENT);
    weir_loop_unref(loop);
}

static void close_it(void)
{
    model_assert(weir_loop_close(loop, -1) == 0);
}

static void run_until_closed(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    model_assert(err == 0 || err == WEIR_ECLOSED || err == -EBUSY);
}

static void one_last_word(void)
{
    model_assert(removed == (err_of_remove == 0));
    model_assert(canceled == (err_of_remove != 0));
    model_assert(weir_loop_free(loop) == 0);
    loop = NULL;
}

static const struct model_case cases[] = {
    {"remove_against_dispatch", .setup = init_ready, .finish = was_removed,
     .preemption_bound = 3, .brief_bound = 2,
     .threads = {T(remove_and_let_go), T(run_until_idle)}},
    {"add_to_a_sleeping_loop_is_seen", .setup = init_to_add,
     .finish = was_called, .preemption_bound = 3, .brief_bound = 2,
     .threads = {T(add_and_let_go), T(run_until_idle)}},
    {"add_hands_over_the_slot", .setup = init_used_slot, .finish = was_called,
     .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(add_and_let_go), T(run_until_idle)}},
    {"modify_hands_over_what_add_wrote", .setup = init_used_slot,
     .finish = was_called, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(add_modify_and_let_go), T(run_until_idle)}},
    {"modify_that_fails_hands_over_what_add_wrote", .setup = init_used_slot,
     .finish = was_called, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(add_fail_to_modify_and_let_go), T(run_until_idle)}},
    {"ref_hands_over_what_add_wrote", .setup = init_used_slot,
     .finish = was_called, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(add_unref_ref_and_let_go), T(run_until_idle)}},
    {"remove_of_a_closed_one_ends_its_events", .setup = init_lost,
     .finish = was_reported_once_more_at_most, .preemption_bound = 2,
     .brief_bound = 1,
     .threads = {T(close_remove_and_let_go), T(run_until_idle)}},
    {"remove_against_close", .setup = init_ready, .finish = one_last_word,
     .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(try_remove_and_let_go), T(close_it), T(run_until_closed)}},
};

MODEL_CASES(cases)

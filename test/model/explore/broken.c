/* SPDX-License-Identifier: MIT */
/*
 * broken -- code that is wrong, which the explorer must catch.
 *
 * The first is the program that weir began with (seed 000), operation by
 * operation.  The others are the mistakes that its sleeping protocol is most
 * often written with, one that the pool was once made with, and the two steps in
 * which servers close idle connections.
 */
#include <stdio.h>

#include "base/futex.h"
#include "base/lock.h"
#include "base/thread.h"
#include "model.h"
#include "spare.h"

#define SC __ATOMIC_SEQ_CST

/* --- the seed's AtomicService: state and count in two words --------------- */

enum { INIT, RUNNING, DRAINING, CLOSED };

static atomic(int) state, active;

static void show_state(char *text, size_t size, uint64_t value)
{
    static const char *const names[] = {"INIT", "RUNNING", "DRAINING",
                                        "CLOSED"};

    snprintf(text, size, "%s", value < 4 ? names[value] : "?");
}

static bool change_state(int from, int to)
{
    return ATOMIC_CAS(&state, &from, to, false, SC, SC);
}

static void service_start(void)
{
    model_show(&state, "state", show_state);
    model_show(&active, "active", NULL);
    model_assert(change_state(INIT, RUNNING));
}

static void service_close(void)
{
    if (change_state(DRAINING, CLOSED))
        weir__futex_wake_all(&state, WEIR__FUTEX_SHARED);
}

static bool service_try_enter(void)
{
    if (ATOMIC_LOAD(&state, SC) != RUNNING)
        return false;
    ATOMIC_ADD(&active, 1, SC);
    if (ATOMIC_LOAD(&state, SC) != RUNNING) {
        ATOMIC_SUB(&active, 1, SC);
        return false;
    }
    return true;
}

static void service_exit(void)
{
    int remaining = ATOMIC_SUB(&active, 1, SC) - 1;

    if (remaining == 0 && ATOMIC_LOAD(&state, SC) == DRAINING)
        service_close();
}

static void service_drain(void)
{
    if (change_state(RUNNING, DRAINING))
        if (ATOMIC_LOAD(&active, SC) == 0)
            service_close();
}

static void service_await_closed(void)
{
    int seen;

    while ((seen = ATOMIC_LOAD(&state, SC)) != CLOSED)
        weir__futex_wait(&state, (uint32_t)seen, -1, WEIR__FUTEX_SHARED);
}

static void worker(void)
{
    if (service_try_enter())
        service_exit();
}

static void main_thread(void)
{
    service_drain();
    service_await_closed();
}

/* --- check, then sleep -----------------------------------------------------
 */

static atomic(int) queued, sleeping;

static bool work_left(void)
{
    return queued.v_ != 0;
}

static void take(void)
{
    (void)ATOMIC_SWAP(&queued, 0, SC);
}

static void sleep_now(void)
{
    weir__futex_wait(&sleeping, 1, -1, WEIR__FUTEX_PRIVATE);
}

static void wake_now(void)
{
    ATOMIC_STORE(&sleeping, 0, SC);
    weir__futex_wake_one(&sleeping, WEIR__FUTEX_PRIVATE);
}

static void produce(void)
{
    ATOMIC_STORE(&queued, 1, SC);
    if (ATOMIC_LOAD(&sleeping, SC) != 0)
        wake_now();
}

/* Right: announces the sleep, and looks again. */
static void consume(void)
{
    if (ATOMIC_LOAD(&queued, SC) == 0) {
        ATOMIC_STORE(&sleeping, 1, SC);
        if (ATOMIC_LOAD(&queued, SC) == 0)
            sleep_now();
    }
    take();
}

/* Wrong: work that comes between the look and the announcement is missed. */
static void consume_without_second_look(void)
{
    if (ATOMIC_LOAD(&queued, SC) == 0) {
        ATOMIC_STORE(&sleeping, 1, SC);
        sleep_now();
    }
    take();
}

/* Wrong: each load may pass its own thread's store. */
static void produce_acq_rel(void)
{
    ATOMIC_STORE(&queued, 1, __ATOMIC_RELEASE);
    if (ATOMIC_LOAD(&sleeping, __ATOMIC_ACQUIRE) != 0)
        wake_now();
}

static void consume_acq_rel(void)
{
    if (ATOMIC_LOAD(&queued, __ATOMIC_ACQUIRE) == 0) {
        ATOMIC_STORE(&sleeping, 1, __ATOMIC_RELEASE);
        if (ATOMIC_LOAD(&queued, __ATOMIC_ACQUIRE) == 0)
            sleep_now();
    }
    take();
}

/* --- SLEEPING stored instead of CASed, over the end ------------------------
 */

enum { AWAKE, ASLEEP, ENDING };

static atomic(int) phase;

static void loop_that_stores(void)
{
    if (ATOMIC_LOAD(&phase, SC) != ENDING) {
        ATOMIC_STORE(&phase, ASLEEP, SC);
        weir__futex_wait(&phase, ASLEEP, -1, WEIR__FUTEX_PRIVATE);
    }
}

static void loop_that_swaps(void)
{
    int seen = AWAKE;

    if (ATOMIC_CAS(&phase, &seen, ASLEEP, false, SC, SC))
        weir__futex_wait(&phase, ASLEEP, -1, WEIR__FUTEX_PRIVATE);
}

static void end(void)
{
    if (ATOMIC_SWAP(&phase, ENDING, SC) == ASLEEP)
        weir__futex_wake_one(&phase, WEIR__FUTEX_PRIVATE);
}

/* --- a place for one thread after another ----------------------------------
 *
 * Not declared as plain accesses: what comes of the race is to be seen.
 */

static struct place {
    struct weir__lock lock;
    bool is_used; /* under lock */
    bool is_joinable;
    struct weir__thread thread;
} place;

static atomic(int) users;

static void init_place(void)
{
    weir__lock_init(&place.lock);
    model_spares(2, 2);
}

static bool claim_place(void)
{
    bool is_free;

    weir__lock_lock(&place.lock);
    is_free = !place.is_used;
    place.is_used = true;
    weir__lock_unlock(&place.lock);
    return is_free;
}

static void leave_place(void *arg)
{
    weir__lock_lock(&place.lock);
    place.is_used = false;
    weir__lock_unlock(&place.lock);
}

static void join_last(void)
{
    if (place.is_joinable)
        weir__thread_join(&place.thread);
    place.is_joinable = false;
}

/* Of two; then those that wait for a body go. */
static void count_user(void)
{
    if (ATOMIC_ADD(&users, 1, SC) == 1)
        model_spares_end();
}

/* Wrong: by now the thread may be over, and its place another's. */
static void use_place_and_publish(void)
{
    struct weir__thread thread;

    if (claim_place()) {
        join_last();
        if (weir__thread_start(&thread, leave_place, NULL) == 0) {
            place.thread = thread;
            place.is_joinable = true;
        }
    }
    count_user();
}

static void name_itself_and_leave(void *arg)
{
    place.thread = weir__thread_current();
    place.is_joinable = true;
    leave_place(arg);
}

/* Right: the place is the new thread's until it leaves. */
static void use_place(void)
{
    struct weir__thread thread;

    if (claim_place()) {
        join_last();
        model_assert(weir__thread_start(&thread, name_itself_and_leave, NULL) ==
                     0);
    }
    count_user();
}

static void each_is_joined(void)
{
    join_last();
    model_assert(model_spares_are_joined());
}

/* --- a connection whose phase is looked at, and then stored ---------------- */

enum { CONNECTION_IDLE, CONNECTION_READING, CONNECTION_CLOSING };

static atomic(int) connection;
static bool has_begun, is_drained;

/* Wrong: the other side may have come between. */
static void begin_request(void)
{
    if (ATOMIC_LOAD(&connection, SC) == CONNECTION_IDLE) {
        ATOMIC_STORE(&connection, CONNECTION_READING, SC);
        has_begun = true;
    }
}

static void drain_connection(void)
{
    if (ATOMIC_LOAD(&connection, SC) == CONNECTION_IDLE) {
        ATOMIC_STORE(&connection, CONNECTION_CLOSING, SC);
        is_drained = true;
    }
}

/* Right: the look and the change are one step. */
static void begin_request_by_cas(void)
{
    int seen = CONNECTION_IDLE;

    has_begun =
        ATOMIC_CAS(&connection, &seen, CONNECTION_READING, false, SC, SC);
}

static void drain_connection_by_cas(void)
{
    int seen = CONNECTION_IDLE;

    is_drained =
        ATOMIC_CAS(&connection, &seen, CONNECTION_CLOSING, false, SC, SC);
}

static void one_has_won(void)
{
    model_assert(has_begun != is_drained);
}

static const struct model_case cases[] = {
    {"connection_that_is_looked_at_first_loses_a_request",
     .finish = one_has_won, .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(begin_request), T(drain_connection)}},
    {"connection_that_is_swapped_is_right", .finish = one_has_won,
     .threads = {T(begin_request_by_cas), T(drain_connection_by_cas)}},
    {"seed_service_gets_stuck_draining", .setup = service_start,
     .threads = {T(worker), T(main_thread)}, .shortest = true,
     .expect = MODEL_DEADLOCK},
    {"seed_service_gets_stuck_with_three_workers", .setup = service_start,
     .threads = {T(worker), T(worker), T(worker), T(main_thread)},
     .expect = MODEL_DEADLOCK},
    {"check_then_sleep_is_right_with_seq_cst", .work_left = work_left,
     .threads = {T(consume), T(produce)}},
    {"check_then_sleep_without_second_look_loses_a_wake",
     .work_left = work_left, .shortest = true,
     .threads = {T(consume_without_second_look), T(produce)},
     .expect = MODEL_LOST_WAKE},
    {"check_then_sleep_with_acq_rel_loses_a_wake", .work_left = work_left,
     .shortest = true, .threads = {T(consume_acq_rel), T(produce_acq_rel)},
     .expect = MODEL_LOST_WAKE},
    {"sleeping_stored_over_the_end_is_stuck", .shortest = true,
     .threads = {T(loop_that_stores), T(end)}, .expect = MODEL_DEADLOCK},
    {"sleeping_swapped_in_is_right", .threads = {T(loop_that_swaps), T(end)}},
    {"thread_published_by_its_creator_is_never_joined", .setup = init_place,
     .finish = each_is_joined, .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(use_place_and_publish), T(use_place_and_publish),
                 T(model_spare), T(model_spare)}},
    {"thread_that_names_itself_is_joined", .setup = init_place,
     .finish = each_is_joined,
     .threads = {T(use_place), T(use_place), T(model_spare), T(model_spare)}},
};

MODEL_CASES(cases)

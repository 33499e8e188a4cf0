/* SPDX-License-Identifier: MIT */
/*
 * schedule -- see schedule.h.
 */
#include "schedule.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint.h"
#include "fiber.h"
#include "policy.h"
#include "race.h"
#include "real.h"

enum { UNOPPOSED = 200 }; /* steps without a choice that count as one */
enum status { READY, WAITING, POLLING, JOINING, ENDED };

struct thread {
    enum status status;
    bool is_host, is_starting;
    unsigned starter;
    struct fiber fiber;
    pthread_t handle;
    struct footprint print; /* of the step that it makes when it is chosen */
    const void *word;       /* WAITING */
    uint64_t turn;          /* ... since when */
    bool is_woken, is_yielding;
    struct pollfd *entries; /* POLLING */
    nfds_t count;
    int64_t deadline_ns; /* WAITING, POLLING; -1: none */
    unsigned other;      /* JOINING */
    void *(*body)(void *);
    void *arg, *result;
};

static struct exchange *exchange; /* NULL: nothing is explored */
static struct thread thread[THREADS];
static unsigned current;
static struct node *node; /* of the current step, or NULL */
static struct footprint print;
static struct footprint asleep[THREADS];
static uint32_t asleep_set;
static const int64_t BEGIN_NS = INT64_C(1000000000);
static int64_t now_ns = BEGIN_NS;
static uint64_t turns;
static unsigned cost;      /* preemptions of the nodes so far */
static unsigned unopposed; /* steps since the last node */
static void (*describe_deadlock)(struct exchange *exchange);
static void (*describe_time)(unsigned thread, int64_t since_begin_ns);

/* --- the end of an execution ------------------------------------------------- */

_Noreturn static void leave(void)
{
    exchange->is_ended = true;
    checkpoint_go_back();
    _exit(0);
}

_Noreturn void schedule_end(int status)
{
    fflush(NULL);
    exchange->status = status;
    if (status != 0)
        exchange->finding = FOUND_FAILURE;
    leave();
}

_Noreturn void schedule_fail(enum finding finding, const char *format, ...)
{
    va_list list;

    exchange->finding = finding;
    va_start(list, format);
    vsnprintf(exchange->text, sizeof(exchange->text), format, list);
    va_end(list);
    fflush(NULL);
    if (describe_deadlock != NULL)
        describe_deadlock(exchange);
    leave();
}

void schedule_on_deadlock(void (*describe)(struct exchange *exchange))
{
    describe_deadlock = describe;
}

void schedule_on_time(void (*note)(unsigned thread, int64_t since_begin_ns))
{
    describe_time = note;
}

bool schedule_is_waiting(unsigned index)
{
    return thread[index].is_host &&
           (thread[index].status == WAITING || thread[index].status == POLLING);
}

/* --- which threads can go on ------------------------------------------------- */

static bool is_ready(const struct thread *t)
{
    switch (t->status) {
    case READY:
        return true;
    case WAITING:
        return t->is_woken;
    case POLLING:
        return real_poll(t->entries, t->count, 0) > 0;
    case JOINING:
        return thread[t->other].status == ENDED;
    default:
        return false;
    }
}

static bool has_timer(const struct thread *t)
{
    return (t->status == WAITING || t->status == POLLING) &&
           t->deadline_ns >= 0;
}

static uint32_t find_enabled(uint32_t *late)
{
    uint32_t enabled = 0, yielding = 0;

    *late = 0;
    for (unsigned i = 0; i < exchange->threads; i++) {
        uint32_t bit = UINT32_C(1) << i;

        if (is_ready(&thread[i]) && !thread[i].is_yielding)
            enabled |= bit;
        else if (is_ready(&thread[i]))
            yielding |= bit;
        else if (has_timer(&thread[i]))
            *late |= bit;
    }
    enabled |= *late;
    return enabled != 0 ? enabled : yielding;
}

/* --- choosing ----------------------------------------------------------------- */

static bool is_independent(const struct footprint *a, const struct footprint *b)
{
    return a->block != 0 && b->block != 0 &&
           (a->block != b->block || a->offset / 8 != b->offset / 8 ||
            (!a->writes && !b->writes));
}

/* The step that ends here wakes up those of the sleep set that depend on it. */
static void end_step(void)
{
    if (node != NULL)
        node->print = print;
    node = NULL;
    for (unsigned i = 0; i < THREADS; i++)
        if ((asleep_set >> i & 1) != 0 && !is_independent(&asleep[i], &print))
            asleep_set &= ~(UINT32_C(1) << i);
}

static unsigned pick_first(uint32_t enabled, uint32_t late)
{
    uint32_t prompt = enabled & ~late;
    unsigned best = 0;
    int64_t earliest = INT64_MAX;

    if ((prompt >> current & 1) != 0)
        return current;
    if (prompt != 0)
        return (unsigned)__builtin_ctz(prompt);
    for (unsigned i = 0; i < exchange->threads; i++)
        if ((enabled >> i & 1) != 0 && thread[i].deadline_ns < earliest) {
            earliest = thread[i].deadline_ns;
            best = i;
        }
    return best;
}

/* A thread that nobody can interrupt makes no choices, but may go on forever. */
static unsigned pick_only(uint32_t enabled)
{
    if (++unopposed / UNOPPOSED == exchange->limit)
        schedule_fail(FOUND_LIVELOCK, "no end after %u steps of one thread",
                      unopposed);
    return (unsigned)__builtin_ctz(enabled);
}

/* A new node.  Returns whether its pick is prescribed. */
static bool begin_node(uint32_t enabled, uint32_t late, bool is_number)
{
    if (exchange->nodes == exchange->limit || exchange->nodes == NODES)
        schedule_fail(FOUND_LIVELOCK, "no end after %u choices",
                      exchange->nodes);
    node = &exchange->node[exchange->nodes++];
    *node = (struct node){.enabled = enabled,
                          .late = late,
                          .is_number = is_number,
                          .before = (uint8_t)current};
    if (!is_number)
        node->first = (uint8_t)pick_first(enabled, late);
    return exchange->nodes <= exchange->prescribed;
}

/* The sleep set at the last prescribed node is the search's. */
static void set_asleep(void)
{
    memcpy(asleep, exchange->asleep, sizeof(asleep));
    asleep_set = exchange->asleep_set;
    node->asleep = asleep_set;
}

/* Whether the search will come back to this node, where the pick is free. */
static bool has_alternatives(void)
{
    unsigned count = 0;

    if (node->is_number)
        return true;
    for (unsigned t = 0; t < exchange->threads; t++)
        count += ((node->enabled & ~asleep_set) >> t & 1) != 0 &&
                 (exchange->most < 0 ||
                  cost + policy_cost(node, t) <= (unsigned)exchange->most);
    return count > 1;
}

/* The pick, which must be possible.  Checkpoints go on here. */
static unsigned make_pick(bool is_prescribed)
{
    unsigned most = node->is_number ? node->enabled : THREADS;
    unsigned depth = exchange->nodes;

    if (checkpoint_is_wanted() &&
        (!exchange->makes_all || (!is_prescribed && has_alternatives())) &&
        checkpoint_make(node)) {
        set_asleep();
        node->pick = exchange->pick;
    } else if (is_prescribed) {
        if (depth == exchange->prescribed)
            set_asleep();
        node->pick = exchange->picks[depth - 1];
    } else {
        node->pick =
            (uint8_t)policy_pick(exchange, node, depth, exchange->operations);
    }
    if (node->pick >= most ||
        (!node->is_number && (node->enabled >> node->pick & 1) == 0))
        schedule_fail(DIFFERENT, "the schedule is one of another program");
    cost += policy_cost(node, node->pick);
    return node->pick;
}

static unsigned choose_thread(void)
{
    uint32_t late, enabled = find_enabled(&late);
    bool is_prescribed;

    end_step();
    if (enabled == 0)
        schedule_fail(FOUND_DEADLOCK, "no thread can go on");
    if ((enabled & ~asleep_set) == 0) {
        exchange->is_pruned = true;
        leave();
    }
    if ((enabled & (enabled - 1)) == 0) /* there is nothing to choose */
        return pick_only(enabled);
    unopposed = 0;
    is_prescribed = begin_node(enabled, late, false);
    node->asleep = asleep_set;
    return make_pick(is_prescribed);
}

unsigned schedule_choose(unsigned count)
{
    bool is_prescribed;

    if (count > 200)
        schedule_fail(REFUSED, "choose() with more than 200 numbers");
    schedule_touch_all();
    end_step();
    is_prescribed = begin_node(count, 0, true);
    node->asleep = asleep_set;
    return make_pick(is_prescribed);
}

/* --- switching --------------------------------------------------------------- */

/* Time jumps to what the thread waits for. */
static void reach_deadline(const struct thread *t)
{
    if (now_ns >= t->deadline_ns)
        return;
    now_ns = t->deadline_ns;
    if (describe_time != NULL)
        describe_time((unsigned)(t - thread), now_ns - BEGIN_NS);
}

static void switch_to(struct thread *next)
{
    struct thread *self = &thread[current];

    current = (unsigned)(next - thread);
    fiber_switch(&self->fiber, &next->fiber);
}

void schedule_end_start(void)
{
    struct thread *self = &thread[current];

    if (!self->is_starting)
        return;
    self->is_starting = false;
    switch_to(&thread[self->starter]);
}

/* The next thread goes on, or the caller itself.  What the caller waits for is
 * in its struct. */
static void pass_on(void)
{
    struct thread *self = &thread[current], *next;

    schedule_end_start();
    next = &thread[choose_thread()];
    self->is_yielding = false;
    if (exchange->operations < NODES)
        exchange->order[exchange->operations] = (uint8_t)(next - thread);
    exchange->operations++;
    print = next->print;
    if (has_timer(next) && !is_ready(next))
        reach_deadline(next);
    schedule_digest((uint64_t)(next - thread));
    schedule_digest(print.block ^ (uint64_t)print.offset << 32);
    if (next != self)
        switch_to(next);
}

void schedule_digest(uint64_t value)
{
    exchange->digest = (exchange->digest ^ value) * UINT64_C(0x100000001b3);
}

bool schedule_is_on(void)
{
    return exchange != NULL;
}

unsigned schedule_self(void)
{
    return current;
}

bool schedule_is_host(void)
{
    return thread[current].is_host;
}

int64_t schedule_now(void)
{
    return now_ns;
}

void schedule_pass(int64_t ns)
{
    now_ns += ns;
}

void schedule_visit(struct footprint of)
{
    struct thread *self = &thread[current];

    self->print = of;
    self->status = READY;
    pass_on();
}

void schedule_yield(void)
{
    struct thread *self = &thread[current];

    self->is_yielding = true;
    schedule_visit((struct footprint){0});
}

void schedule_touch_all(void)
{
    print.block = 0;
}

/* --- threads ------------------------------------------------------------------ */

static unsigned add_thread(const char *kind, unsigned number)
{
    unsigned index = exchange->threads;

    if (index == THREADS)
        schedule_fail(REFUSED, "more than %d threads", THREADS);
    exchange->threads++;
    snprintf(exchange->name[index], sizeof(exchange->name[index]),
             number > 0 ? "%s %u" : "%s", kind, number);
    return index;
}

void schedule_begin(struct exchange *shared)
{
    exchange = shared;
    add_thread("main", 0);
    thread[0].is_host = true;
    fiber_adopt(&thread[0].fiber);
}

static void run_thread(void *arg)
{
    struct thread *self = arg;

    self->result = self->body(self->arg);
    self->status = ENDED;
    schedule_touch_all();
    pass_on();
}

int schedule_create(pthread_t *handle, const pthread_attr_t *attributes,
                    void *(*body)(void *), void *arg, bool is_host)
{
    static unsigned hosts, others;
    unsigned index =
        is_host ? add_thread("worker", ++hosts) : add_thread("pool", ++others);
    struct thread *t = &thread[index];
    int err;

    schedule_touch_all();
    t->is_host = is_host;
    t->body = body;
    t->arg = arg;
    t->status = READY;
    t->print = (struct footprint){0};
    race_start(current, index);
    err = fiber_new(&t->fiber, handle, attributes, run_thread, t);
    t->handle = *handle;
    if (err != 0)
        schedule_fail(REFUSED, "more threads than the system allows");
    t->is_starting = is_host;
    t->starter = current;
    if (is_host)
        switch_to(t);
    return 0;
}

int schedule_join(pthread_t handle, void **result)
{
    struct thread *self = &thread[current];

    for (unsigned i = 0; i < exchange->threads; i++)
        if (i > 0 && pthread_equal(thread[i].handle, handle))
            self->other = i;
    self->print = (struct footprint){0};
    self->status = JOINING;
    pass_on();
    race_join(current, self->other);
    self->status = READY;
    if (result != NULL)
        *result = thread[self->other].result;
    return 0;
}

/* --- blocking ----------------------------------------------------------------- */

/* The caller was woken, and its timer may be due at the same time. */
static void let_time_pass(const struct thread *self)
{
    if (has_timer(self) && is_ready(self) && now_ns < self->deadline_ns &&
        schedule_choose(2) == 1)
        reach_deadline(self);
}

bool schedule_wait(const void *word, int64_t deadline_ns)
{
    struct thread *self = &thread[current];
    bool is_woken;

    self->word = word;
    self->turn = ++turns;
    self->is_woken = false;
    self->deadline_ns = deadline_ns;
    self->print = (struct footprint){0};
    self->status = WAITING;
    pass_on();
    let_time_pass(self);
    is_woken = self->is_woken;
    self->status = READY;
    return is_woken;
}

/* In the order in which they came. */
void schedule_wake(const void *word, unsigned count)
{
    schedule_touch_all();
    while (count-- > 0) {
        struct thread *first = NULL;

        for (unsigned i = 0; i < exchange->threads; i++)
            if (thread[i].status == WAITING && !thread[i].is_woken &&
                thread[i].word == word &&
                (first == NULL || thread[i].turn < first->turn))
                first = &thread[i];
        if (first == NULL)
            return;
        first->is_woken = true;
    }
}

void schedule_poll(struct pollfd *entries, nfds_t count, int64_t deadline_ns)
{
    struct thread *self = &thread[current];

    self->entries = entries;
    self->count = count;
    self->deadline_ns = deadline_ns;
    self->print = (struct footprint){0};
    self->status = POLLING;
    pass_on();
    let_time_pass(self);
    self->status = READY;
}

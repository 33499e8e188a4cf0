/* SPDX-License-Identifier: MIT */
/*
 * schedule -- see schedule.h.
 */
#include "schedule.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "race.h"
#include "real.h"

enum status { READY, WAITING, POLLING, JOINING, ENDED };

struct thread {
    enum status status;
    bool is_host;
    uint32_t baton; /* 1: this thread runs */
    pid_t id;       /* of the kernel */
    pthread_t handle;
    struct footprint print; /* of the step that it makes when it is chosen */
    const void *word;       /* WAITING */
    uint64_t turn;          /* ... since when */
    bool is_woken, is_yielding;
    struct pollfd *entries; /* POLLING */
    nfds_t count;
    int64_t deadline_ns; /* WAITING, POLLING; -1: none */
    unsigned other;      /* JOINING */
    uint64_t priority;   /* PCT */
    void *(*body)(void *);
    void *arg;
};

static struct exchange *exchange; /* NULL: nothing is explored */
static struct thread thread[THREADS];
static unsigned current;
static struct node *node; /* of the current step, or NULL */
static struct footprint print;
static struct footprint asleep[THREADS];
static uint32_t asleep_set;
static int64_t now_ns = INT64_C(1000000000);
static uint64_t random_state, turns;
static unsigned change_at[16];
static unsigned stretch, stretch_steps; /* where POLICY_STRETCH is */
static void (*describe_deadlock)(struct exchange *exchange);

/* --- the baton --------------------------------------------------------------- */

static pid_t
    dying; /* the kernel's ID of the thread that gave the baton away for
                       good; 0: none did */

static void await_baton(struct thread *self)
{
    while (__atomic_load_n(&self->baton, __ATOMIC_ACQUIRE) == 0)
        syscall(SYS_futex, &self->baton, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    self->baton = 0;
    while (dying != 0 &&
           syscall(SYS_tgkill, syscall(SYS_getpid), dying, 0) == 0)
        sched_yield(); /* its destructors must not run beside this thread */
    dying = 0;
}

static void hand_baton(struct thread *to)
{
    if (thread[current].status == ENDED)
        dying = thread[current].id;
    current = (unsigned)(to - thread);
    __atomic_store_n(&to->baton, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &to->baton, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* --- the end of an execution ------------------------------------------------- */

_Noreturn static void leave(void)
{
    exchange->is_ended = true;
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

/* --- random numbers ---------------------------------------------------------- */

/* splitmix64 */
static uint64_t next_random(void)
{
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned random_bit_of(uint32_t set)
{
    uint64_t skip = next_random() % (unsigned)__builtin_popcount(set);

    while (skip-- > 0)
        set &= set - 1;
    return (unsigned)__builtin_ctz(set);
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

static unsigned pick_priority(uint32_t enabled)
{
    unsigned best = (unsigned)__builtin_ctz(enabled);

    for (unsigned i = 0; i + 1 < exchange->pct_depth && i < 16; i++)
        if (change_at[i] == exchange->nodes)
            thread[current].priority = i; /* lower than all that are left */
    for (unsigned i = 0; i < exchange->threads; i++)
        if ((enabled >> i & 1) != 0 &&
            thread[i].priority > thread[best].priority)
            best = i;
    return best;
}

/* A thread that cannot go on loses the rest of its stretch. */
static unsigned pick_stretch(uint32_t enabled, uint32_t late)
{
    for (; stretch < exchange->stretches; stretch++, stretch_steps = 0) {
        const struct stretch *s = &exchange->stretch[stretch];

        if (stretch_steps < s->steps && (enabled >> s->thread & 1) != 0)
            return s->thread;
    }
    return pick_first(enabled, late);
}

static unsigned pick_thread(uint32_t enabled, uint32_t late)
{
    uint32_t prompt = enabled & ~late;

    switch (exchange->policy) {
    case POLICY_RANDOM:
        /* Timers are rarer than the rest, or long work would never end. */
        return random_bit_of(prompt != 0 && next_random() % 4 != 0 ? prompt
                                                                   : enabled);
    case POLICY_PCT:
        return pick_priority(enabled);
    case POLICY_STRETCH:
        return pick_stretch(enabled, late);
    default:
        return pick_first(enabled, late);
    }
}

/* A new node, where the pick is prescribed or free.  Returns whether it is
 * free. */
static bool begin_node(uint32_t enabled, uint32_t late, bool is_number)
{
    if (exchange->nodes == exchange->limit || exchange->nodes == NODES)
        schedule_fail(FOUND_LIVELOCK, "no end after %u choices",
                      exchange->nodes);
    if (exchange->nodes + 1 == exchange->prescribed) {
        memcpy(asleep, exchange->asleep, sizeof(asleep));
        asleep_set = exchange->asleep_set;
    }
    node = &exchange->node[exchange->nodes++];
    node->enabled = enabled;
    node->late = late;
    node->asleep = asleep_set;
    node->is_number = is_number;
    node->before = (uint8_t)current;
    if (exchange->nodes > exchange->prescribed)
        return true;
    node->pick = exchange->picks[exchange->nodes - 1];
    return false;
}

static unsigned choose_thread(void)
{
    uint32_t late, enabled = find_enabled(&late), awake;

    end_step();
    if (enabled == 0)
        schedule_fail(FOUND_DEADLOCK, "no thread can go on");
    awake = enabled & ~asleep_set;
    if (awake == 0) {
        exchange->is_pruned = true;
        leave();
    }
    if ((enabled & (enabled - 1)) == 0) /* there is nothing to choose */
        return (unsigned)__builtin_ctz(enabled);
    if (!begin_node(enabled, late, false)) {
        if ((enabled >> node->pick & 1) == 0)
            schedule_fail(DIFFERENT, "the schedule is one of another program");
        return node->pick;
    }
    return node->pick = (uint8_t)pick_thread(awake, late);
}

unsigned schedule_choose(unsigned count)
{
    if (count > 200)
        schedule_fail(REFUSED, "choose() with more than 200 numbers");
    schedule_touch_all();
    end_step();
    if (!begin_node(count, 0, true)) {
        if (node->pick >= count)
            schedule_fail(DIFFERENT, "the schedule is one of another program");
        return node->pick;
    }
    node->pick =
        exchange->policy == POLICY_RANDOM || exchange->policy == POLICY_PCT
            ? (uint8_t)(next_random() % count)
            : 0;
    return node->pick;
}

/* --- switching --------------------------------------------------------------- */

/* The next thread goes on, or the caller itself.  What the caller waits for is
 * in its struct. */
static void pass_on(void)
{
    struct thread *self = &thread[current], *next;

    next = &thread[choose_thread()];
    self->is_yielding = false;
    if (exchange->operations < NODES)
        exchange->order[exchange->operations] = (uint8_t)(next - thread);
    exchange->operations++;
    stretch_steps++;
    print = next->print;
    if (has_timer(next) && !is_ready(next) && now_ns < next->deadline_ns)
        now_ns = next->deadline_ns;
    schedule_digest((uint64_t)(next - thread));
    schedule_digest(print.block ^ (uint64_t)print.offset << 32);
    if (next == self)
        return;
    hand_baton(next);
    if (self->status != ENDED)
        await_baton(self);
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
    thread[index].priority = next_random() | 1 << 16;
    return index;
}

void schedule_begin(struct exchange *shared)
{
    exchange = shared;
    random_state = exchange->seed;
    for (unsigned i = 0; i < 16; i++)
        change_at[i] = (unsigned)(next_random() % (exchange->pct_length + 1));
    add_thread("main", 0);
    thread[0].is_host = true;
    thread[0].id = (pid_t)syscall(SYS_gettid);
}

static void *run_thread(void *arg)
{
    struct thread *self = arg;
    void *result;

    self->id = (pid_t)syscall(SYS_gettid);
    await_baton(self);
    result = self->body(self->arg);
    self->status = ENDED;
    schedule_touch_all();
    pass_on();
    return result;
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
    err = real_pthread_create(handle, attributes, run_thread, t);
    t->handle = *handle;
    if (err != 0)
        schedule_fail(REFUSED, "more threads than the system allows");
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
    return real_pthread_join(handle, result);
}

/* --- blocking ----------------------------------------------------------------- */

/* The caller was woken, and its timer may be due at the same time. */
static void let_time_pass(const struct thread *self)
{
    if (has_timer(self) && is_ready(self) && now_ns < self->deadline_ns &&
        schedule_choose(2) == 1)
        now_ns = self->deadline_ns;
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

/* SPDX-License-Identifier: MIT */
/*
 * execution -- see execution.h.
 */
#include "execution.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "heap.h"
#include "image.h"
#include "perform.h"
#include "pick.h"

struct execution *execution;

void execution_fail(enum model_finding finding, const char *format, ...)
{
    va_list list;

    if (execution->finding == MODEL_NOTHING) {
        execution->finding = finding;
        va_start(list, format);
        vsnprintf(execution->text, sizeof(execution->text), format, list);
        va_end(list);
    }
    if (execution->self != NULL)
        coroutine_leave(); /* for good */
}

/* --- what two steps have to do with each other ------------------------- */

static bool is_write(const struct op *op)
{
    return op->kind != OP_LOAD;
}

static bool is_fence(const struct op *op)
{
    return op->kind == OP_LIGHT || op->kind == OP_HEAVY;
}

static bool is_seq_cst(const struct op *op)
{
    return op->order == __ATOMIC_SEQ_CST || op->failure == __ATOMIC_SEQ_CST;
}

static bool is_on(const struct op *op, const void *object)
{
    return object != NULL && (op->word == object || op->also == object);
}

bool execution_depends(const struct op *a, const struct op *b)
{
    if (a->kind <= OP_CAS && b->kind <= OP_CAS) /* mostly */
        return a->word == b->word && (is_write(a) || is_write(b));
    /* Freeing takes memory from everybody, also from plain code. */
    if (a->kind == OP_FREE || b->kind == OP_FREE)
        return true;
    if (a->kind == OP_LOCAL || b->kind == OP_LOCAL)
        return false;
    if (a->kind == OP_ALLOC || b->kind == OP_ALLOC)
        return a->kind == b->kind && execution->failing_allocs > 0;
    if (a->kind == OP_FENCE || b->kind == OP_FENCE)
        return is_seq_cst(a) && is_seq_cst(b);
    if (a->kind == OP_SYNC || b->kind == OP_SYNC)
        return is_on(a, b->word) || is_on(a, b->also) ||
               (a->also != NULL && is_on(b, a->also));
    if (is_fence(a) || is_fence(b))
        return is_fence(a) && is_fence(b) &&
               (a->kind == OP_HEAVY || b->kind == OP_HEAVY);
    return a->word == b->word && (is_write(a) || is_write(b));
}

struct op execution_pending(unsigned index)
{
    struct actor *actor = &execution->actor[index];
    struct op op = actor->op;

    if (actor->status == ASLEEP)
        op.kind = OP_EXPIRE;
    else if (actor->is_delayed)
        op.kind = OP_LOCAL;
    return op;
}

/* --- one step ------------------------------------------------------------ */

static void record(unsigned index, const struct op *op)
{
    struct step *step = &execution->trace[execution->steps++];

    step->actor = (uint8_t)index;
    memcpy(step->clock, execution->actor[index].view.clock,
           sizeof(step->clock));
    step->op = *op;
}

/* Lets the thread run to its next operation, or to its end. */
static void go_on(struct actor *actor)
{
    actor->is_delayed = false;
    execution->self = actor;
    image_switch((unsigned)(actor - execution->actor));
    coroutine_resume(&actor->co);
    execution->self = NULL;
    if (execution->weak.has_dirty)
        weak_refresh(&execution->weak);
    if (actor->co.is_done)
        actor->status = DONE;
    else
        actor->messages = weak_count(&execution->weak, actor->op.word);
}

static void step(unsigned index)
{
    struct actor *actor = &execution->actor[index];

    if (actor->status == ASLEEP) {
        struct op op = execution_pending(index);

        perform_expire(actor);
        op.is_done = actor->op.is_done;
        record(index, &op);
    } else if (!actor->is_delayed) {
        perform(actor);
        record(index, &actor->op);
        if (actor->status == READY)
            actor->is_delayed = true;
    } else {
        go_on(actor);
        return;
    }
    if (execution->test->may_delay)
        return;
    for (unsigned i = 0; i < execution->threads; i++)
        if (execution->finding == MODEL_NOTHING &&
            execution->actor[i].is_delayed)
            go_on(&execution->actor[i]);
}

/* --- a whole run --------------------------------------------------------- */

/* A bad address in the code under test is a finding, not the end. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    if (execution->self == NULL) {
        signal(number, SIG_DFL);
        return; /* the explorer's own bug */
    }
    if (heap_is_freed(info->si_addr))
        execution_fail(MODEL_USE_AFTER_FREE,
                       "%s touches freed memory by a plain access",
                       execution->self->name);
    execution_fail(MODEL_CRASH, "%s: signal %d (%s) at address %p",
                   execution->self->name, number, strsignal(number),
                   info->si_addr);
}

void execution_prepare(void)
{
    stack_t stack = {.ss_size = 64 * 1024};
    struct sigaction action = {.sa_sigaction = on_signal,
                               .sa_flags =
                                   SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    execution = calloc(1, sizeof(*execution));
    stack.ss_sp = malloc(stack.ss_size);
    if (execution == NULL || stack.ss_sp == NULL)
        abort();
    for (unsigned i = 0; i < ACTORS; i++)
        coroutine_init(&execution->actor[i].co);
    sigaltstack(&stack, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
    heap_reset();
}

static void begin(unsigned index, const char *name, void (*run)(void),
                  const struct view *view)
{
    struct actor *actor = &execution->actor[index];

    actor->name = name;
    actor->status = READY;
    actor->is_delayed = false;
    actor->view = *view;
    actor->light = *view;
    actor->fences.is_used = execution->has_fences;
    if (execution->has_fences) {
        memset(&actor->fences.released, 0, sizeof(struct view));
        memset(&actor->fences.pending, 0, sizeof(struct view));
    }
    actor->spurious = index == SETUP ? 0 : execution->test->spurious;
    coroutine_start(&actor->co, run);
    go_on(actor);
}

void execution_begin(const char *name, void (*run)(void),
                     const struct view *view)
{
    begin(execution->threads++, name, run, view);
}

/* Setup and finish: nobody else is there, so there is nothing to choose. */
static void run_alone(const char *name, void (*run)(void),
                      const struct view *view)
{
    struct actor *actor = &execution->actor[SETUP];

    if (run == NULL) {
        actor->view = *view;
        return;
    }
    begin(SETUP, name, run, view);
    while (execution->finding == MODEL_NOTHING && actor->status == READY) {
        perform(actor);
        if (execution->finding == MODEL_NOTHING && actor->status == READY)
            go_on(actor);
    }
    if (execution->finding == MODEL_NOTHING && actor->status == ASLEEP)
        execution_fail(MODEL_DEADLOCK, "%s sleeps, and nobody is there", name);
}

/* It cannot make its step before another thread has made one. */
static bool is_blocked(const struct actor *actor)
{
    const struct op *op = &actor->op;

    return op->kind == OP_SYNC && actor->status == READY &&
           !actor->is_delayed && op->verb->can != NULL && !op->is_timed &&
           !op->verb->can(actor);
}

static void report_stuck(void)
{
    const char *sleeper = NULL;

    for (unsigned i = 0; i < execution->threads; i++)
        if (is_blocked(&execution->actor[i]) &&
            execution->actor[i].op.verb->is_lost != NULL &&
            execution->actor[i].op.verb->is_lost(&execution->actor[i]))
            execution_fail(MODEL_LOST_WAKE,
                           "%s waits for a wake-up that came before",
                           execution->actor[i].name);
    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *actor = &execution->actor[i];
        struct weak *weak = &execution->weak;
        unsigned location;
        uint64_t now;

        if (is_blocked(actor))
            sleeper = actor->name;
        if (actor->status != ASLEEP)
            continue;
        sleeper = actor->name;
        location = weak_locate(weak, actor->op.word, actor->op.size,
                               actor->op.site, false);
        now = weak_value(weak, location, weak_newest(weak, location));
        if ((uint32_t)now != (uint32_t)actor->op.expected)
            execution_fail(MODEL_LOST_WAKE,
                           "%s sleeps, though the word has changed", sleeper);
    }
    if (execution->test->work_left != NULL && execution->test->work_left())
        execution_fail(MODEL_LOST_WAKE, "%s sleeps, and work is left", sleeper);
    execution_fail(MODEL_DEADLOCK, "%s sleeps, and nobody is left to wake it",
                   sleeper);
}

/* Which threads can make a step; empty when the run is over. */
static uint8_t find_enabled(void)
{
    uint8_t enabled = 0, spurious = 0, asleep = 0;

    if (execution->is_over)
        return 0;
    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *actor = &execution->actor[i];
        uint8_t bit = (uint8_t)(1u << i);

        if (actor->status == READY) {
            if (!is_blocked(actor)) {
                enabled |= bit;
                continue;
            }
            asleep |= bit;
            if (actor->op.verb->is_spurious && actor->spurious > 0)
                spurious |= bit;
        } else if (actor->status == ASLEEP) {
            asleep |= bit;
            if (actor->op.is_timed)
                enabled |= bit;
            if (actor->spurious > 0)
                spurious |= bit;
        }
    }
    /* That somebody could wake up for no reason saves nobody. */
    if (enabled == 0 && asleep != 0)
        report_stuck();
    return execution->finding != MODEL_NOTHING ? 0 : enabled | spurious;
}

static enum ending run_threads(void)
{
    uint8_t enabled;

    while ((enabled = find_enabled()) != 0) {
        int next;

        if (execution->steps >= execution->limit) {
            execution_fail(MODEL_LIVELOCK, "no end after %u steps",
                           execution->steps);
            break;
        }
        next = search_schedule(enabled);
        if (next < 0)
            return execution->finding != MODEL_NOTHING ? FOUND : PRUNED;
        step((unsigned)next);
    }
    return execution->finding != MODEL_NOTHING ? FOUND : ENDED;
}

static enum ending run_all(const struct model_case *test)
{
    struct view view;

    memset(&view, 0, sizeof(view));
    run_alone("setup", test->setup, &view);
    if (execution->finding != MODEL_NOTHING)
        return FOUND;
    view = execution->actor[SETUP].view;
    for (unsigned i = 0; i < execution->threads; i++) {
        begin(i, test->threads[i].name, test->threads[i].run, &view);
        if (execution->finding != MODEL_NOTHING)
            return FOUND;
    }
    switch (run_threads()) {
    case FOUND:
        return FOUND;
    case PRUNED:
        return PRUNED;
    case ENDED:
        break;
    }
    for (unsigned i = 0; i < execution->threads; i++)
        weak_join(&execution->weak, &view, &execution->actor[i].view);
    run_alone("finish", test->finish, &view);
    if (execution->finding == MODEL_NOTHING && heap_find_leak() != NULL)
        execution_fail(MODEL_LEAK, "nothing points to the block at %p",
                       heap_find_leak());
    return execution->finding != MODEL_NOTHING ? FOUND : ENDED;
}

enum ending execution_run(const struct model_case *test, unsigned limit)
{
    image_restore();
    heap_reset();
    weak_reset(&execution->weak);
    execution->test = test;
    execution->self = NULL;
    execution->threads = 0;
    while (execution->threads < MODEL_THREADS &&
           test->threads[execution->threads].run != NULL)
        execution->threads++;
    execution->failing_allocs = test->failing_allocs;
    execution->limit = limit < STEPS ? limit : STEPS;
    execution->finding = MODEL_NOTHING;
    execution->outcome[0] = '\0';
    execution->is_over = false;
    execution->steps = 0;
    return run_all(test);
}

/* --- the state between two steps ----------------------------------------- */

static uint64_t hash_actor(const struct actor *actor,
                           const struct weak_floor *floor, uint64_t seed)
{
    const struct weak *weak = &execution->weak;
    uint64_t hash = hash_mix(seed, actor->status * 2u + actor->is_delayed);

    hash = hash_mix(hash, weak_hash_view(weak, &actor->light, floor, seed));
    if (actor->status == DONE)
        return hash;
    hash = hash_mix(hash, weak_hash_view(weak, &actor->view, floor, seed));
    hash = hash_mix(hash, actor->spurious * 2u +
                              perform_is_late(actor, __ATOMIC_RELAXED));
    if (actor->fences.is_used) {
        hash = hash_mix(
            hash, weak_hash_view(weak, &actor->fences.released, floor, seed));
        hash = hash_mix(
            hash, weak_hash_view(weak, &actor->fences.pending, floor, seed));
    }
    hash = hash_mix(hash_mix(hash, actor->op.read), actor->op.is_done);
    return hash_mix(hash, coroutine_hash(&actor->co, seed));
}

uint64_t execution_hash(void)
{
    struct weak_floor floor;
    uint64_t hash;

    weak_floor_begin(&execution->weak, &floor);
    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *actor = &execution->actor[i];
        bool is_about_to = actor->status == READY && !actor->is_delayed;
        bool is_rmw = is_about_to && actor->op.kind == OP_RMW;
        bool reads_latest = is_about_to && actor->op.kind == OP_LOAD &&
                            perform_is_late(actor, actor->op.order);

        if (actor->status != DONE)
            weak_floor_lower(&execution->weak, &floor, &actor->view,
                             is_rmw ? actor->op.word : NULL,
                             reads_latest ? actor->op.word : NULL);
    }
    hash = hash_mix(image_hash(0), execution->failing_allocs);
    hash = hash_mix(hash, heap_hash(1));
    hash = hash_mix(hash, weak_hash(&execution->weak, &floor, 2));
    if (execution->hash_more != NULL)
        hash = hash_mix(hash, execution->hash_more(&floor, 2));
    for (unsigned i = 0; i < execution->threads; i++)
        hash = hash_mix(hash, hash_actor(&execution->actor[i], &floor, 3 + i));
    return hash;
}

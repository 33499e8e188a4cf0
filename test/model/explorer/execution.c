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
#include "search.h"

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

bool execution_depends(const struct op *a, const struct op *b)
{
    /* Freeing takes memory from everybody, also from plain code. */
    if (a->kind == OP_FREE || b->kind == OP_FREE)
        return true;
    if (a->kind == OP_LOCAL || b->kind == OP_LOCAL)
        return false;
    if (a->kind == OP_ALLOC || b->kind == OP_ALLOC)
        return a->kind == b->kind && execution->failing_allocs > 0;
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

/* --- performing one operation ------------------------------------------- */

static uint64_t truncated(uint64_t value, size_t size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

static uint64_t apply(const struct op *op, uint64_t old)
{
    switch (op->rmw) {
    case MODEL_ADD:
        return truncated(old + op->operand, op->size);
    case MODEL_SUB:
        return truncated(old - op->operand, op->size);
    case MODEL_OR:
        return old | op->operand;
    default:
        return op->operand;
    }
}

/* The location of op->word; fails the run if it must not be touched. */
static bool locate(struct actor *actor, unsigned *location)
{
    struct op *op = &actor->op;

    if (heap_is_freed(op->word)) {
        execution_fail(MODEL_USE_AFTER_FREE, "%s uses %s after it was freed",
                       actor->name, op->site->expression);
        return false;
    }
    *location =
        weak_locate(&execution->weak, op->word, op->size, op->site, false);
    if (!weak_is_known(&execution->weak, *location, &actor->view)) {
        execution_fail(MODEL_RACE, "%s does not know the beginning of %s",
                       actor->name, op->site->expression);
        return false;
    }
    return true;
}

static void note_read(struct actor *actor, unsigned location, message_id from)
{
    struct op *op = &actor->op;

    op->read = weak_value(&execution->weak, location, from);
    op->is_stale = from != weak_newest(&execution->weak, location);
}

/* Whether the word was written while the thread was about to read it. */
static bool is_late(const struct actor *actor, int order)
{
    return search_is_reduced() && order != __ATOMIC_SEQ_CST &&
           weak_count(&execution->weak, actor->op.word) != actor->messages;
}

/* What a load, or a CAS that fails, must be tried with. */
static unsigned readable(const struct actor *actor, unsigned location,
                         int order, message_id *out)
{
    const struct weak *weak = &execution->weak;

    if (!is_late(actor, order))
        return weak_readable(weak, location, &actor->view, order, out);
    out[0] = weak_latest(weak, location, &actor->view);
    return 1;
}

static void perform_load(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;
    message_id from[MESSAGES];
    unsigned count = readable(actor, location, op->order, from);
    message_id pick = from[search_choose(count)];

    note_read(actor, location, pick);
    weak_read(weak, location, &actor->view, pick, op->order);
}

static void perform_store(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;
    message_id after[MESSAGES];
    unsigned count =
        weak_unglued(weak, location, &actor->view, op->order, after);
    message_id pick = after[search_choose(count)];

    op->wrote = truncated(op->operand, op->size);
    op->is_stale = pick != weak_newest(weak, location);
    weak_write(weak, location, &actor->view, pick, op->wrote, op->order);
}

static void perform_rmw(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;
    message_id from[MESSAGES];
    unsigned count =
        weak_unglued(weak, location, &actor->view, op->order, from);
    message_id pick = from[search_choose(count)];

    note_read(actor, location, pick);
    op->wrote = apply(op, op->read);
    weak_rmw(weak, location, &actor->view, pick, op->wrote, op->order);
}

/* A CAS may succeed on each message that it could swap, and fail on each that
 * differs; a weak one may also fail on what it could swap. */
static void perform_cas(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;
    struct {
        message_id from;
        bool swaps;
    } option[3 * MESSAGES];
    message_id from[MESSAGES];
    unsigned options = 0, count, pick;
    bool may_fail = op->is_weak && actor->spurious > 0;

    count = weak_unglued(weak, location, &actor->view, op->order, from);
    for (unsigned i = 0; i < count; i++) {
        if (weak_value(weak, location, from[i]) == op->expected) {
            option[options].from = from[i];
            option[options++].swaps = true;
        }
    }
    count = readable(actor, location, op->failure, from);
    for (unsigned i = 0; i < count; i++) {
        if (weak_value(weak, location, from[i]) != op->expected || may_fail) {
            option[options].from = from[i];
            option[options++].swaps = false;
        }
    }
    pick = search_choose(options);
    note_read(actor, location, option[pick].from);
    op->is_done = option[pick].swaps;
    if (op->is_done) {
        op->wrote = truncated(op->operand, op->size);
        weak_rmw(weak, location, &actor->view, option[pick].from, op->wrote,
                 op->order);
    } else {
        if (op->read == op->expected)
            actor->spurious--;
        weak_read(weak, location, &actor->view, option[pick].from, op->failure);
    }
}

static void perform_light(struct actor *actor)
{
    weak_join_atomics(&execution->weak, &actor->view, &execution->weak.heavy);
    actor->light = actor->view;
}

static void perform_heavy(struct actor *actor)
{
    struct weak *weak = &execution->weak;

    weak_join_atomics(weak, &weak->heavy, &actor->view);
    for (unsigned i = 0; i < execution->threads; i++)
        weak_join_atomics(weak, &weak->heavy, &execution->actor[i].light);
    weak_join_atomics(weak, &actor->view, &weak->heavy);
}

/* The kernel reads the newest value, and the thread cannot read behind it. */
static void perform_wait(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;

    op->site = weak->location[location].site; /* a name for the trace */
    note_read(actor, location, weak_newest(weak, location));
    op->is_done = (uint32_t)op->read == (uint32_t)op->expected;
    if (op->is_done)
        actor->status = ASLEEP;
    else
        weak_read(weak, location, &actor->view, weak_newest(weak, location),
                  __ATOMIC_RELAXED);
}

static void wake_up(struct actor *actor, bool is_timeout)
{
    actor->status = READY;
    actor->is_delayed = true;
    actor->op.is_done = is_timeout;
}

static uint8_t sleepers(const void *word)
{
    uint8_t set = 0;

    for (unsigned i = 0; i < execution->threads; i++)
        if (execution->actor[i].status == ASLEEP &&
            execution->actor[i].op.word == word)
            set |= (uint8_t)(1u << i);
    return set;
}

static unsigned nth_of(uint8_t set, unsigned n)
{
    for (unsigned i = 0;; i++)
        if ((set >> i & 1) != 0 && n-- == 0)
            return i;
}

static void perform_wake(struct actor *actor)
{
    struct weak *weak = &execution->weak;
    struct op *op = &actor->op;
    uint8_t set = sleepers(op->word);

    if (!op->is_all && set != 0)
        set = (uint8_t)(1u << nth_of(
                            set,
                            search_choose((unsigned)__builtin_popcount(set))));
    op->woken = set;
    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *sleeper = &execution->actor[i];

        if ((set >> i & 1) == 0)
            continue;
        /* Of what the waker knows, the word itself is all that is promised. */
        for (unsigned l = 0; l < weak->locations; l++)
            if (weak->location[l].word == op->word)
                weak_read(weak, l, &sleeper->view, actor->view.at[l],
                          __ATOMIC_RELAXED);
        wake_up(sleeper, false);
    }
}

static void perform_expire(struct actor *actor)
{
    bool can_time_out = actor->op.is_timed;
    bool can_be_spurious = actor->spurious > 0;
    bool is_timeout =
        can_time_out && (!can_be_spurious || search_choose(2) == 0);

    if (!is_timeout)
        actor->spurious--;
    wake_up(actor, is_timeout);
}

static void perform_alloc(struct actor *actor)
{
    struct op *op = &actor->op;

    if (execution->failing_allocs > 0 && search_choose(2) == 1) {
        execution->failing_allocs--;
        op->pointer = NULL;
    } else {
        op->pointer =
            heap_alloc((unsigned)(actor - execution->actor), op->size);
    }
}

static void perform_free(struct actor *actor)
{
    if (!heap_free((void *)actor->op.word))
        execution_fail(MODEL_USE_AFTER_FREE, "%s frees what is not allocated",
                       actor->name);
}

static void perform(struct actor *actor)
{
    unsigned location = 0;

    switch (actor->op.kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_CAS:
    case OP_WAIT:
        if (!locate(actor, &location))
            return;
        break;
    default:
        break;
    }
    switch (actor->op.kind) {
    case OP_LOAD:
        perform_load(actor, location);
        break;
    case OP_STORE:
        perform_store(actor, location);
        break;
    case OP_RMW:
        perform_rmw(actor, location);
        break;
    case OP_CAS:
        perform_cas(actor, location);
        break;
    case OP_LIGHT:
        perform_light(actor);
        break;
    case OP_HEAVY:
        perform_heavy(actor);
        break;
    case OP_WAIT:
        perform_wait(actor, location);
        break;
    case OP_WAKE:
        perform_wake(actor);
        break;
    case OP_ALLOC:
        perform_alloc(actor);
        break;
    case OP_FREE:
        perform_free(actor);
        break;
    case OP_EXPIRE:
    case OP_LOCAL:
        break; /* never an actor's own operation */
    }
}

/* --- one step ------------------------------------------------------------ */

static void record(unsigned index, const struct op *op)
{
    struct step *step = &execution->trace[execution->steps++];

    step->actor = (uint8_t)index;
    step->op = *op;
}

/* Lets the thread run to its next operation, or to its end. */
static void go_on(struct actor *actor)
{
    actor->is_delayed = false;
    execution->self = actor;
    coroutine_resume(&actor->co);
    execution->self = NULL;
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
    (void)context;
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
    actor->spurious = index == SETUP ? 0 : execution->test->spurious;
    coroutine_start(&actor->co, run);
    go_on(actor);
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

static void report_stuck(void)
{
    const char *sleeper = NULL;

    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *actor = &execution->actor[i];
        struct weak *weak = &execution->weak;
        unsigned location;
        uint64_t now;

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

    for (unsigned i = 0; i < execution->threads; i++) {
        struct actor *actor = &execution->actor[i];
        uint8_t bit = (uint8_t)(1u << i);

        if (actor->status == READY ||
            (actor->status == ASLEEP && actor->op.is_timed))
            enabled |= bit;
        if (actor->status == ASLEEP) {
            asleep |= bit;
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
    hash =
        hash_mix(hash, actor->spurious * 2u + is_late(actor, __ATOMIC_RELAXED));
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
                            is_late(actor, actor->op.order);

        if (actor->status != DONE)
            weak_floor_lower(&execution->weak, &floor, &actor->view,
                             is_rmw ? actor->op.word : NULL,
                             reads_latest ? actor->op.word : NULL);
    }
    hash = hash_mix(image_hash(0), execution->failing_allocs);
    hash = hash_mix(hash, heap_hash(1));
    hash = hash_mix(hash, weak_hash(&execution->weak, &floor, 2));
    for (unsigned i = 0; i < execution->threads; i++)
        hash = hash_mix(hash, hash_actor(&execution->actor[i], &floor, 3 + i));
    return hash;
}

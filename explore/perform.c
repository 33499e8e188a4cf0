/* SPDX-License-Identifier: MIT */
/*
 * perform -- see perform.h.
 */
#include "perform.h"

#include "heap.h"
#include "pick.h"

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
    case MODEL_AND:
        return old & op->operand;
    case MODEL_XOR:
        return old ^ op->operand;
    case MODEL_NAND:
        return truncated(~(old & op->operand), op->size);
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
    op->from = execution->weak.message[from].step;
    op->is_stale = from != weak_newest(&execution->weak, location);
}

/* The message that the thread has just written is of this step. */
static void note_write(struct actor *actor, unsigned location)
{
    struct weak *weak = &execution->weak;

    weak->message[actor->view.at[location]].step =
        (uint16_t)(execution->steps + 1);
}

/* Whether the word was written while the thread was about to read it. */
bool perform_is_late(const struct actor *actor, int order)
{
    return search_is_reduced() && order != __ATOMIC_SEQ_CST &&
           weak_count(&execution->weak, actor->op.word) != actor->messages;
}

/* What a load, or a CAS that fails, must be tried with. */
static unsigned readable(const struct actor *actor, unsigned location,
                         int order, message_id *out)
{
    const struct weak *weak = &execution->weak;

    if (!perform_is_late(actor, order))
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
    weak_read(weak, location, &actor->view, &actor->fences, pick, op->order);
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
    weak_write(weak, location, &actor->view, &actor->fences, pick, op->wrote,
               op->order);
    note_write(actor, location);
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
    weak_rmw(weak, location, &actor->view, &actor->fences, pick, op->wrote,
             op->order);
    note_write(actor, location);
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
        weak_rmw(weak, location, &actor->view, &actor->fences,
                 option[pick].from, op->wrote, op->order);
        note_write(actor, location);
    } else {
        if (op->read == op->expected)
            actor->spurious--;
        weak_read(weak, location, &actor->view, &actor->fences,
                  option[pick].from, op->failure);
    }
}

static void perform_fence(struct actor *actor)
{
    weak_fence(&execution->weak, &actor->view, &actor->fences, actor->op.order);
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

    if (op->site->expression[0] != '?') /* a name for the trace of a model */
        op->site = weak->location[location].site;
    note_read(actor, location, weak_newest(weak, location));
    op->is_done = (uint32_t)op->read == (uint32_t)op->expected;
    if (op->is_done)
        actor->status = ASLEEP;
    else
        weak_read(weak, location, &actor->view, &actor->fences,
                  weak_newest(weak, location), __ATOMIC_RELAXED);
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
                weak_read(weak, l, &sleeper->view, &sleeper->fences,
                          actor->view.at[l], __ATOMIC_RELAXED);
        wake_up(sleeper, false);
    }
}

void perform_expire(struct actor *actor)
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
    int user =
        heap_find_user(actor->op.word, (unsigned)(actor - execution->actor),
                       actor->view.clock);

    if (user >= 0)
        execution_fail(MODEL_USE_AFTER_FREE,
                       "%s frees what %s may still be using", actor->name,
                       execution->actor[user].name);
    else if (!heap_free((void *)actor->op.word))
        execution_fail(MODEL_USE_AFTER_FREE, "%s frees what is not allocated",
                       actor->name);
}

/* The time of the thread goes on with each operation, before it releases. */
static void tick(struct actor *actor)
{
    unsigned self = (unsigned)(actor - execution->actor);

    actor->view.clock[self]++;
    switch (actor->op.kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_CAS:
        heap_touch(actor->op.word, self, actor->view.clock[self]);
        break;
    default:
        break; /* a wake needs the address only */
    }
}

/* An operation that reads or writes a word. */
static void perform_access(struct actor *actor)
{
    unsigned location = 0;

    if (!locate(actor, &location))
        return;
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
    default:
        perform_wait(actor, location);
        break;
    }
}

void perform(struct actor *actor)
{
    tick(actor);

    switch (actor->op.kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_RMW:
    case OP_CAS:
    case OP_WAIT:
        perform_access(actor);
        break;
    case OP_FENCE:
        perform_fence(actor);
        break;
    case OP_SYNC:
        actor->op.verb->act(actor);
        break;
    case OP_LIGHT:
        perform_light(actor);
        break;
    case OP_HEAVY:
        perform_heavy(actor);
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

/* SPDX-License-Identifier: MIT */
/*
 * channel -- an MPSC message queue, and a task that calls the receiver.
 *
 * Shape     The word holds the newest message of a stack, as in ingress.c, and
 *           the phase of the channel in the three low bits:
 *
 *               phase      receiver   the task
 *               IDLE       yes        is here
 *               POSTED     yes        is in the receiver's loop, or a thread is
 *                                     about to post it there
 *               DETACHED   no         is here
 *               RECALLED   no         is in the loop of an earlier receiver
 *               FORWARD    yes        the same; from there it goes to the loop
 *                                     of the new one
 *               CLOSED     never      is here
 *               CLOSING    never      is in the loop of the last receiver
 *
 *           There is one task, so it can be in only one loop.  The thread that
 *           moves the phase from IDLE to POSTED owns the task.  It posts the
 *           task, and until the task has run no other thread accesses the task
 *           or `now`.  If the owner changes the receiver meanwhile, it stores
 *           the new one in `next`, and the task picks it up when it runs.  So
 *           no thread waits for another.
 * Roles     send, end, notify   any thread with a reference
 *           the task            the thread of the loop that it was posted to
 *           the others          the owner
 * Progress  send and notify are lock-free, and so is the task.  The lock is
 *           taken for a few instructions when the receiver changes.
 *
 * Shared state
 *   word         any thread, atomic                                       P1 P2
 *   message      its sender until P1, then the owner; plain               P1
 *   now          the thread that has the task; the owner while it is
 *                here; plain                                              P2
 *   next         under the lock
 *   first, has_ended
 *                the owner
 *   refs         any thread                                               P3
 *
 * Pairs
 *   P1  send, notify: CAS on word, release  -->  take, the task: CAS, acquire
 *       Hands over the message, and what came before a notify.  Every push is a
 *       read-modify-write, so a take that reads the newest has acquired the
 *       older ones too.
 *   P2  change, change_owner: CAS on word, release  -->  send, notify, the
 *       task: CAS, acquire
 *       Hands over `now` together with the task, and the owner's fields to the
 *       thread of a new receiver.  The way back needs no pair:
 *       the task comes home on the owner's thread, or under the lock.
 *   P3  unref: fetch_sub on refs, release  -->  the last one's, acquire
 *       All uses come before the channel is freed.
 *
 * Why no lost wake  The phase of the task and the newest message are in one
 *           word.  A send that finds the task posted is followed by the task's
 *           CAS, which comes before the owner looks for messages.  A send that
 *           comes after that CAS finds IDLE, and posts the task.
 * Why the loop exists  A receiver keeps its loop's memory alive (loop/P2) from
 *           attach until the task is no longer there.  A loop that has ended
 *           refuses the task; then the channel has no receiver.
 * Reclaim   The owner has a reference until close.  If the task is posted then,
 *           it inherits that reference, and releases it when it has run.
 *
 * Tested by  test/unit/sync/channel.c, test/model/sync/channel.c,
 *            test/stress/sync/channel.c
 */
#include "weir/channel.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/lock.h"
#include "base/memory.h"
#include "loop/loop.h"

enum phase { IDLE, POSTED, DETACHED, RECALLED, FORWARD, CLOSED, CLOSING };
enum { PHASE_MASK = 7, PHASES };

/* A transition table: the new phase for each old phase. */
typedef const uint8_t step[PHASES];

static step recalled = {
    [IDLE] = DETACHED,     [POSTED] = RECALLED,  [DETACHED] = DETACHED,
    [RECALLED] = RECALLED, [FORWARD] = RECALLED, [CLOSED] = CLOSED,
    [CLOSING] = CLOSING};
static step attached = {
    [DETACHED] = IDLE, [RECALLED] = FORWARD}; /* or POSTED */
static step closed = {[DETACHED] = CLOSED, [RECALLED] = CLOSING};
static step come_back = {[POSTED] = DETACHED,
                         [RECALLED] = DETACHED,
                         [FORWARD] = POSTED,
                         [CLOSING] = CLOSED};

struct receiver {
    weir_loop *loop; /* held */
    weir_call_fn *serve;
    void *arg;
};

struct weir_channel {
    atomic(uintptr_t) word; /* any thread, P1 P2 */
    atomic(uint64_t) refs;  /* any thread, P3 */
    weir_task task;
    struct receiver now;  /* the thread that has the task, P2 */
    struct receiver next; /* under lock; valid in FORWARD only */
    struct weir__lock lock;
    weir_message end;    /* the end marker */
    weir_message *first; /* owner only: taken, oldest first */
    bool has_ended;      /* owner only */
};

static enum phase phase_of(uintptr_t word)
{
    return (enum phase)(word & PHASE_MASK);
}

static weir_message *newest_of(uintptr_t word)
{
    return (weir_message *)(word & ~(uintptr_t)PHASE_MASK);
}

/* ---- the task ---- */

/* Apply a transition, under lock.  Returns the word before it. */
static uintptr_t change(weir_channel *channel, step to)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);

    /* channel/P2 release: publishes `now` */
    while (!cas_weak_release(&channel->word, &seen,
                             (uintptr_t)newest_of(seen) | to[phase_of(seen)]))
        ;
    return seen;
}

/* Claim the task if it is here and there is a receiver; the caller posts it. */
static bool claim_task(weir_channel *channel)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);

    /* The CAS writes even if the phase stays: a receiver that clears POSTED
     * later must see what came before the notify.
     * channel/P1 release: publishes what came before the notify
     * channel/P2 acquire: receives `now` */
    while (!cas_weak_acq_rel(&channel->word, &seen,
                             phase_of(seen) == IDLE ? seen | POSTED : seen))
        ;
    return phase_of(seen) == IDLE;
}

static void set_receiver(struct receiver *to, struct receiver from)
{
    plain_store(&to->loop, from.loop);
    plain_store(&to->serve, from.serve);
    plain_store(&to->arg, from.arg);
}

/* Take the task back after it ran in a phase other than POSTED, or was refused.
 * Returns true if it must be posted to a new receiver.  That one is called even
 * if no message waits, because only the owner knows whether one does.  The task
 * goes from FORWARD directly to POSTED: in IDLE it would have no reference, and
 * the owner could free the channel before this thread has posted the task. */
static bool return_task(weir_channel *channel)
{
    weir_loop *old = plain_load(&channel->now.loop);
    uintptr_t seen;

    weir__lock_lock(&channel->lock);
    /* relaxed: only the owner sets or clears FORWARD, under the lock */
    if (phase_of(load_relaxed(&channel->word)) == FORWARD)
        set_receiver(&channel->now, channel->next);
    seen = change(channel, come_back);
    weir__lock_unlock(&channel->lock);
    weir__loop_exit(old);
    if (phase_of(seen) == CLOSING)
        weir_channel_unref(channel);
    return phase_of(seen) == FORWARD;
}

static void post_task(weir_channel *channel)
{
    while (weir_loop_post(plain_load(&channel->now.loop), &channel->task) != 0)
        if (!return_task(channel))
            return;
}

/* Move from POSTED to IDLE; the caller then calls the receiver.  False: it is
 * another phase. */
static bool become_idle(weir_channel *channel)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);

    while (phase_of(seen) == POSTED)
        /* channel/P2 release: publishes that the task can be posted again
         * channel/P1 acquire: receives what came before a notify */
        if (cas_weak_acq_rel(&channel->word, &seen, seen - POSTED + IDLE))
            return true;
    return false;
}

static void run_task(weir_task *task, int status)
{
    weir_channel *channel =
        (weir_channel *)((char *)task - offsetof(weir_channel, task));
    weir_call_fn *serve = plain_load(&channel->now.serve);
    void *arg = plain_load(&channel->now.arg);

    if (become_idle(channel)) {
        if (status == 0)
            serve(arg); /* this may free the channel */
    } else if (return_task(channel)) {
        post_task(channel);
    }
}

/* ---- senders ---- */

int weir_channel_new(weir_channel **made)
{
    weir_channel *channel;

    if (made == NULL)
        return -EINVAL;
    channel = weir__memory_alloc(sizeof(*channel), _Alignof(weir_channel));
    if (channel == NULL)
        return -ENOMEM;
    *channel = (weir_channel){.task = {.run = run_task, .name = "channel"}};
    set_unshared(&channel->word, DETACHED);
    set_unshared(&channel->refs, 1);
    weir__lock_init(&channel->lock);
    *made = channel;
    return 0;
}

void weir_channel_ref(weir_channel *channel)
{
    fetch_add_relaxed(&channel->refs, 1); /* relaxed: the caller has one */
}

void weir_channel_unref(weir_channel *channel)
{
    /* channel/P3 release: this thread's uses
     * channel/P3 acquire: those of all others */
    if (fetch_sub_acq_rel(&channel->refs, 1) == 1)
        weir__memory_free(channel, sizeof(*channel));
}

/* Returns 0, WEIR_ECLOSED */
static int push(weir_channel *channel, weir_message *message)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);
    uintptr_t phase;

    do {
        phase = phase_of(seen);
        if (phase == CLOSED || phase == CLOSING)
            return WEIR_ECLOSED;
        plain_store(&message->next_, newest_of(seen));
        /* channel/P1 release: publishes the message
         * channel/P2 acquire: receives `now`, if the task was here */
    } while (!cas_weak_acq_rel(&channel->word, &seen,
                               (uintptr_t)message |
                                   (phase == IDLE ? POSTED : phase)));
    if (phase == IDLE)
        post_task(channel);
    return 0;
}

int weir_channel_send(weir_channel *channel, weir_message *message)
{
    if (channel == NULL || message == NULL)
        return -EINVAL;
    CHECK(((uintptr_t)message & PHASE_MASK) == 0, "a message is not aligned");
    weir__recorder_note(WEIR_RECORD_SEND, NULL, (uintptr_t)message, 0);
    return push(channel, message);
}

void weir_channel_end(weir_channel *channel)
{
    (void)push(channel, &channel->end);
}

void weir_channel_notify(weir_channel *channel)
{
    if (claim_task(channel))
        post_task(channel);
}

/* ---- the owner: receivers ---- */

/* Detach the receiver, under lock.  Returns the loop to release, or NULL. */
static weir_loop *recall(weir_channel *channel)
{
    uintptr_t seen = change(channel, recalled);

    switch (phase_of(seen)) {
    case IDLE:
        return plain_load(&channel->now.loop);
    case FORWARD:
        return channel->next.loop;
    default:
        return NULL;
    }
}

/* Make the new receiver's thread the owner, under lock.  Returns true if the
 * caller must post the task.  As in return_task, the channel does not become
 * IDLE first: its owner, now another thread, could free it. */
static bool change_owner(weir_channel *channel)
{
    bool is_wanted =
        plain_load(&channel->first) != NULL || plain_load(&channel->has_ended);
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);
    enum phase phase;

    do {
        phase = attached[phase_of(seen)];
        if (phase == IDLE && (is_wanted || newest_of(seen) != NULL))
            phase = POSTED;
        /* channel/P2 release: publishes `now`, and what the owner has */
    } while (!cas_weak_release(&channel->word, &seen,
                               (uintptr_t)newest_of(seen) | phase));
    return phase == POSTED;
}

int weir_channel_attach(weir_channel *channel, weir_loop *loop,
                        weir_call_fn *serve, void *arg)
{
    struct receiver receiver = {loop, serve, arg};
    weir_loop *old;
    bool is_posted;

    if (channel == NULL || loop == NULL || serve == NULL)
        return -EINVAL;
    weir__loop_enter(loop);
    weir__lock_lock(&channel->lock);
    old = recall(channel);
    /* relaxed: the owner's own change, and the lock's */
    if (phase_of(load_relaxed(&channel->word)) == DETACHED)
        set_receiver(&channel->now, receiver);
    else
        channel->next = receiver;
    is_posted = change_owner(channel);
    weir__lock_unlock(&channel->lock);
    if (old != NULL)
        weir__loop_exit(old);
    if (is_posted)
        post_task(channel);
    return 0;
}

void weir_channel_detach(weir_channel *channel)
{
    weir_loop *old;

    weir__lock_lock(&channel->lock);
    old = recall(channel);
    weir__lock_unlock(&channel->lock);
    if (old != NULL)
        weir__loop_exit(old);
}

/* ---- the owner: messages ---- */

/* Append a stack of sent messages to the owner's list, oldest first. */
static void append(weir_channel *channel, weir_message *newest)
{
    weir_message *oldest = NULL, **at = &channel->first;

    while (newest != NULL) {
        weir_message *next = plain_load(&newest->next_);

        newest->next_ = oldest;
        oldest = newest;
        newest = next;
    }
    while (plain_load(at) != NULL)
        at = &(*at)->next_;
    plain_store(at, oldest);
}

/* Move the sent messages to the owner's list. */
static void take_sent(weir_channel *channel)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);

    if (newest_of(seen) == NULL)
        return;
    /* channel/P1 acquire: receives the messages */
    while (!cas_weak_acquire(&channel->word, &seen, phase_of(seen)))
        ;
    append(channel, newest_of(seen));
}

static void note_end(weir_channel *channel)
{
    if (plain_load(&channel->first) != &channel->end)
        return;
    plain_store(&channel->first, NULL);
    plain_store(&channel->has_ended, true);
}

weir_message *weir_channel_receive(weir_channel *channel)
{
    weir_message *message;

    if (plain_load(&channel->first) == NULL)
        take_sent(channel);
    note_end(channel);
    message = plain_load(&channel->first);
    if (message != NULL) {
        plain_store(&channel->first, message->next_);
        weir__recorder_note(WEIR_RECORD_RECEIVE, NULL, (uintptr_t)message, 0);
    }
    return message;
}

static unsigned count_taken(const weir_channel *channel, unsigned most)
{
    unsigned count = channel->has_ended && most > 0;

    for (const weir_message *at = channel->first; at != NULL && count < most;
         at = at->next_)
        count++;
    return count;
}

unsigned weir_channel_waiting(weir_channel *channel, unsigned most)
{
    if (count_taken(channel, most) < most)
        take_sent(channel);
    return count_taken(channel, most);
}

bool weir_channel_has_ended(weir_channel *channel)
{
    if (channel->first == NULL)
        take_sent(channel);
    note_end(channel);
    return channel->has_ended && channel->first == NULL;
}

/* Close the channel, under lock.  Returns whether the task is still posted. */
static bool close_word(weir_channel *channel)
{
    /* relaxed: a guess, checked by the CAS */
    uintptr_t seen = load_relaxed(&channel->word);

    /* channel/P1 acquire: receives the messages */
    while (!cas_weak_acquire(&channel->word, &seen, closed[phase_of(seen)]))
        ;
    append(channel, newest_of(seen));
    return phase_of(seen) == RECALLED;
}

/* Take the messages that were not received, without the end marker. */
static weir_message *take_rest(weir_channel *channel)
{
    weir_message **at = &channel->first;

    while (*at != NULL && *at != &channel->end)
        at = &(*at)->next_;
    *at = NULL;
    return channel->first;
}

void weir_channel_close(weir_channel *channel, weir_message **rest)
{
    weir_loop *old;
    bool is_out;

    weir__lock_lock(&channel->lock);
    old = recall(channel);
    is_out = close_word(channel);
    *rest = take_rest(channel);
    weir__lock_unlock(&channel->lock);
    /* If the task is still posted, it may have freed the channel by now. */
    if (old != NULL)
        weir__loop_exit(old);
    if (!is_out)
        weir_channel_unref(channel);
}

/* SPDX-License-Identifier: MIT */
/*
 * fd -- registrations, changed by any thread, called by one.
 *
 * Shape     A registration is a slot in a slab.  A table maps a descriptor to
 *           its slot, in pages of 256 that are allocated on demand, because
 *           descriptor numbers are sparse.  Changes are made under the loop's
 *           lock, in the table and in the kernel.  Callbacks run without it:
 *           one load of the slot's word decides whether an event still belongs
 *           to a registration.
 *
 *             63                          24           8   7       0
 *            +------------------------------+-----------+---+-------+
 *            |          generation          |   flags   |   | mask  |
 *            +------------------------------+-----------+---+-------+
 *
 *           The token that the kernel keeps is the generation and the slot's
 *           index, so an event of an old registration matches no slot.
 * From another thread  add and modify are complete when they return, and so is
 *           remove.  But a callback may be running, so remove sends the slot
 *           itself as a message through the loop's queue, and `removed` is
 *           called in the close phase.
 * Lost      A descriptor that is closed before it is removed may stay in the
 *           kernel (os/epoll.c), with a token that matches nothing.  Such a
 *           failed removal leaves its generation in the slot (lost).  An event
 *           of that generation or an earlier one would be reported again and
 *           again, so the poller is renewed after the batch with what is
 *           registered.  Events that were in the batch when the removal failed
 *           are dropped, because each of them would cost a renewal.
 * Roles     add, modify, remove, ref, unref   any thread
 *           run, cancel, renew                the loop's thread
 *
 * Shared state
 *   word                 written under the lock, read by run              P1
 *   fn, arg, fd          written under the lock before P1; the loop's
 *                        thread reads them after it
 *   lost, has_lost       under the lock
 *   spent, needs_renewal    the loop's thread
 *   name, counts         relaxed, for report and for "is anything left"
 *
 * Pairs
 *   P1  add, modify, ref: store of word, release  -->  run: load, acquire
 *       Publishes fn, arg and what the caller wrote before.  The kernel orders
 *       the store before the arrival of the token, too, but neither C nor
 *       ThreadSanitizer knows of it.
 *
 * Not paired, on purpose
 *   remove: store to word, relaxed.  It publishes nothing; run sees it
 *   eventually, and at once on the loop's own thread.
 *
 * Tested by  test/unit/loop/fd*.c, test/model/loop/fd.c,
 *            test/stress/loop/loop.c, test/stress/loop/fd.c
 */
#include "loop/fd.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/check.h"
#include "base/memory.h"
#include "loop/loop.h"

enum {
    EVENTS = WEIR_FD_READABLE | WEIR_FD_WRITABLE | WEIR_FD_PRIORITY |
             WEIR_FD_ERROR | WEIR_FD_HANGUP,
    ALWAYS = WEIR_FD_ERROR | WEIR_FD_HANGUP,
    MASK = EVENTS | WEIR_FD_EDGE | WEIR_FD_ONESHOT,
    LIVE = 1 << 8,
    UNREF = 1 << 9,
    ABSENT = 1 << 10, /* a fired one-shot, left out of a renewal */
    GENERATION_SHIFT = 24,
    PAGE = 256,
};
#define GENERATION_MAX (UINT64_MAX >> GENERATION_SHIFT)
#define INDEX_MASK ((UINT64_C(1) << GENERATION_SHIFT) - 1)

static struct weir__fd *slot_at(weir_loop *loop, uint32_t index)
{
    return weir__slab_at(&loop->fds.slots, index, sizeof(struct weir__fd));
}

static uint64_t generation_of(uint64_t word)
{
    return word >> GENERATION_SHIFT;
}

static uint64_t word_of(const struct weir__fd *slot)
{
    return load_relaxed(&slot->word); /* relaxed: own, under the lock */
}

static void count(weir_loop *loop, uint64_t by, uint64_t refs_by)
{
    fetch_add_relaxed(&loop->fds.count, by);     /* relaxed: count */
    fetch_add_relaxed(&loop->fds.refs, refs_by); /* relaxed: count */
}

/* ---- the table: under the lock ---- */

static uint32_t *entry_of(struct weir__fds *fds, int fd)
{
    uint32_t page = (uint32_t)fd / PAGE;

    if (fd < 0 || page >= fds->pages || fds->page[page] == NULL)
        return NULL;
    return &fds->page[page][(uint32_t)fd % PAGE];
}

/* The slot of a registered descriptor, or NULL. */
static struct weir__fd *find(weir_loop *loop, int fd, uint32_t *index)
{
    uint32_t *entry = entry_of(&loop->fds, fd);

    if (entry == NULL || *entry == 0)
        return NULL;
    *index = *entry - 1;
    return slot_at(loop, *index);
}

static int widen(struct weir__fds *fds, uint32_t pages)
{
    uint32_t **wider =
        weir__memory_alloc(pages * sizeof(*wider), _Alignof(uint32_t *));

    if (wider == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < pages; i++)
        wider[i] = i < fds->pages ? fds->page[i] : NULL;
    weir__memory_free(fds->page, fds->pages * sizeof(*wider));
    fds->page = wider;
    fds->pages = pages;
    return 0;
}

/* Allocate the table entry of a descriptor. */
static int make_entry(struct weir__fds *fds, int fd)
{
    uint32_t page = (uint32_t)fd / PAGE;
    size_t bytes = PAGE * sizeof(uint32_t);

    if (page >= fds->pages) {
        int err = widen(fds, page + 1);

        if (err != 0)
            return err;
    }
    if (fds->page[page] == NULL) {
        fds->page[page] = weir__memory_alloc(bytes, _Alignof(uint32_t));
        if (fds->page[page] == NULL)
            return -ENOMEM;
        memset(fds->page[page], 0, bytes);
    }
    return 0;
}

/* Free a slot under a new generation.  After the last generation it is
 * retired. */
static void free_slot(weir_loop *loop, uint32_t index)
{
    struct weir__fd *slot = slot_at(loop, index);
    uint64_t generation = generation_of(word_of(slot)) + 1;

    /* relaxed: own; the old token no longer matches */
    store_relaxed(&slot->word, generation << GENERATION_SHIFT);
    store_relaxed(&slot->name, NULL); /* relaxed: own */
    (void)weir__origin_take(slot);
    fetch_sub_relaxed(&loop->fds.used, 1); /* relaxed: count */
    if (generation < GENERATION_MAX)
        weir__slab_put(&loop->fds.slots, index);
}

/* ---- add, modify ---- */

static int take_slot(weir_loop *loop, int fd, uint32_t *index)
{
    int err = make_entry(&loop->fds, fd);

    if (err == 0)
        err = weir__slab_take(&loop->fds.slots, index);
    if (err != 0)
        return err;
    if (*index > INDEX_MASK) { /* too large for a token */
        weir__slab_put(&loop->fds.slots, *index);
        return -ENOSPC;
    }
    fetch_add_relaxed(&loop->fds.used, 1); /* relaxed: count */
    return 0;
}

/* The kernel may still have this file and number from a failed removal.  Then
 * that registration becomes this one. */
static int add_to_poller(weir_loop *loop, int fd, unsigned events,
                         uint64_t token)
{
    /* relaxed: written under the lock, which we hold */
    struct weir__poller *poller = load_relaxed(&loop->poller);
    int err = weir__poller_add(poller, fd, events, token);

    return err == -EEXIST && loop->fds.has_lost
               ? weir__poller_modify(poller, fd, events, token)
               : err;
}

/* Register a descriptor with the poller and then in the table. */
static int add_locked(weir_loop *loop, int fd, unsigned events, weir_fd_fn *fn,
                      void *arg)
{
    struct weir__fd *slot;
    uint64_t generation;
    uint32_t index;
    int err;

    if (find(loop, fd, &index) != NULL)
        return -EEXIST;
    /* Check this before the poller is opened, as it may get this very
     * number. */
    if (!weir__poller_is_open(fd))
        return -EBADF;
    err = weir__loop_need_poller(loop);
    if (err == 0)
        err = take_slot(loop, fd, &index);
    if (err != 0)
        return err;
    slot = slot_at(loop, index);
    generation = generation_of(word_of(slot)) + (word_of(slot) == 0);
    plain_store(&slot->fd, fd);
    plain_store(&slot->fn, fn);
    plain_store(&slot->arg, arg);
    (void)weir__origin_note(slot, &loop->fds, NULL);
    /* fd/P1 release: publishes the slot before the kernel has its token */
    store_release(&slot->word, generation << GENERATION_SHIFT | LIVE | events);
    err =
        add_to_poller(loop, fd, events, generation << GENERATION_SHIFT | index);
    if (err != 0) {
        free_slot(loop, index);
        return err;
    }
    *entry_of(&loop->fds, fd) = index + 1;
    count(loop, 1, 1);
    return 0;
}

static bool is_mask(unsigned events)
{
    return (events & ~(unsigned)MASK) == 0;
}

int weir_fd_add(weir_loop *loop, int fd, unsigned events, weir_fd_fn *fn,
                void *arg)
{
    int err;

    weir__origin_begin();
    if (loop == NULL || fn == NULL || !is_mask(events))
        return -EINVAL;
    if (fd < 0)
        return -EBADF;
    weir__loop_enter(loop); /* fn may end it before we return */
    weir__lock_lock(&loop->lock);
    if (weir__loop_has_reached(loop, WEIR__STAGE_NO_FDS) ||
        weir__ingress_look(&loop->in) & 1)
        err = weir__loop_refusal(loop);
    /* relaxed: written under the lock, which we hold */
    else if (load_relaxed(&loop->fd_mode) == WEIR_FD_MODE_NEVER)
        err = WEIR_ENOFDS;
    else
        err = add_locked(loop, fd, events, fn, arg);
    weir__lock_unlock(&loop->lock);
    /* The loop may be asleep where it does not see the descriptor. */
    if (err == 0 && !weir__loop_is_mine(loop))
        weir_loop_wake(loop);
    weir__loop_exit(loop);
    return err;
}

/* The word of a registration for new events.  A one-shot gets the next
 * generation: an event that is already on its way would be a second shot.  The
 * kernel checks readiness again, so no event is lost. */
static uint64_t modified(uint64_t word, unsigned events)
{
    word = (word & ~(uint64_t)(MASK | ABSENT)) | events;
    if (events & WEIR_FD_ONESHOT && generation_of(word) < GENERATION_MAX)
        word += UINT64_C(1) << GENERATION_SHIFT;
    return word;
}

static int modify_in_poller(weir_loop *loop, const struct weir__watch *watch,
                            bool is_absent)
{
    /* relaxed: written under the lock, which we hold */
    struct weir__poller *poller = load_relaxed(&loop->poller);

    return is_absent ? weir__poller_add(poller, watch->fd, watch->events,
                                        watch->token)
                     : weir__poller_modify(poller, watch->fd, watch->events,
                                           watch->token);
}

/* Store the new events before the kernel reports the first of them.  Otherwise
 * run would filter that event out, and one that is reported only once would be
 * lost. */
static int modify_locked(weir_loop *loop, int fd, unsigned events)
{
    uint32_t index;
    struct weir__fd *slot = find(loop, fd, &index);
    uint64_t old, word;
    int err;

    if (slot == NULL)
        return -ENOENT;
    old = word_of(slot);
    word = modified(old, events);
    /* fd/P1 release: run may read this word and never that of add */
    store_release(&slot->word, word);
    err = modify_in_poller(
        loop,
        &(struct weir__watch){fd, events,
                              generation_of(word) << GENERATION_SHIFT | index},
        old & ABSENT);
    if (err != 0)
        store_release(&slot->word, old);  /* fd/P1 release: as above */
    return err == -ENOENT ? -EBADF : err; /* closed without our knowledge */
}

int weir_fd_modify(weir_loop *loop, int fd, unsigned events)
{
    int err;

    if (loop == NULL || !is_mask(events))
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    weir__lock_lock(&loop->lock);
    err = modify_locked(loop, fd, events);
    weir__lock_unlock(&loop->lock);
    return err;
}

/* ---- remove ---- */

/* Note that a removal has failed. */
static void lose(weir_loop *loop, struct weir__fd *slot, uint64_t generation)
{
    loop->fds.has_lost = true;
    slot->lost = generation;
}

/* Remove a registration from the table and from the kernel. */
static void unregister(weir_loop *loop, struct weir__fd *slot)
{
    uint64_t word = word_of(slot);

    *entry_of(&loop->fds, slot->fd) = 0;
    if (!(word & ABSENT) &&
        /* relaxed: written under the lock, which we hold */
        !weir__poller_remove(load_relaxed(&loop->poller), slot->fd))
        lose(loop, slot, generation_of(word));
    /* relaxed: a removal publishes nothing */
    store_relaxed(&slot->word, word & ~(uint64_t)LIVE);
    count(loop, UINT64_MAX, word & UNREF ? 0 : UINT64_MAX);
}

static void release_slot(weir_loop *loop, uint32_t index)
{
    weir__lock_lock(&loop->lock);
    free_slot(loop, index);
    weir__lock_unlock(&loop->lock);
}

static struct weir__fd *slot_of(weir_task *message)
{
    return (struct weir__fd *)((char *)message -
                               offsetof(struct weir__fd, message));
}

/* In the close phase: free the slot and call `removed`. */
static void tell_removed(weir_task *message, int status)
{
    struct weir__fd *slot = slot_of(message);
    weir_fn *removed = plain_load(&slot->removed);
    void *arg = plain_load(&slot->removed_arg);

    release_slot(weir__thread_loop(), plain_load(&slot->index));
    weir__loop_show_arg(weir__thread_loop(), arg);
    if (removed != NULL)
        removed(arg, status);
}

/* Schedule `removed`: no callback is running, and none will run. */
static void say_removed(weir_loop *loop, weir_task *message)
{
    message->run = tell_removed;
    weir__tasks_push(&loop->closing, message);
}

/* A removal on another thread has arrived through the queue. */
static void receive_removal(weir_task *message, int status)
{
    weir__loop_inner_task(weir__thread_loop());
    say_removed(weir__thread_loop(), message);
}

/* Unregister, but keep the slot for the message. */
static struct weir__fd *take_out(weir_loop *loop, int fd, weir_fn *removed,
                                 void *arg)
{
    uint32_t index;
    struct weir__fd *slot = find(loop, fd, &index);

    if (slot == NULL)
        return NULL;
    unregister(loop, slot);
    plain_store(&slot->index, index);
    plain_store(&slot->removed, removed);
    plain_store(&slot->removed_arg, arg);
    return slot;
}

/* Drop events that arrived before the removal of their descriptor failed. */
static void drop_events(weir_loop *loop, const struct weir__fd *slot)
{
    for (int i = loop->event_at; i < loop->event_count; i++)
        if ((loop->events[i].token & INDEX_MASK) == plain_load(&slot->index))
            loop->events[i].token = WEIR__POLLER_WAKE;
}

int weir_fd_remove(weir_loop *loop, int fd, weir_fn *removed, void *arg)
{
    struct weir__fd *slot;
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    weir__lock_lock(&loop->lock);
    slot = take_out(loop, fd, removed, arg);
    weir__lock_unlock(&loop->lock);
    if (slot == NULL)
        return -ENOENT;
    if (weir__loop_is_mine(loop)) {
        if (slot->lost == generation_of(word_of(slot)))
            drop_events(loop, slot);
        say_removed(loop, &slot->message);
        return 0;
    }
    slot->message.run = receive_removal;
    err = weir__loop_push(loop, &slot->message, WEIR__EXPECTED);
    CHECK(err == 0, "a loop has ended with a descriptor in it");
    return 0;
}

/* ---- ref, unref, name ---- */

static int set_ref(weir_loop *loop, int fd, bool holds)
{
    uint32_t index;
    struct weir__fd *slot = find(loop, fd, &index);
    uint64_t word;

    if (slot == NULL)
        return -ENOENT;
    word = word_of(slot);
    if (!(word & UNREF) == holds)
        return 0;
    /* fd/P1 release: as in modify */
    store_release(&slot->word, word ^ UNREF);
    count(loop, 0, holds ? 1 : UINT64_MAX);
    return 0;
}

static int change_ref(weir_loop *loop, int fd, bool holds)
{
    int err;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    weir__loop_enter(loop); /* it may be idle and freed before we return */
    weir__lock_lock(&loop->lock);
    err = set_ref(loop, fd, holds);
    weir__lock_unlock(&loop->lock);
    /* The loop may be asleep with nothing left that holds it. */
    if (err == 0 && !weir__loop_is_mine(loop))
        weir_loop_wake(loop);
    weir__loop_exit(loop);
    return err;
}

int weir_fd_ref(weir_loop *loop, int fd)
{
    return change_ref(loop, fd, true);
}

int weir_fd_unref(weir_loop *loop, int fd)
{
    return change_ref(loop, fd, false);
}

int weir_fd_set_name(weir_loop *loop, int fd, const char *name)
{
    struct weir__fd *slot;
    uint32_t index;

    if (loop == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(loop))
        return WEIR_EFORKED;
    weir__lock_lock(&loop->lock);
    slot = find(loop, fd, &index);
    if (slot != NULL)
        store_relaxed(&slot->name, name); /* relaxed: shown by report */
    weir__lock_unlock(&loop->lock);
    return slot == NULL ? -ENOENT : 0;
}

bool weir__fd_is_holding(const struct weir__fd *slot, const char **name)
{
    uint64_t before = load_relaxed(&slot->word); /* relaxed: snapshot */

    *name = load_relaxed(&slot->name); /* relaxed: snapshot */
    return before & LIVE && !(before & UNREF) &&
           /* relaxed: snapshot; same generation: the name was this one's */
           generation_of(load_relaxed(&slot->word)) == generation_of(before);
}

/* ---- the loop's thread ---- */

static const struct weir__slab_kind slot_kind = {
    .size = {sizeof(struct weir__fd)}};

void weir__fds_init(weir_loop *loop)
{
    struct weir__fds *fds = &loop->fds;

    weir__slab_init(&fds->slots, &slot_kind);
    fds->page = NULL;
    fds->pages = 0;
    fds->cancelled = 0;
    fds->has_lost = fds->needs_renewal = false;
    set_unshared(&fds->count, 0);
    set_unshared(&fds->refs, 0);
    set_unshared(&fds->used, 0);
}

void weir__fds_fini(weir_loop *loop)
{
    struct weir__fds *fds = &loop->fds;

    for (uint32_t i = 0; i < fds->pages; i++)
        weir__memory_free(fds->page[i], PAGE * sizeof(uint32_t));
    weir__memory_free(fds->page, fds->pages * sizeof(*fds->page));
    weir__slab_fini(&fds->slots);
}

/* Handle a stale event: check whether it will be reported again. */
__attribute__((cold)) static void meet_stale(weir_loop *loop,
                                             const struct weir__fd *slot,
                                             const struct weir__event *event)
{
    weir__lock_lock(&loop->lock);
    if (generation_of(event->token) <= slot->lost)
        loop->fds.needs_renewal = true;
    weir__lock_unlock(&loop->lock);
}

/* The part of an event that applies to the current registration; 0: none. */
static unsigned filter(weir_loop *loop, struct weir__fd *slot,
                       const struct weir__event *event)
{
    /* fd/P1 acquire: receives the slot, if the token is of this generation */
    uint64_t word = load_acquire(&slot->word);

    if (generation_of(word) != generation_of(event->token) || !(word & LIVE)) {
        meet_stale(loop, slot, event);
        return 0;
    }
    if (word & WEIR_FD_ONESHOT)
        slot->spent = generation_of(word);
    return event->events & ((word & EVENTS) | ALWAYS);
}

/* Record the callback's argument and descriptor in case it raises. */
static void show_callback(weir_loop *loop, const struct weir__fd *slot)
{
    weir__loop_show_arg(loop, plain_load(&slot->arg));
    loop->fd = plain_load(&slot->fd);
}

static void dispatch(weir_loop *loop, const struct weir__event *event)
{
    struct weir__fd *slot =
        slot_at(loop, (uint32_t)(event->token & INDEX_MASK));
    unsigned events = filter(loop, slot, event);

    if (events == 0)
        return;
    /* relaxed: shown to report */
    weir__loop_begin_other(loop, WEIR_KIND_FD, load_relaxed(&slot->name));
    weir__loop_show_origin(loop, weir__origin_look(slot));
    show_callback(loop, slot);
    plain_load (&slot->fn)(plain_load(&slot->arg), 0, plain_load(&slot->fd),
                           events);
    weir__loop_end(loop);
}

/* ---- renew: under the lock ---- */

struct renewal {
    weir_loop *loop;
    uint32_t fd; /* the next one to look at */
};

/* The next registration at or after *fd, which is advanced past it. */
static struct weir__fd *next_from(weir_loop *loop, uint32_t *fd,
                                  uint32_t *index)
{
    struct weir__fd *slot = NULL;

    while (slot == NULL && *fd < loop->fds.pages * PAGE)
        slot = find(loop, (int)(*fd)++, index);
    return slot;
}

/* Whether its one shot has fired.  The kernel cannot add it in that state. */
static bool is_spent(const struct weir__fd *slot)
{
    return word_of(slot) & WEIR_FD_ONESHOT &&
           slot->spent == generation_of(word_of(slot));
}

static bool next_watch(void *arg, struct weir__watch *watch)
{
    struct renewal *renewal = arg;
    struct weir__fd *slot;
    uint32_t index;

    do
        slot = next_from(renewal->loop, &renewal->fd, &index);
    while (slot != NULL && is_spent(slot));
    if (slot == NULL)
        return false;
    *watch = (struct weir__watch){
        slot->fd, word_of(slot) & MASK,
        generation_of(word_of(slot)) << GENERATION_SHIFT | index};
    return true;
}

/* Mark fired one-shots as absent.  They are added when they are armed again. */
static void leave_out_spent(weir_loop *loop)
{
    struct weir__fd *slot;
    uint32_t fd = 0, index;

    while ((slot = next_from(loop, &fd, &index)) != NULL)
        if (is_spent(slot))
            /* fd/P1 release: as in modify */
            store_release(&slot->word, word_of(slot) | ABSENT);
}

/* If the kernel has no room for a renewal, the next stale event retries it. */
__attribute__((cold)) static void renew(weir_loop *loop)
{
    struct renewal renewal = {loop, 0};

    loop->fds.needs_renewal = false;
    weir__lock_lock(&loop->lock);
    /* relaxed: written under the lock, which we hold */
    if (weir__poller_renew(load_relaxed(&loop->poller), next_watch, &renewal) ==
        0) {
        leave_out_spent(loop);
        loop->fds.has_lost = false;
    }
    weir__lock_unlock(&loop->lock);
}

void weir__fds_run(weir_loop *loop)
{
    while (loop->event_at < loop->event_count && loop->status == 0) {
        const struct weir__event *event = &loop->events[loop->event_at++];

        if (event->token != WEIR__POLLER_WAKE)
            dispatch(loop, event);
    }
    loop->event_at = loop->event_count;
    if (__builtin_expect(loop->fds.needs_renewal, 0) && loop->status == 0)
        renew(loop);
}

static bool cancel_next(weir_loop *loop)
{
    struct weir__fd *slot;
    struct weir__fd gone;
    uint32_t index;

    weir__lock_lock(&loop->lock);
    slot = next_from(loop, &loop->fds.cancelled, &index);
    if (slot != NULL) {
        unregister(loop, slot);
        gone = *slot;
        free_slot(loop, index);
    }
    weir__lock_unlock(&loop->lock);
    if (slot == NULL)
        return false;
    weir__loop_begin_other(loop, WEIR_KIND_FD, gone.name.v_);
    show_callback(loop, &gone);
    gone.fn(gone.arg, WEIR_ECANCELED, gone.fd, 0);
    weir__loop_end(loop);
    return true;
}

void weir__fds_cancel(weir_loop *loop)
{
    while (cancel_next(loop))
        ;
}

/* SPDX-License-Identifier: MIT */
/*
 * loop -- everything at once.  Eight threads do to one loop whatever can be
 * done to it, and so do its own callbacks; then it is ended from three sides.
 * Each thing that was accepted has one outcome, and the books must balance:
 *
 *   tasks of every kind   called once, with 0 or WEIR_ECANCELED
 *   timers                fired (once), or cancelled by a call that returned
 *                         0, or told WEIR_ECANCELED
 *   descriptors           confirmed as removed, or told WEIR_ECANCELED
 *   weir_raise            told to on_uncaught
 *   memory                given back
 *
 * WEIR_SECONDS sets how long (5; `make verify` says 60), WEIR_SEED what is
 * done.  A party lasts for less than half a second; then comes the next one.
 */
#include "loop/loop.h" /* src: for its lock */

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/failing_allocator.h"
#include "support/loop_fixture.h"
#include "support/named.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/fd.h"
#include "weir/metrics.h"

enum { ACTORS = 8, WIRES = 2, NOTES = 128, BACKLOG = 500 };

/* What is accepted, and ends. */
enum thing {
    POST,
    SUBMIT,
    NAMED,
    DISPATCH,
    TICK,
    MICROTASK,
    IMMEDIATE,
    CLOSING,
    LOAN,
    BURIAL,
    TIMER,
    DESCRIPTOR,
    THINGS
};

static const char *const thing_names[THINGS] = {
    "post",      "submit",  "named", "dispatch", "tick",  "microtask",
    "immediate", "closing", "loan",  "burial",   "timer", "descriptor"};

/* The argument of a call: who sent it, and as what. */
struct chit {
    struct actor *actor;
    enum thing thing;
};

struct wire {
    struct actor *owner;
    int fd, peer;             /* what is written to peer comes out of fd */
    struct registration *now; /* NULL: not added.  The owner's, unless ... */
    bool is_lent;             /* atomic: ... the loop is at it */
};

/* One for each thread, and ACTORS for the loop's. */
struct actor {
    _Alignas(128) struct random random;
    uint64_t accepted[THINGS]; /* by its own thread */
    uint64_t withdrawn;        /* the same: timers whose cancel returned 0 */
    uint64_t raised;           /* the same */
    unsigned refusals;         /* the same */
    weir_metrics seen;         /* by the last look */
    struct bell *graveyard;    /* own: bells that the loop did not bury */
    struct chit chits[THINGS];
    struct wire wires[WIRES];
    _Alignas(128) uint64_t ended[THINGS]; /* atomic, by the loop's thread */
};

static struct {
    struct actor actors[ACTORS + 1];
    struct note *board[NOTES]; /* atomic: timers that anybody may cancel */
    int64_t end_ns;            /* when the ending begins */
    bool is_ending;            /* atomic: it has */
    bool closes;               /* one of the three ends is a close */
    unsigned done;
    uint64_t uncaught;
    struct failing_allocator memory;
    uint64_t total[THINGS]; /* of all parties */
} party;

static _Thread_local struct actor *me;
static _Thread_local bool must_not_allocate;

static uint64_t lot(uint64_t limit)
{
    return random_below(&me->random, limit);
}

/* ---- books ---- */

static void end_of(struct actor *actor, enum thing thing)
{
    __atomic_fetch_add(&actor->ended[thing], 1, __ATOMIC_RELAXED);
}

static bool is_behind(const struct actor *actor, enum thing thing)
{
    return actor->accepted[thing] >
           __atomic_load_n(&actor->ended[thing], __ATOMIC_RELAXED) + BACKLOG;
}

/* A refusal has no effect, and comes only when the loop ends. */
static void refused(int err)
{
    expect_status(err, WEIR_ECLOSED);
    expect(__atomic_load_n(&party.is_ending, __ATOMIC_RELAXED));
    me->refusals++;
}

/* ---- tasks ---- */

static void act(void);

/* At the end of a callback: now and then it does something itself, or fails. */
static void react(void)
{
    if (lot(4) == 0)
        act();
    if (lot(64) == 0) {
        me->raised++;
        weir_raise(-EIO, "by lot");
    }
}

static void called(void *arg, int status)
{
    struct chit *chit = arg;

    expect(weir_loop_is_owner(loop));
    if (status != 0)
        expect_status(status, WEIR_ECANCELED);
    end_of(chit->actor, chit->thing);
    react();
}

struct parcel {
    weir_task task;
    struct chit *chit;
};

static void deliver(weir_task *task, int status)
{
    struct parcel *parcel = (struct parcel *)task;
    struct chit *chit = parcel->chit;

    free(parcel);
    called(chit, status);
}

static int post(struct chit *chit)
{
    struct parcel *parcel = malloc(sizeof(*parcel));
    int err;

    expect(parcel != NULL);
    *parcel = (struct parcel){{.run = deliver, .name = "parcel"}, chit};
    err = weir_loop_post(loop, &parcel->task);
    if (err != 0)
        free(parcel);
    return err;
}

static int send_as(enum thing thing)
{
    struct chit *chit = &me->chits[thing];

    switch (thing) {
    case POST:
        return post(chit);
    case NAMED:
        return submit_named(loop, called, chit, "named");
    case DISPATCH:
        return weir_loop_dispatch(loop, called, chit);
    case TICK:
        return weir_loop_next_tick(loop, called, chit);
    case MICROTASK:
        return weir_loop_microtask(loop, called, chit);
    case IMMEDIATE:
        return weir_loop_immediate(loop, called, chit);
    case CLOSING:
        return weir_loop_on_close_phase(loop, called, chit);
    default:
        return weir_loop_submit(loop, called, chit);
    }
}

/* Counted before it is sent: a dispatch on the loop may end by weir_raise. */
static void act_send(void)
{
    enum thing thing = (enum thing)lot(CLOSING + 1);
    int err;

    if (is_behind(me, thing)) {
        sched_yield();
        return;
    }
    me->accepted[thing]++;
    err = send_as(thing);
    if (err != 0) {
        me->accepted[thing]--;
        refused(err);
    }
}

/* ---- timers ---- */

/* Freed by whoever brings its end about. */
struct bell {
    struct actor *actor;
    int64_t due_ns;
    bool repeats;
    struct bell *next; /* in the graveyard */
};

/* Whoever takes it from the board may cancel the timer. */
struct note {
    weir_timer id;
    struct bell *bell; /* there, if the cancel returns 0 */
    bool repeats;
};

static void ring(void *arg, int status)
{
    struct bell *bell = arg;

    expect(weir_loop_is_owner(loop));
    if (status == 0)
        expect(weir_clock_now() >= bell->due_ns);
    else
        expect_status(status, WEIR_ECANCELED);
    if (status != 0 || !bell->repeats) {
        end_of(bell->actor, TIMER);
        free(bell);
    }
    react();
}

static void bury(void *bell, int status)
{
    struct actor *actor = ((struct bell *)bell)->actor;

    free(bell);
    end_of(actor, BURIAL);
}

/* One that repeats may be ringing on the loop's thread; a task of ours comes
 * after that. */
static void bury_later(struct bell *bell)
{
    int err;

    bell->actor = me;
    me->accepted[BURIAL]++;
    err = weir_loop_submit(loop, bury, bell);
    if (err == 0)
        return;
    me->accepted[BURIAL]--;
    refused(err);
    bell->next = me->graveyard;
    me->graveyard = bell;
}

static void cancel(const struct note *note)
{
    int err = weir_timer_cancel(loop, note->id);

    if (err != 0) {
        expect_status(err, -ENOENT);
        return;
    }
    me->withdrawn++;
    if (note->repeats && !weir_loop_is_owner(loop))
        bury_later(note->bell);
    else
        free(note->bell);
}

/* Puts a note on the board, or takes one, or both. */
static struct note *swap_note(struct note *note)
{
    return __atomic_exchange_n(&party.board[lot(NOTES)], note,
                               __ATOMIC_ACQ_REL);
}

static void use_up(struct note *note)
{
    if (note != NULL)
        cancel(note);
    free(note);
}

static void act_start(void)
{
    int64_t delay_ns = (int64_t)lot(1000000);
    weir_timer_repeat repeat =
        lot(3) == 0 ? (weir_timer_repeat)(1 + lot(3)) : WEIR_TIMER_ONCE;
    struct bell *bell = malloc(sizeof(*bell));
    struct note *note = malloc(sizeof(*note));
    int err;

    expect(bell != NULL && note != NULL);
    if (repeat != WEIR_TIMER_ONCE)
        delay_ns += 500000;
    *bell = (struct bell){.actor = me,
                          .due_ns = weir_clock_now() + delay_ns,
                          .repeats = repeat != WEIR_TIMER_ONCE};
    *note = (struct note){.bell = bell, .repeats = bell->repeats};
    err = weir_timer_start(loop, &note->id, delay_ns, repeat, ring, bell);
    if (err == 0) {
        me->accepted[TIMER]++;
        use_up(swap_note(note));
        return;
    }
    refused(err);
    free(note);
    free(bell);
}

static void act_cancel(void)
{
    use_up(swap_note(NULL));
}

/* ENOENT: it has fired. */
static void act_on_timer(void)
{
    struct note *note = swap_note(NULL);
    int err;

    if (note == NULL)
        return;
    if (weir_loop_is_owner(loop) && lot(2) == 0)
        err = weir_timer_set_name(loop, note->id, "bell");
    else
        err = (lot(2) == 0 ? weir_timer_ref : weir_timer_unref)(loop, note->id);
    if (err != -ENOENT)
        expect_status(err, 0);
    use_up(swap_note(note));
}

/* ---- descriptors ---- */

/* Allocated for each add, freed at its last word. */
struct registration {
    struct actor *actor;
    struct wire *wire;
};

static void empty(int fd)
{
    char bytes[64];

    while (read(fd, bytes, sizeof(bytes)) == sizeof(bytes))
        ;
}

static void on_event(void *arg, int status, int fd, unsigned events)
{
    struct registration *registration = arg;

    expect_int(fd, registration->wire->fd);
    expect((status == 0) == (events != 0));
    if (status == 0) {
        empty(fd);
    } else {
        expect_status(status, WEIR_ECANCELED);
        end_of(registration->actor, DESCRIPTOR);
        free(registration);
    }
    react();
}

static void on_removed(void *arg, int status)
{
    struct registration *registration = arg;

    if (status != 0)
        expect_status(status, WEIR_ECANCELED);
    end_of(registration->actor, DESCRIPTOR);
    free(registration);
    react();
}

static unsigned random_mask(void)
{
    static const unsigned masks[] = {0, WEIR_FD_READABLE, WEIR_FD_READABLE,
                                     WEIR_FD_READABLE | WEIR_FD_ONESHOT,
                                     WEIR_FD_WRITABLE | WEIR_FD_ONESHOT};

    return masks[lot(sizeof(masks) / sizeof(masks[0]))];
}

static void add(struct wire *wire)
{
    struct registration *registration = malloc(sizeof(*registration));
    int err;

    expect(registration != NULL);
    *registration = (struct registration){me, wire};
    wire->now = registration;
    err = weir_fd_add(loop, wire->fd, random_mask(), on_event, registration);
    if (err == 0) {
        me->accepted[DESCRIPTOR]++;
        return;
    }
    wire->now = NULL;
    free(registration);
    if (err != WEIR_ENOFDS)
        refused(err);
}

/* ENOENT: the loop has told it WEIR_ECANCELED. */
static void take_away(struct wire *wire)
{
    struct registration *registration = wire->now;
    int err;

    wire->now = NULL;
    err = weir_fd_remove(loop, wire->fd, on_removed, registration);
    if (err != 0) {
        expect_status(err, -ENOENT);
        expect(__atomic_load_n(&party.is_ending, __ATOMIC_RELAXED));
    }
}

static void add_or_take_away(struct wire *wire)
{
    if (wire->now == NULL)
        add(wire);
    else
        take_away(wire);
}

/* A wire of another thread's, on the loop's. */
static void borrow(void *arg, int status)
{
    struct wire *wire = arg;

    add_or_take_away(wire);
    __atomic_store_n(&wire->is_lent, false, __ATOMIC_RELEASE);
    end_of(wire->owner, LOAN);
}

static void lend(struct wire *wire)
{
    int err;

    me->accepted[LOAN]++;
    __atomic_store_n(&wire->is_lent, true, __ATOMIC_RELAXED);
    err = weir_loop_submit(loop, borrow, wire);
    if (err == 0)
        return;
    __atomic_store_n(&wire->is_lent, false, __ATOMIC_RELAXED);
    me->accepted[LOAN]--;
    refused(err);
}

static void act_on_own_wire(void)
{
    struct wire *wire = &me->wires[lot(WIRES)];

    if (__atomic_load_n(&wire->is_lent, __ATOMIC_ACQUIRE))
        return;
    if (lot(4) == 0)
        lend(wire);
    else
        add_or_take_away(wire);
}

static int change(int fd)
{
    switch (lot(4)) {
    case 0:
        return weir_fd_ref(loop, fd);
    case 1:
        return weir_fd_unref(loop, fd);
    case 2:
        return weir_fd_set_name(loop, fd, "wire");
    default:
        return weir_fd_modify(loop, fd, random_mask());
    }
}

/* ENOENT: it is not watched at the moment. */
static void act_on_any_wire(void)
{
    struct wire *wire = &party.actors[lot(ACTORS + 1)].wires[lot(WIRES)];
    int err = change(wire->fd);

    if (err != -ENOENT)
        expect_status(err, 0);
}

static void act_write(void)
{
    struct wire *wire = &party.actors[lot(ACTORS + 1)].wires[lot(WIRES)];
    const uint64_t one = 1;

    if (write(wire->peer, &one, sizeof(one)) != sizeof(one))
        expect_int(errno, EAGAIN); /* it is full */
}

/* ---- the loop itself ---- */

static void act_mode(void)
{
    static const weir_fd_mode modes[] = {WEIR_FD_MODE_AUTO, WEIR_FD_MODE_ALWAYS,
                                         WEIR_FD_MODE_NEVER};
    weir_fd_mode mode = modes[lot(3)];
    int err = weir_loop_set_fd_mode(loop, mode);

    if (err == WEIR_ENOFDS)
        expect_int(mode, WEIR_FD_MODE_NEVER);
    else if (err != 0)
        refused(err);
}

static void act_wake(void)
{
    weir_loop_wake(loop);
}

static void act_ref(void)
{
    weir_loop_ref(loop);
    if (lot(2) == 0)
        sched_yield();
    weir_loop_unref(loop);
}

/* It has a thread already. */
static void act_run(void)
{
    int err = lot(2) == 0 ? weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE)
                          : weir_loop_step(loop, 0);

    if (weir_loop_is_owner(loop))
        expect_status(err, WEIR_EREENTRANT);
    else if (err != -EBUSY)
        refused(err);
}

/* ---- looking, at any time ---- */

static void check_holder(const weir_holder *holder)
{
    expect((unsigned)holder->kind <= WEIR_KIND_REF);
    expect(holder->count > 0);
    expect(holder->age_ns >= -1);
    expect(holder->is_running == (holder->thread != 0));
    if (holder->name != NULL)
        expect(holder->name[0] >= 'a' && holder->name[0] <= 'z');
}

static void look_at_report(void)
{
    weir_holder holders[24];
    size_t count = weir_loop_report(loop, holders, 24, sizeof(weir_holder));

    for (size_t i = 0; i < count && i < 24; i++)
        check_holder(&holders[i]);
}

/* Counts never become less.  What a nanosecond is in ticks becomes known with
 * time, so the longest time may; but not by much. */
static void expect_growth(const weir_metrics *before, const weir_metrics *now)
{
    expect(now->turns >= before->turns);
    expect(now->tasks >= before->tasks);
    expect(now->callbacks >= before->callbacks);
    expect(now->wakes_sent >= before->wakes_sent);
    expect(now->queue_depth_max >= before->queue_depth_max);
    expect(now->in_queue.count >= before->in_queue.count);
    expect(now->in_callback.count >= before->in_callback.count);
    expect(now->longest_ns >= before->longest_ns / 4);
    expect(now->in_callback.max_ns >= before->longest_ns / 4);
}

static void look_at_metrics(void)
{
    weir_metrics now = {.size = sizeof(now)};
    uint64_t value_ns;

    expect_status(weir_loop_metrics(loop, &now), 0);
    expect_growth(&me->seen, &now);
    me->seen = now;
    expect_status(weir_loop_percentile(loop, WEIR_METRIC_IN_QUEUE,
                                       (double)lot(101), &value_ns),
                  0);
}

/* Nothing is allocated; and now and then the lock is ours, so that one who
 * needed it would wait forever. */
static void act_look(void)
{
    bool has_lock = lot(16) == 0;

    if (has_lock)
        weir__lock_lock(&loop->lock);
    must_not_allocate = true;
    look_at_report();
    if (lot(IS_THREAD_SANITIZED ? 64 : 4) == 0) /* many loads */
        look_at_metrics();
    expect(weir_loop_state(loop) != WEIR_LOOP_AWAKE);
    must_not_allocate = false;
    if (has_lock)
        weir__lock_unlock(&loop->lock);
}

/* ---- threads ---- */

static void act(void)
{
    static void (*const acts[])(void) = {
        act_send,        act_send,        act_send,  act_send,
        act_start,       act_start,       act_start, act_cancel,
        act_on_timer,    act_on_own_wire, act_write, act_on_own_wire,
        act_on_any_wire, act_mode,        act_wake,  act_ref,
        act_run,         act_look};

    acts[lot(sizeof(acts) / sizeof(acts[0]))]();
}

/* Two shut it down, one of them impatiently; one closes it, by lot. */
static void end_party(unsigned id)
{
    int err = 0;

    __atomic_store_n(&party.is_ending, true, __ATOMIC_RELAXED);
    if (id == 0)
        do
            err = weir_loop_shutdown(loop, (int64_t)lot(200000));
        while (err == -ETIMEDOUT);
    else if (id == 1)
        err = weir_loop_shutdown(loop, -1);
    else if (id == 2 && party.closes)
        err = weir_loop_close(loop, -1);
    expect_status(err, 0);
}

static void run_or_act(struct crew *crew, unsigned id)
{
    me = &party.actors[id];
    crew_meet(crew);
    if (id == ACTORS) {
        expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED), 0);
        return;
    }
    while (weir_loop_state(loop) == WEIR_LOOP_AWAKE)
        sched_yield();
    while (effort_now() < party.end_ns)
        act();
    end_party(id);
    while (me->refusals < 100) /* after the end, too */
        act();
    weir_loop_unref(loop);
}

/* ---- before and after ---- */

static void *alloc(void *context, size_t size, size_t align)
{
    expect(!must_not_allocate);
    return party.memory.hooks.alloc(context, size, align);
}

static void on_uncaught(void *arg, weir_loop *at, const weir_uncaught *what)
{
    expect(at == loop);
    expect_status(what->code, -EIO);
    expect_string(what->message, "by lot");
    party.uncaught++;
}

static void on_done(void *arg, weir_loop *ended, int status)
{
    expect(ended == loop);
    if (status != 0)
        expect(party.closes);
    party.done++;
}

static void open_wires(void)
{
    int ends[2];

    for (unsigned i = 0; i <= ACTORS; i++) {
        struct wire *wires = party.actors[i].wires;

        wires[0].fd = wires[0].peer = event_open(0);
        expect_int(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends),
                   0);
        wires[1].fd = ends[0];
        wires[1].peer = ends[1];
    }
}

static void prepare_actor(struct actor *actor)
{
    for (unsigned i = 0; i < THINGS; i++) {
        actor->accepted[i] = actor->ended[i] = 0;
        actor->chits[i] = (struct chit){actor, (enum thing)i};
    }
    actor->withdrawn = actor->raised = actor->refusals = 0;
    actor->seen = (weir_metrics){0};
    actor->graveyard = NULL;
    for (unsigned i = 0; i < WIRES; i++) {
        actor->wires[i].owner = actor;
        actor->wires[i].now = NULL;
        actor->wires[i].is_lent = false;
    }
}

static void prepare_party(struct random *random)
{
    party.end_ns =
        effort_now() + 30000000 + (int64_t)random_below(random, 400000000);
    party.is_ending = false;
    party.closes = random_below(random, 2) == 0;
    party.done = 0;
    party.uncaught = 0;
    loop_make(LOOP_OPTIONS(.name = "party", .metrics = true,
                           .spin_ns = (int64_t)random_below(random, 2) * 5000,
                           .on_uncaught = on_uncaught, .done = on_done));
    for (unsigned i = 0; i <= ACTORS; i++) {
        party.actors[i].random.state = random_next(random);
        prepare_actor(&party.actors[i]);
        if (i < ACTORS)
            weir_loop_ref(loop);
    }
}

static void clear_away(void)
{
    for (unsigned i = 0; i < NOTES; i++) {
        free(party.board[i]);
        party.board[i] = NULL;
    }
    for (unsigned i = 0; i < ACTORS; i++) {
        struct bell *bell;

        while ((bell = party.actors[i].graveyard) != NULL) {
            party.actors[i].graveyard = bell->next;
            free(bell);
        }
    }
}

static void check_books(void)
{
    uint64_t withdrawn = 0, raised = 0, timers = 0;
    weir_metrics metrics = {.size = sizeof(metrics)};

    for (unsigned i = 0; i <= ACTORS; i++) {
        struct actor *actor = &party.actors[i];

        for (unsigned thing = 0; thing < THINGS; thing++) {
            party.total[thing] += actor->accepted[thing];
            if (thing != TIMER)
                expect_int(actor->ended[thing], actor->accepted[thing]);
        }
        timers += actor->accepted[TIMER] - actor->ended[TIMER];
        withdrawn += actor->withdrawn;
        raised += actor->raised;
    }
    expect_int(timers, withdrawn);
    expect_int(raised, party.uncaught);
    expect_int(party.done, 1);
    expect_int(weir_loop_state(loop), WEIR_LOOP_TERMINATED);
    expect_int(weir_loop_report(loop, NULL, 0, sizeof(weir_holder)), 0);
    expect_status(weir_loop_metrics(loop, &metrics), 0);
    expect_int(metrics.queue_depth, 0);
}

static void hold_party(struct random *random)
{
    prepare_party(random);
    crew_run(ACTORS + 1, run_or_act, NULL);
    clear_away();
    check_books();
    loop_end();
    expect_int(party.memory.live, 0);
}

STRESS_CASE(loop_under_everything_at_once_keeps_its_books)
{
    struct random random = {random_seed()};
    struct effort effort = effort_begin(5);
    weir_allocator hooks;

    failing_allocator_init(&party.memory, 0);
    hooks = party.memory.hooks;
    hooks.alloc = alloc;
    expect_status(weir_set_allocator(&hooks), 0);
    open_wires();
    while (effort_goes_on(&effort))
        hold_party(&random);
    fprintf(stderr, "#");
    for (unsigned thing = 0; thing < THINGS; thing++)
        fprintf(stderr, " %s %" PRIu64, thing_names[thing], party.total[thing]);
    fprintf(stderr, "\n");
}

/* SPDX-License-Identifier: MIT */
/*
 * fd -- descriptors added, changed and removed from other threads, while they
 * are ready and while their loop ends.  Each registration has one last word: it
 * was removed, or it gets WEIR_ECANCELED; and none after that.  Some are
 * closed before they are removed, with a duplicate open: the loop has to get
 * rid of what the kernel keeps of them.  Half of the files are not readable
 * until they are lost, so that an event of a lost one that reaches another
 * registration, in the same slot, shows.
 *
 * loop_race.h says what sets the number of rounds.
 */
#include "weir/fd.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/loop_fixture.h"
#include "support/loop_race.h"
#include "support/random.h"
#include "support/stall.h"
#include "support/suite.h"

enum { WORKERS = 3, FDS = 4 };

/* A descriptor of one worker's, which alone adds and removes it. */
struct wire {
    int fd;
    int kept;                 /* the same file */
    bool is_silent;           /* it is never readable while it is watched */
    int lost;                 /* silent: the file before, or -1 */
    struct registration *now; /* NULL: not added */
};

/* Allocated for each add, freed at its last word; so the sanitizers see a
 * callback that comes later. */
struct registration {
    struct worker *worker;
    int fd;
    bool is_silent;
};

struct worker {
    _Alignas(128) struct wire wires[FDS];
    struct random random;
    uint64_t added, removed;       /* worker only: calls that returned 0 */
    uint64_t called;               /* loop only ... */
    uint64_t confirmed, cancelled; /* ... last words */
};

static struct worker workers[WORKERS];
static bool stalls;       /* a worker, before it ends */
static bool closes;       /* or else it shuts down ... */
static unsigned patience; /* ... after so many yields */

static void on_event(void *arg, int status, int fd, unsigned events)
{
    struct registration *registration = arg;

    expect_int(fd, registration->fd);
    if (status == 0) {
        expect(events != 0);
        expect(!registration->is_silent || !(events & WEIR_FD_READABLE));
        registration->worker->called++;
        return;
    }
    expect_status(status, WEIR_ECANCELED);
    expect_int(events, 0);
    registration->worker->cancelled++;
    free(registration);
}

static void on_removed(void *arg, int status)
{
    struct registration *registration = arg;

    if (status != 0)
        expect_status(status, WEIR_ECANCELED);
    registration->worker->confirmed++;
    free(registration);
}

static int add(struct worker *worker, struct wire *wire)
{
    struct registration *registration = malloc(sizeof(*registration));
    int err;

    expect(registration != NULL);
    *registration = (struct registration){
        .worker = worker, .fd = wire->fd, .is_silent = wire->is_silent};
    err = weir_fd_add(loop, wire->fd, WEIR_FD_READABLE, on_event, registration);
    if (err == 0) {
        worker->added++;
        wire->now = registration;
    } else {
        free(registration);
    }
    return err;
}

/* ENOENT: the loop has told it WEIR_ECANCELED, and it is gone. */
static int take_away(struct worker *worker, struct wire *wire)
{
    int err = weir_fd_remove(loop, wire->fd, on_removed, wire->now);

    if (err == 0)
        worker->removed++;
    wire->now = NULL;
    return err;
}

/* A number that is closed and not removed yet must not be added. */
static pthread_mutex_t numbers = PTHREAD_MUTEX_INITIALIZER;

/* Closed first; its next number may be the same, or one that was another's. */
static int lose(struct worker *worker, struct wire *wire)
{
    int err;

    pthread_mutex_lock(&numbers);
    /* Not by close: ThreadSanitizer knows that the loop may be using it. */
    expect_int(syscall(SYS_close, wire->fd), 0);
    err = take_away(worker, wire);
    if (wire->is_silent) {
        if (wire->lost >= 0)
            close(wire->lost);
        wire->lost = wire->kept;
        wire->kept = event_open(0);
    }
    wire->fd = dup(wire->kept);
    pthread_mutex_unlock(&numbers);
    expect(wire->fd >= 0);
    return err;
}

static int change(struct worker *worker, struct wire *wire)
{
    static const unsigned masks[] = {0, WEIR_FD_READABLE, WEIR_FD_WRITABLE,
                                     WEIR_FD_READABLE | WEIR_FD_ONESHOT};

    switch (random_below(&worker->random, 4)) {
    case 0:
        return weir_fd_unref(loop, wire->fd);
    case 1:
        return weir_fd_ref(loop, wire->fd);
    default:
        return weir_fd_modify(loop, wire->fd,
                              masks[random_below(&worker->random, 4)]);
    }
}

/* Until the loop refuses; what it says to each is then known. */
static void work_wires(struct worker *worker)
{
    int err = 0;

    while (err == 0) {
        struct wire *wire = &worker->wires[random_below(&worker->random, FDS)];

        if (wire->now == NULL)
            err = add(worker, wire);
        else if (random_below(&worker->random, 2) == 0)
            err = change(worker, wire);
        else if (random_below(&worker->random, 4) == 0)
            err = lose(worker, wire);
        else
            err = take_away(worker, wire);
        if (wire->lost >= 0 && random_below(&worker->random, 4) == 0)
            event_fill(wire->lost);
        if (random_below(&worker->random, 16) == 0)
            sched_yield();
    }
    if (err != -ENOENT)
        expect_status(err, WEIR_ECLOSED);
}

static void open_wires(void)
{
    for (unsigned i = 0; i < WORKERS; i++) {
        workers[i].random.state = race_choose(UINT64_MAX);
        for (unsigned j = 0; j < FDS; j++) {
            struct wire *wire = &workers[i].wires[j];

            wire->is_silent = j % 2 == 1;
            wire->kept = event_open(!wire->is_silent);
            wire->lost = -1;
            wire->fd = dup(wire->kept);
            expect(wire->fd >= 0);
        }
    }
}

static void prepare(void)
{
    race_make_loop(race_choose_bed());
    stalls = race_choose(2) == 0;
    closes = race_choose(2) == 0;
    patience = (unsigned)race_choose(20);
    for (unsigned i = 0; i < WORKERS; i++) {
        struct worker *worker = &workers[i];

        worker->added = worker->removed = 0;
        worker->called = worker->confirmed = worker->cancelled = 0;
        for (unsigned j = 0; j < FDS; j++)
            worker->wires[j].now = NULL;
    }
    for (unsigned i = 0; i < 2 + WORKERS; i++)
        weir_loop_ref(loop); /* one for each thread */
}

static void check(void)
{
    for (unsigned i = 0; i < WORKERS; i++) {
        struct worker *worker = &workers[i];

        expect_int(worker->confirmed, worker->removed);
        expect_int(worker->cancelled, worker->added - worker->removed);
    }
}

/* Just when a worker is stopped, and may have a message to send. */
static void end_loop(pthread_t worker)
{
    for (unsigned i = 0; i < patience; i++)
        sched_yield();
    if (stalls)
        stall_thread(worker);
    if (closes)
        expect_status(weir_loop_close(loop, -1), 0);
    else
        expect_status(weir_loop_shutdown(loop, -1), 0);
    race_free_unless_done();
}

static void end_or_work(struct crew *crew, unsigned id)
{
    while (race_begin(crew, id, prepare)) {
        if (id < WORKERS)
            work_wires(&workers[id]);
        else if (id == WORKERS)
            end_loop(crew->members[0].thread);
        else
            race_run_if_first();
        weir_loop_unref(loop);
        race_end(crew, id);
        if (id == 0)
            check();
    }
}

STRESS_CASE(descriptors_changed_while_their_loop_ends_have_one_last_word_each)
{
    stall_prepare();
    open_wires();
    race_run(4, WORKERS + 2, end_or_work);
}

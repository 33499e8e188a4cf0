/* SPDX-License-Identifier: MIT */
/*
 * service -- one lifecycle over gate, loops, pools and hooks.
 *
 * Shape     The service has a loop of its own, the keeper, on a thread of its
 *           own.  Whatever happens comes to it through the door of that loop:
 *           stop, force, the gate that closes, a hook, a pool, a loop that ends;
 *           signals come as a descriptor, deadlines as timers.  So the drain is
 *           single-threaded code: each time something has ended, advance() goes
 *           on as far as it can.
 *
 *               WORK -> GATE -> HOOKS -> POOLS -> LOOPS -> OVER
 *
 *           One word is for everybody: phase and flags.
 *
 *             4           3       2      1     0
 *            +-----------+-------+------+-----------+
 *            | NOT_READY | FORCE | STOP |   phase   |
 *            +-----------+-------+------+-----------+
 *
 *           STOP and FORCE are set once each, and who sets one posts the task
 *           that goes with it, unless the service has not been started: then
 *           start posts it, as it sees the flag in the same word.
 * Roles     start, stop, force, set_ready, wait, report   any thread
 *           everything static that says keeper            its thread
 *
 * Shared state
 *   word      any thread, atomic; the keeper changes the phase              P1
 *   members, hooks, pools, loops   under lock until start; const then       P1
 *
 * Pairs
 *   P1  start: CAS on word, release  -->  stop, force: fetch_or, CAS; report:
 *       load; acquire
 *       Hands over the gate that is open now, members and hooks.  Who stops or
 *       forces hands them on to the keeper, through its door.  Without it the
 *       keeper may find the gate closed still, drain nothing, and wait for it.
 *
 * Not paired, on purpose
 *   word, otherwise: it hands nothing over.  The keeper's door does, and, for
 *   who waits, the gate `life`, which closes with the service.
 *
 * Tested by  test/unit/service*.c, test/stress/service.c, test/model/service.c
 */
#include "service.h"

#include <errno.h>
#include <stddef.h>

#include "check.h"
#include "loop.h"
#include "memory.h"
#include "report.h"
#include "signals.h"
#include "wakefd.h"
#include "weir/fd.h"

enum {
    PHASE = 3,
    STOP = 4,
    FORCE = 8,
    NOT_READY = 16,
    SHOWN = 64, /* holders that on_report gets, at the most */
};
#define A_CENTURY_NS (INT64_C(100) * 365 * 24 * 3600 * 1000000000)

static uint32_t look(const weir_service *service)
{
    return load_relaxed(&service->word); /* relaxed: see above */
}

static weir_phase phase_of(uint32_t word)
{
    return (weir_phase)(word & PHASE);
}

/* ---- the keeper: what the user wrote ---- */

/* In the middle of a callback of ours, which has steps to take yet: it fails
 * alone, and what it raises is told by its own name. */
static void keeper_call(weir_service *service, const char *name, weir_fn *call)
{
    weir__loop_begin(service->keeper, WEIR_KIND_TASK, name);
    weir__loop_contain(call, service, 0);
}

static void call_draining(void *arg, int status)
{
    weir_service *service = arg;

    (void)status;
    if (service->options.draining != NULL)
        service->options.draining(service->options.arg, service);
}

static void call_report(void *arg, int status)
{
    weir_service *service = arg;
    weir_holder holders[SHOWN];
    size_t count = weir_service_report(service, holders, SHOWN);

    (void)status;
    if (count > SHOWN)
        count = SHOWN;
    if (service->options.on_report != NULL)
        service->options.on_report(service->options.arg, service, holders,
                                   count);
    else
        weir__report_print(service->options.name != NULL ? service->options.name
                                                         : "the service",
                           holders, count);
}

static void call_closed(void *arg, int status)
{
    weir_service *service = arg;

    (void)status;
    if (service->options.closed != NULL)
        service->options.closed(service->options.arg, service,
                                plain_load(&service->status));
}

/* ---- the keeper: the end ---- */

static void keeper_set_phase(weir_service *service, weir_phase phase)
{
    uint32_t word = look(service);

    /* relaxed: see above */
    while (!cas_weak_relaxed(&service->word, &word,
                             (word & ~(uint32_t)PHASE) | phase))
        ;
}

static void keeper_release_signals(weir_service *service)
{
    if (service->signals < 0)
        return;
    (void)!weir_fd_remove(service->keeper, service->signals, NULL, NULL);
    weir__signals_give_back();
    service->signals = -1;
}

static void keeper_finish(weir_service *service)
{
    bool is_forced = (look(service) & FORCE) != 0;

    plain_store(&service->status, is_forced ? WEIR_EFORCED : service->error);
    service->step = WEIR__STEP_OVER;
    (void)!weir_timer_cancel(service->keeper, service->deadline);
    keeper_release_signals(service);
    keeper_set_phase(service, WEIR_PHASE_CLOSED);
    keeper_call(service, "closed", call_closed);
    weir_gate_exit(&service->life);
    (void)!weir_loop_shutdown(service->keeper, 0); /* begins it */
}

/* ---- the keeper: the drain ---- */

static bool have_pools_ended(const weir_service *service)
{
    return service->ended_pools == plain_load(&service->pools);
}

static bool have_loops_ended(const weir_service *service)
{
    return service->ended_loops == plain_load(&service->loops);
}

static bool keeper_is_drained(const weir_service *service)
{
    return service->is_empty && service->hook == NULL &&
           have_pools_ended(service) && have_loops_ended(service);
}

/* One step, if what it waits for has happened. */
static bool keeper_step(weir_service *service)
{
    switch (service->step) {
    case WEIR__STEP_GATE:
        if (!service->is_empty)
            return false;
        service->step = WEIR__STEP_HOOKS;
        return true;
    case WEIR__STEP_HOOKS:
        if (service->hook != NULL || weir__hooks_next(service))
            return false;
        service->step = WEIR__STEP_POOLS;
        weir__members_end_pools(service, false);
        return true;
    case WEIR__STEP_POOLS:
        if (!have_pools_ended(service))
            return false;
        service->step = WEIR__STEP_LOOPS;
        weir__members_end_loops(service, false);
        return true;
    case WEIR__STEP_LOOPS:
        if (!have_loops_ended(service))
            return false;
        keeper_finish(service);
        return false;
    case WEIR__STEP_WORK:
    case WEIR__STEP_OVER:
        break;
    }
    return false;
}

void weir__service_advance(weir_service *service)
{
    if (look(service) & FORCE) {
        if (service->step != WEIR__STEP_OVER && keeper_is_drained(service))
            keeper_finish(service);
        return;
    }
    while (keeper_step(service))
        ;
}

static void keeper_on_deadline(void *arg, int status)
{
    if (status == 0)
        (void)weir_service_force(arg);
}

/* The timer has had a slot since the service was made: it can be had again.  A
 * time that the clock never reaches is none. */
static void keeper_set_deadline(weir_service *service, int64_t timeout_ns,
                                weir_fn *fn)
{
    int err;

    (void)!weir_timer_cancel(service->keeper, service->deadline);
    if (timeout_ns < 0)
        return;
    err = weir_timer_start(service->keeper, &service->deadline, timeout_ns,
                           WEIR_ONCE, fn, service);
    CHECK(err == 0 || err == -EOVERFLOW,
          "a service without a timer for its deadline");
}

static void keeper_drain(weir_service *service)
{
    service->step = WEIR__STEP_GATE;
    keeper_set_phase(service, WEIR_PHASE_DRAINING);
    keeper_set_deadline(service, service->options.timeout_ns,
                        keeper_on_deadline);
    keeper_call(service, "draining", call_draining);
    (void)!weir_gate_drain(&service->gate);
}

static void keeper_on_stop(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, stop));

    if (status == 0 && service->step == WEIR__STEP_WORK)
        keeper_drain(service);
}

static void keeper_on_gate_closed(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, gate_closed));

    service->is_empty = true;
    if (status == 0)
        weir__service_advance(service);
}

void weir__service_fail(weir_service *service, int err)
{
    if (service->error == 0)
        service->error = err;
    (void)weir_service_stop(service);
}

/* ---- the keeper: by force ---- */

static void keeper_on_grace_over(void *arg, int status)
{
    weir_service *service = arg;

    if (status == 0 && service->step != WEIR__STEP_OVER)
        keeper_finish(service);
}

static void keeper_on_force(weir_task *task, int status)
{
    weir_service *service =
        (weir_service *)((char *)task - offsetof(weir_service, force));

    if (status != 0 || service->step == WEIR__STEP_OVER)
        return;
    if (service->step == WEIR__STEP_WORK)
        keeper_drain(service);
    keeper_call(service, "on_report", call_report);
    weir__members_end_pools(service, true);
    weir__members_end_loops(service, true);
    if (service->options.grace_ns < 0)
        keeper_finish(service);
    else
        keeper_set_deadline(service, service->options.grace_ns,
                            keeper_on_grace_over);
}

/* ---- signals ---- */

void weir__service_signalled(weir_service *service, uint64_t count)
{
    bool is_first = !service->is_signalled;

    if (count == 0)
        return;
    service->is_signalled = true;
    (void)weir_service_stop(service);
    if (!is_first || count > 1)
        (void)weir_service_force(service);
}

static void keeper_on_signal(void *arg, int status, int fd, unsigned events)
{
    (void)events;
    if (status == 0)
        weir__service_signalled(arg, weir__wakefd_take(fd, false));
}

static int take_signals(weir_service *service)
{
    int err;

    service->signals = -1;
    if (service->options.no_signals)
        return 0;
    err = weir__signals_take();
    if (err < 0)
        return err;
    service->signals = err;
    err = weir_fd_add(service->keeper, service->signals, WEIR_READABLE,
                      keeper_on_signal, service);
    if (err == 0)
        return 0;
    weir__signals_give_back();
    return err;
}

/* ---- new, free ---- */

/* The keeper needs its poller for signals alone.  If that fails it gives them
 * back, and goes on without: from then on it sleeps on its door. */
static void run_keeper(void *arg)
{
    weir_service *service = arg;
    int err;

    if (!service->options.no_signals)
        weir__signals_let_in();
    err = weir__loop_run_and_keep(service->keeper);
    if (err == 0 || !weir__loop_is_claimed(service->keeper))
        return; /* closed; or by another thread, before this one began */
    keeper_release_signals(service);
    weir__service_fail(service, err);
    (void)!weir_loop_run(service->keeper, WEIR_RUN_UNTIL_CLOSED);
}

static void on_gate_closed(void *arg)
{
    weir_service *service = arg;

    /* Refused when the service was forced: nobody waits for it then. */
    (void)!weir_loop_post(service->keeper, &service->gate_closed);
}

/* A gate with one inside, that closes when it leaves. */
static void begin_life(weir_gate *life)
{
    (void)!weir_gate_init(life, NULL, NULL, NULL);
    (void)!weir_gate_start(life);
    (void)!weir_gate_enter(life);
    (void)!weir_gate_drain(life);
}

static int understand(weir_service_options *to,
                      const weir_service_options *from)
{
    *to = (weir_service_options){.size = sizeof(*to)};
    if (from != NULL && from->size != sizeof(*to))
        return -EINVAL;
    if (from != NULL)
        *to = *from;
    if (to->timeout_ns == 0)
        to->timeout_ns = WEIR_SERVICE_TIMEOUT_NS;
    if (to->grace_ns == 0)
        to->grace_ns = WEIR_SERVICE_GRACE_NS;
    return 0;
}

static void init(weir_service *service, const weir_service_options *options)
{
    *service = (weir_service){
        .options = *options,
        .stop = {.run = keeper_on_stop, .name = "stop"},
        .force = {.run = keeper_on_force, .name = "force"},
        .gate_closed = {.run = keeper_on_gate_closed, .name = "gate closed"},
        .step = WEIR__STEP_WORK,
    };
    set_unshared(&service->word, WEIR_PHASE_INIT);
    weir__lock_init(&service->lock);
    begin_life(&service->life);
    (void)!weir_gate_init(&service->gate, on_gate_closed, service, NULL);
}

/* The keeper, what it needs, and its thread. */
static int make_keeper(weir_service *service)
{
    const weir_loop_options options = {.size = sizeof(options),
                                       .name = "keeper"};
    int err = weir_loop_new(&service->keeper, &options);

    if (err != 0)
        return err;
    err = weir_timer_start(service->keeper, &service->deadline, A_CENTURY_NS,
                           WEIR_ONCE, keeper_on_deadline, service);
    if (err != 0)
        goto free_keeper;
    err = take_signals(service);
    if (err != 0)
        goto free_keeper;
    err = weir__thread_start(&service->thread, run_keeper, service);
    if (err == 0)
        return 0;
    if (service->signals >= 0)
        weir__signals_give_back();
free_keeper:
    (void)weir_loop_free(service->keeper);
    return err;
}

int weir_service_new(weir_service **made, const weir_service_options *options)
{
    weir_service_options known;
    weir_service *service;
    int err;

    if (made == NULL || understand(&known, options) != 0)
        return -EINVAL;
    service = weir__memory_alloc(sizeof(*service), CACHE_APART);
    if (service == NULL)
        return -ENOMEM;
    init(service, &known);
    err = make_keeper(service);
    if (err != 0) {
        weir__memory_free(service, sizeof(*service));
        return err;
    }
    *made = service;
    return 0;
}

/* Whether the calling thread is one that free would have to wait for. */
static bool is_inside(const weir_service *service)
{
    for (const struct weir__member *m = service->members; m != NULL;
         m = m->next)
        if ((m->loop != NULL && weir_loop_current() == m->loop) ||
            (m->pool != NULL && weir_pool_current() == m->pool))
            return true;
    return weir_loop_current() == service->keeper;
}

int weir_service_free(weir_service *service)
{
    weir_phase phase;

    if (service == NULL)
        return 0;
    if (is_inside(service))
        return WEIR_EREENTRANT;
    if (weir_loop_current() != NULL)
        return -EDEADLK;
    phase = weir_service_phase(service);
    if (phase == WEIR_PHASE_RUNNING || phase == WEIR_PHASE_DRAINING)
        return -EBUSY;
    if (phase == WEIR_PHASE_CLOSED && (!weir__members_have_ended(service) ||
                                       !weir__hooks_have_ended(service)))
        return -EBUSY;
    weir__members_join(service);
    weir__hooks_join(service);
    (void)!weir_loop_close(service->keeper);
    weir__thread_join(&service->thread);
    weir__members_free(service);
    weir__hooks_free(service);
    if (service->signals >= 0)
        weir__signals_give_back();
    (void)weir_loop_free(service->keeper);
    weir__memory_free(service, sizeof(*service));
    return 0;
}

/* ---- any thread ---- */

weir_gate *weir_service_gate(weir_service *service)
{
    return &service->gate;
}

int weir_service_start(weir_service *service)
{
    uint32_t before = WEIR_PHASE_RUNNING;

    if (service == NULL)
        return -EINVAL;
    weir__lock_lock(&service->lock);
    if (phase_of(look(service)) == WEIR_PHASE_INIT) {
        (void)!weir_gate_start(&service->gate);
        before = look(service);
        /* service/P1 release: publishes the gate, members, hooks */
        while (!cas_weak_release(&service->word, &before,
                                 before | WEIR_PHASE_RUNNING))
            ;
    }
    weir__lock_unlock(&service->lock);
    if (phase_of(before) != WEIR_PHASE_INIT)
        return -EALREADY;
    if (before & STOP)
        (void)!weir_loop_post(service->keeper, &service->stop);
    return 0;
}

int weir_service_stop(weir_service *service)
{
    uint32_t before;

    if (service == NULL)
        return -EINVAL;
    /* service/P1 acquire: receives the gate, members, hooks, for the keeper */
    before = fetch_or_acquire(&service->word, STOP);
    if (before & STOP || phase_of(before) > WEIR_PHASE_RUNNING)
        return -EALREADY;
    if (phase_of(before) == WEIR_PHASE_RUNNING)
        (void)!weir_loop_post(service->keeper, &service->stop);
    return 0;
}

int weir_service_force(weir_service *service)
{
    uint32_t word;

    if (service == NULL)
        return -EINVAL;
    word = look(service);
    do {
        if (phase_of(word) == WEIR_PHASE_INIT)
            return WEIR_ENOTSTARTED;
        if (word & FORCE || phase_of(word) == WEIR_PHASE_CLOSED)
            return -EALREADY;
        /* service/P1 acquire: receives the gate, members, hooks, for the keeper
         */
    } while (!cas_weak_acquire(&service->word, &word, word | STOP | FORCE));
    /* Refused if it closes at this moment: then it is as if we came later. */
    return weir_loop_post(service->keeper, &service->force) == 0 ? 0
                                                                 : -EALREADY;
}

int weir_service_wait(weir_service *service, int64_t timeout_ns)
{
    int err;

    if (service == NULL)
        return -EINVAL;
    err = weir_gate_wait(&service->life, timeout_ns);
    return err != 0 ? err : plain_load(&service->status);
}

weir_phase weir_service_phase(const weir_service *service)
{
    return phase_of(look(service));
}

bool weir_service_is_ready(const weir_service *service)
{
    uint32_t word = look(service);

    return phase_of(word) == WEIR_PHASE_RUNNING && !(word & (STOP | NOT_READY));
}

void weir_service_set_ready(weir_service *service, bool is_ready)
{
    uint32_t word = look(service);

    /* relaxed: see above */
    while (!cas_weak_relaxed(&service->word, &word,
                             is_ready ? word & ~(uint32_t)NOT_READY
                                      : word | NOT_READY))
        ;
}

size_t weir_service_report(const weir_service *service, weir_holder *holders,
                           size_t capacity)
{
    struct weir__page page = weir__page_of(holders, capacity);
    /* service/P1 acquire: receives members and hooks */
    bool is_started = phase_of(load_acquire(&service->word)) != WEIR_PHASE_INIT;
    uint32_t inside = weir_gate_inflight(&service->gate);

    if (!is_started)
        return 0; /* nothing holds it */
    if (inside > 0)
        weir__page_add(&page, (weir_holder){.kind = WEIR_KIND_REQUEST,
                                            .count = inside,
                                            .age_ns = -1});
    weir__hooks_report(service, &page);
    for (const struct weir__member *m = plain_load(&service->members);
         m != NULL; m = m->next) {
        weir_holder *rest = weir__page_rest(&page);
        size_t room = weir__page_room(&page);

        page.count += m->pool != NULL ? weir_pool_report(m->pool, rest, room)
                                      : weir_loop_report(m->loop, rest, room);
    }
    return page.count;
}

/* SPDX-License-Identifier: MIT */
/*
 * service -- one lifecycle for a gate, loops, pools and hooks.
 *
 * Shape     The service has its own loop on its own thread, which performs the
 *           shutdown (drain.c).  Requests from other threads are recorded here,
 *           in one word with the phase and flags:
 *
 *             5     4           3       2      1     0
 *            +-----+-----------+-------+------+-----------+
 *            | CUT | NOT_READY | FORCE | STOP |   phase   |
 *            +-----+-----------+-------+------+-----------+
 *
 *           STOP and FORCE are each set once, and the thread that sets one
 *           posts the matching task to that loop.  If STOP is set before the
 *           service is started, start posts the task, because it sees the flag
 *           in the same word.  FORCE is refused before that.
 * Roles     start, stop, force, set_ready, wait, report   any thread
 *
 * Shared state
 *   word      any thread, atomic; the service's loop changes the phase   P1 P2
 *   failure   any thread, atomic; set once, read by the service's loop
 *   members, callbacks, hooks, pools, loops   under lock until start; const
 *             after                                                        P1
 *
 * Pairs
 *   P1  start: CAS on word, release  -->  stop, force: fetch_or, CAS; report:
 *       load; acquire
 *       Hands over the gate, which is now open, the members and the hooks.  A
 *       thread that stops or forces passes them on to the service's loop
 *       through its ingress queue.  Without this pair the service's loop could
 *       still see the gate closed, drain nothing, and wait for it.
 *   P2  drain.c: CAS on word to CLOSED, release  -->  free: load, acquire
 *       Hands over the hooks' threads, which the service's loop has started and
 *       free joins: the caller of free need not have waited.
 *
 * Not paired, on purpose
 *   word, otherwise: it hands nothing over.  The service's ingress queue does,
 *   and so does, for a thread that waits, the gate `life`, which closes with
 *   the service.
 *
 * Tested by  test/unit/service/service*.c, test/stress/service/service.c,
 *            test/model/service/service.c
 */
#include "service/service.h"

#include <errno.h>

#include "base/memory.h"
#include "base/signals.h"
#include "loop/loop.h"
#include "loop/report.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"

static weir_phase phase_of(uint32_t word)
{
    return (weir_phase)(word & WEIR__SERVICE_PHASE);
}

/* ---- new, free ---- */

static void on_gate_closed(void *arg)
{
    weir_service *service = arg;

    /* Refused if the service was forced: no thread waits for it then. */
    (void)!weir_loop_post(service->loop, &service->gate_closed);
}

/* Open a gate with one entry inside; it closes when that entry leaves. */
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
    int err = weir_sized_read(to, sizeof(*to), from);

    if (err != 0)
        return err;
    if (to->timeout_ns == 0)
        to->timeout_ns = WEIR_SERVICE_TIMEOUT_NS;
    if (to->grace_ns == 0)
        to->grace_ns = WEIR_SERVICE_GRACE_NS;
    return 0;
}

static void init(weir_service *service, const weir_service_options *options)
{
    *service = (weir_service){.options = *options, .step = WEIR__STEP_WORK};
    set_unshared(&service->word, WEIR_PHASE_INIT);
    weir__lock_init(&service->lock);
    begin_life(&service->life);
    (void)!weir_gate_init(&service->gate, on_gate_closed, service, NULL);
}

int weir_service_new(weir_service **made, const weir_service_options *options)
{
    weir_service_options known;
    weir_service *service;
    int err;

    if (made == NULL)
        return -EINVAL;
    err = understand(&known, options);
    if (err != 0)
        return err;
    service = weir__memory_alloc(sizeof(*service), CACHE_APART);
    if (service == NULL)
        return -ENOMEM;
    init(service, &known);
    err = weir__drain_init(service);
    if (err != 0) {
        weir__memory_free(service, sizeof(*service));
        return err;
    }
    *made = service;
    return 0;
}

/* Whether free would have to wait for the calling thread. */
static bool is_inside(const weir_service *service)
{
    for (const struct weir__member *m = service->members; m != NULL;
         m = m->next)
        if ((m->loop != NULL && weir_loop_current() == m->loop) ||
            (m->pool != NULL && weir_pool_current() == m->pool))
            return true;
    return weir_loop_current() == service->loop;
}

int weir_service_free(weir_service *service)
{
    weir_phase phase;

    if (service == NULL)
        return 0;
    if (is_inside(service))
        return WEIR_EREENTRANT;
    if (weir__loop_is_foreign(service->loop))
        goto release; /* its threads belong to the parent */
    if (weir_loop_current() != NULL)
        return -EDEADLK;
    /* service/P2 acquire: receives the threads of the hooks */
    phase = phase_of(load_acquire(&service->word));
    if (phase == WEIR_PHASE_RUNNING || phase == WEIR_PHASE_DRAINING)
        return -EBUSY;
    if (phase == WEIR_PHASE_CLOSED && (!weir__members_have_ended(service) ||
                                       !weir__hooks_have_ended(service)))
        return -EBUSY;
release:
    weir__members_join(service);
    weir__hooks_join(service);
    (void)!weir_loop_close(service->loop, -1);
    weir__thread_join(&service->thread);
    weir__members_free(service);
    weir__drain_callbacks_free(service);
    weir__hooks_free(service);
    /* A child of fork() has given them back already (os/signals.c), and may
     * have taken them for another service since. */
    if (service->signals >= 0 && !weir__loop_is_foreign(service->loop))
        weir__signals_give_back();
    (void)weir_loop_free(service->loop);
    weir__memory_free(service, sizeof(*service));
    return 0;
}

/* ---- public functions, any thread ---- */

weir_gate *weir_service_gate(weir_service *service)
{
    return &service->gate;
}

int weir_service_start(weir_service *service)
{
    uint32_t before = WEIR_PHASE_RUNNING;

    if (service == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    weir__lock_lock(&service->lock);
    if (phase_of(weir__service_look(service)) == WEIR_PHASE_INIT) {
        (void)!weir_gate_start(&service->gate);
        before = weir__service_look(service);
        /* service/P1 release: publishes the gate, members, hooks */
        while (!cas_weak_release(&service->word, &before,
                                 before | WEIR_PHASE_RUNNING))
            ;
    }
    weir__lock_unlock(&service->lock);
    if (phase_of(before) != WEIR_PHASE_INIT)
        return -EALREADY;
    weir__start_callbacks_post(service);
    if (before & WEIR__SERVICE_STOP)
        (void)!weir_loop_post(service->loop, &service->stop);
    return 0;
}

int weir_service_stop(weir_service *service)
{
    uint32_t before;

    if (service == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    /* service/P1 acquire: receives the gate, members, hooks, for drain */
    before = fetch_or_acquire(&service->word, WEIR__SERVICE_STOP);
    if (before & WEIR__SERVICE_STOP || phase_of(before) > WEIR_PHASE_RUNNING)
        return -EALREADY;
    if (phase_of(before) == WEIR_PHASE_RUNNING)
        (void)!weir_loop_post(service->loop, &service->stop);
    return 0;
}

int weir_service_force(weir_service *service)
{
    uint32_t word;

    if (service == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    word = weir__service_look(service);
    do {
        if (phase_of(word) == WEIR_PHASE_INIT)
            return WEIR_ENOTSTARTED;
        if (word & WEIR__SERVICE_FORCE || phase_of(word) == WEIR_PHASE_CLOSED)
            return -EALREADY;
        /* service/P1 acquire: receives the gate, members, hooks, for drain */
    } while (
        !cas_weak_acquire(&service->word, &word,
                          word | WEIR__SERVICE_STOP | WEIR__SERVICE_FORCE));
    /* Refused if it closes at this moment: then nothing is left to cancel. */
    (void)!weir_loop_post(service->loop, &service->force);
    return 0;
}

int weir_service_wait(weir_service *service, int64_t timeout_ns)
{
    int err;

    if (service == NULL)
        return -EINVAL;
    if (weir__loop_is_foreign(service->loop))
        return WEIR_EFORKED;
    err = weir_gate_wait(&service->life, timeout_ns);
    return err != 0 ? err : plain_load(&service->status);
}

weir_phase weir_service_phase(const weir_service *service)
{
    return phase_of(weir__service_look(service));
}

bool weir_service_is_ready(const weir_service *service)
{
    uint32_t word = weir__service_look(service);

    return phase_of(word) == WEIR_PHASE_RUNNING &&
           !(word & (WEIR__SERVICE_STOP | WEIR__SERVICE_NOT_READY));
}

void weir_service_set_ready(weir_service *service, bool is_ready)
{
    uint32_t word = weir__service_look(service);

    /* relaxed: see above */
    while (!cas_weak_relaxed(&service->word, &word,
                             is_ready
                                 ? word & ~(uint32_t)WEIR__SERVICE_NOT_READY
                                 : word | WEIR__SERVICE_NOT_READY))
        ;
}

weir_loop *weir_service_loop(weir_service *service)
{
    return service->loop;
}

void weir_service_fail(weir_service *service, int err)
{
    int none = 0;

    /* relaxed: the first error counts, and hands nothing over; the ingress
     * queue of the stop below shows it to finish */
    (void)cas_relaxed(&service->failure, &none, err);
    (void)weir_service_stop(service);
}

void weir_service_set_cut(weir_service *service)
{
    /* relaxed: see above; finish reads it in the word that it changes */
    fetch_or_relaxed(&service->word, WEIR__SERVICE_CUT);
}

size_t weir_service_report(const weir_service *service, weir_holder *holders,
                           size_t capacity, size_t size)
{
    struct weir__page page = weir__page_of(holders, capacity, size);
    uint32_t inside;

    if (service == NULL)
        return 0;
    /* service/P1 acquire: receives members and hooks */
    if (phase_of(load_acquire(&service->word)) == WEIR_PHASE_INIT)
        return 0; /* nothing keeps it from ending */
    inside = weir_gate_inflight(&service->gate);
    if (inside > 0)
        weir__page_add(&page, (weir_holder){.kind = WEIR_KIND_REQUEST,
                                            .count = inside,
                                            .age_ns = -1});
    weir__hooks_report(service, &page);
    weir__members_report(service, &page);
    return weir__page_end(&page);
}

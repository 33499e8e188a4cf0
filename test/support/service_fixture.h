/* SPDX-License-Identifier: MIT */
/*
 * service_fixture -- a service that takes no signals, what its callbacks got,
 * and a record of the order of events (the story).
 *
 *     make(.timeout_ns = -1);
 *     ...
 *     expect_status(weir_service_stop(service), 0);
 *     expect_clean_end();
 *     expect_string(story, "C");
 */
#ifndef WEIR_TEST_SUPPORT_SERVICE_FIXTURE_H
#define WEIR_TEST_SUPPORT_SERVICE_FIXTURE_H

#include <errno.h>
#include <semaphore.h>
#include <string.h>

#include "support/suite.h"
#include "weir/service.h"

#define MILLISECOND_NS INT64_C(1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)

static weir_service *service;

/* What happened, in order: a letter for each event. */
static char story[64];
static size_t told; /* atomic, relaxed: so as not to hide a race */

static inline void tell(char what)
{
    size_t at = __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED);

    expect(at + 1 < sizeof(story));
    story[at] = what;
}

static struct {
    weir_holder holders[64];
    size_t count;
    unsigned reports, closed;
    int status;
} seen;

static inline void on_report(void *arg, weir_service *of)
{
    expect(of == service);
    seen.reports++;
    seen.count = weir_service_report(of, seen.holders, 64, sizeof(weir_holder));
}

static inline void on_closed(void *arg, weir_service *of, int status)
{
    expect(of == service);
    expect_int(weir_service_phase(service), WEIR_PHASE_CLOSED);
    seen.closed++;
    seen.status = status;
    tell('C');
}

/* With only the callbacks that the case passes. */
#define make_bare(...)                                                         \
    expect_status(weir_service_new(&service,                                   \
                                   &(weir_service_options){                    \
                                       .size = sizeof(weir_service_options),   \
                                       .no_signals = true,                     \
                                       __VA_ARGS__}),                          \
                  0)

#define make(...)                                                              \
    make_bare(.on_report = on_report, .closed = on_closed, __VA_ARGS__)

static inline void expect_clean_end(void)
{
    expect_status(weir_service_wait(service, -1), 0);
    expect_int(seen.closed, 1);
    expect_status(seen.status, 0);
    expect_int(seen.reports, 0);
    expect_status(weir_service_free(service), 0);
}

static inline void wait_for(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        expect_int(errno, EINTR);
}

static inline const weir_holder *find_holder(weir_kind kind)
{
    for (size_t i = 0; i < seen.count; i++)
        if (seen.holders[i].kind == kind)
            return &seen.holders[i];
    return NULL;
}

#endif /* WEIR_TEST_SUPPORT_SERVICE_FIXTURE_H */

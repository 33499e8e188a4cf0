/* SPDX-License-Identifier: MIT */
/*
 * jobs_fixture -- a store in a directory of the case, and its handle.
 *
 *     jobs_make();                        place/jobs.db, on `loop`
 *     uint64_t id = add(SPEC("mail", .payload = "x", .payload_size = 1));
 *     ...
 *     jobs_end();
 *
 * The functions that wait take turns of the loop until it has happened; the
 * deadline of the case ends them.  Time is frozen: pass() lets it go on.
 */
#ifndef WEIR_TEST_JOBS_SUPPORT_JOBS_FIXTURE_H
#define WEIR_TEST_JOBS_SUPPORT_JOBS_FIXTURE_H

#include "support/loop_fixture.h"
#include "support/suite.h"
#include "weir/jobs.h"

extern weir_jobs *jobs;

#define SPEC(name, ...)                                                        \
    (&(weir_jobs_spec){                                                        \
        .size = sizeof(weir_jobs_spec), .queue = name, __VA_ARGS__})
#define WORKER(name, ...)                                                      \
    (&(weir_jobs_worker_options){                                              \
        .size = sizeof(weir_jobs_worker_options), .queue = name, __VA_ARGS__})
#define OUTCOME(...)                                                           \
    (&(weir_jobs_outcome){.size = sizeof(weir_jobs_outcome), __VA_ARGS__})
#define LIMITS(...)                                                            \
    (&(weir_jobs_limits){.size = sizeof(weir_jobs_limits), __VA_ARGS__})

/* Change to a directory of the case's own. */
void place_make(void);
void place_remove(void);

void jobs_make(void);
void jobs_make_with(const weir_jobs_options *options);
void jobs_end(void);

/* The file jobs.db; or the URL in WEIR_TEST_STORE (test/jobs/postgres.py). */
const char *store_path(void);
bool is_on_server(void);

/* Read a number of a job past the handle; -1 if there is no such job. */
int64_t stored_number(uint64_t id, const char *column);

/* Open another handle on the same store, as another process would. */
weir_jobs *jobs_open(const char *name);
void jobs_close(weir_jobs *other);

/* ---- answers ---- */

struct answer {
    bool is_here;
    int status;
    weir_jobs_reply reply; /* without what it pointed to */
    char reason[200];
    weir_jobs_info job; /* of get; strings and payload are copied */
    char queue[64], key[64], why[200], payload[64], result[64], owner[64];
    weir_jobs_queue queues[8]; /* names are copied, too */
    char names[8][64];
    weir_jobs_holder holders[8];
};

/* A callback that fills a struct answer. */
weir_jobs_fn answered;

/* Take turns until an answer is here, or until *count is at least `at`. */
void await(const struct answer *answer);
void await_count(const unsigned *count, unsigned at);

/* Ask, wait, and check the status. */
uint64_t add(const weir_jobs_spec *spec);
struct answer get(uint64_t id);
struct answer look(void);
int state_of(uint64_t id);

/* Wait until the threads of two handles are idle, each having heard the other.
 * Then they notice nothing until they are woken. */
void rest(weir_jobs *one, weir_jobs *two);

/* Let so much time pass at a moment when this handle's thread asks nothing of its
 * store.  It then notices without a turn of the loop. */
void jump(weir_jobs *at, int64_t ms);

/* Let so much time pass, for timers, leases and dates, and wait until `jobs` has
 * done what was due. */
void pass(int64_t ms);

/* ---- a worker that keeps its claims ---- */

struct keeper {
    weir_jobs_worker *worker;
    weir_jobs_claim *claims[64];
    unsigned count, ended;
    bool is_settling; /* each job is done at once */
};

void keeper_start(struct keeper *keeper, weir_jobs *in,
                  const weir_jobs_worker_options *options);
void keep(void *keeper, weir_jobs_claim *claim);

/* Settle a claim, and wait for the answer.  Returns its status. */
int settle(weir_jobs_claim *claim, const weir_jobs_outcome *outcome);

#endif /* WEIR_TEST_JOBS_SUPPORT_JOBS_FIXTURE_H */

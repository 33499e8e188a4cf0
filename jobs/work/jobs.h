/* SPDX-License-Identifier: MIT */
/*
 * jobs -- a handle: the part of the loop's thread.
 */
#ifndef WEIR_JOBS_WORK_JOBS_H
#define WEIR_JOBS_WORK_JOBS_H

#include "work/dispatcher.h"

struct weir_jobs {
    struct weir__dispatcher *dispatcher; /* const */
    /* the loop's thread only, from here on */
    weir_loop *loop;
    weir_channel *channel;
    weir_jobs_options options; /* name points behind the struct */
    size_t bytes;
    weir_jobs_worker *workers;
    weir_jobs_claim *claims; /* all that are not freed */
    uint64_t holds;          /* what keeps the loop running */
    uint32_t depth;          /* calls of serve and start_waiting in progress */
    int opened_status;       /* for the callback opened */
    const char *opened_reason;
    struct weir__op *last;         /* CLOSE, until it is posted */
    struct weir__op *first, **end; /* what this turn has asked for */
    bool is_posting;               /* counts in depth */
    weir_task start;               /* counts in depth while it is posted */
    struct weir__membership *membership; /* NULL: not part of a service */
    bool is_start_posted;
    bool is_closing, is_draining, is_freed;
    bool is_freeing; /* weir_jobs_free calls what is left */
};

/* Keep the loop running, and no longer. */
void weir__jobs_hold(weir_jobs *jobs);
void weir__jobs_unhold(weir_jobs *jobs);

/* Give an op to the dispatcher, with a callback.  Returns WEIR_ECLOSED if the
 * handle is being closed; then the op is freed. */
int weir__jobs_request(weir_jobs *jobs, struct weir__op *op, weir_jobs_fn *fn,
                       void *arg);

/* Call the callback of an op, which is freed. */
void weir__jobs_answer(weir_jobs *jobs, struct weir__op *op);

/* Whether a name, or another string for the store, is acceptable: not empty, at
 * most `most` bytes, and UTF-8. */
bool weir__jobs_is_text(const char *text, size_t most);

/* Leave a function that has added to depth. */
void weir__jobs_leave(weir_jobs *jobs);

/* worker.c: what arrives from the dispatcher, and the end. */
void weir__worker_receive(weir_jobs *jobs, struct weir__op *op);
void weir__worker_soft(weir_jobs_claim *claim);
void weir__worker_end(weir_jobs_claim *claim);
void weir__worker_drain(weir_jobs *jobs);
void weir__worker_settled(weir_jobs_claim *claim);
void weir__worker_start_soon(weir_jobs *jobs);
void weir__worker_unref(weir_jobs_worker *worker);
void weir__worker_free_all(weir_jobs *jobs);
/* member.c */
void weir__member_leave(struct weir__membership *membership);

void weir__jobs_emit(weir_jobs *jobs, const weir_jobs_event *event);

#endif /* WEIR_JOBS_WORK_JOBS_H */

/* SPDX-License-Identifier: MIT */
/*
 * jobs -- a handle: requests are made here, and answers arrive here.
 *
 * Everything here happens on the loop's thread.  A request that was accepted is
 * an op that is somewhere: in the dispatcher's loop, in its batch, or in the
 * channel.  Closing the handle waits for all of them, because CLOSE is the last
 * op and the dispatcher answers in order.
 *
 * A callback may free the handle.  `depth` counts the functions of this file
 * that are still going to use it; the last one frees the memory.
 */
#include "work/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

enum { BUSY_MS = 10000 };

struct weir__dispatcher *weir__jobs_dispatcher(weir_jobs *jobs)
{
    return jobs->dispatcher;
}

void weir__jobs_hold(weir_jobs *jobs)
{
    if (jobs->holds++ == 0)
        weir_loop_ref(jobs->loop);
}

void weir__jobs_unhold(weir_jobs *jobs)
{
    if (--jobs->holds == 0)
        weir_loop_unref(jobs->loop);
}

void weir__jobs_leave(weir_jobs *jobs)
{
    if (--jobs->depth == 0 && jobs->is_freed)
        weir_memory_free(jobs, jobs->bytes);
}

/* ---- text ---- */

static size_t sequence_bytes(const unsigned char *at)
{
    unsigned char first = at[0];
    size_t more = first < 0x80 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;

    if ((first >= 0x80 && first < 0xc2) || first > 0xf4)
        return 0;
    if ((first == 0xe0 && at[1] < 0xa0) || (first == 0xed && at[1] > 0x9f) ||
        (first == 0xf0 && at[1] < 0x90) || (first == 0xf4 && at[1] > 0x8f))
        return 0;
    for (size_t i = 1; i <= more; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return more + 1;
}

bool weir__jobs_is_text(const char *text, size_t most)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t bytes;

    if (text == NULL || *at == '\0' || strnlen(text, most + 1) > most)
        return false;
    for (; *at != '\0'; at += bytes) {
        bytes = sequence_bytes(at);
        if (bytes == 0)
            return false;
    }
    return true;
}

/* ---- answers ---- */

static void call_back(void *arg, int status)
{
    struct weir__op *op = arg;

    op->reply.reason = op->status != 0 && op->reason[0] == '\0'
                           ? weir_error_text(op->status)
                           : op->reason;
    op->fn(op->arg, op->status, &op->reply);
}

void weir__jobs_answer(weir_jobs *jobs, struct weir__op *op)
{
    if (op->fn != NULL)
        (void)weir_loop_contain(call_back, op, 0);
    if (op->is_holding && !jobs->is_freed)
        weir__jobs_unhold(jobs);
    weir__op_free(op);
}

struct emission {
    weir_jobs *jobs;
    const weir_jobs_event *event;
};

static void emit(void *arg, int status)
{
    const struct emission *emission = arg;
    const weir_jobs_options *options = &emission->jobs->options;

    options->on_event(options->arg, emission->jobs, emission->event);
}

void weir__jobs_emit(weir_jobs *jobs, const weir_jobs_event *event)
{
    struct emission emission = {jobs, event};

    if (jobs->options.on_event != NULL)
        (void)weir_loop_contain(emit, &emission, 0);
    else if (event->claim != NULL)
        fprintf(stderr, "weir: job %llu of %s, attempt %u: %s\n",
                (unsigned long long)event->claim->info.id,
                event->claim->info.queue, event->claim->info.attempt,
                event->reason);
    else
        fprintf(stderr, "weir: jobs: %s\n", event->reason);
}

static void tell_opened(void *arg, int status)
{
    weir_jobs *jobs = arg;

    jobs->options.opened(jobs->options.arg, jobs, jobs->opened_status,
                         jobs->opened_reason);
}

static void receive_opened(weir_jobs *jobs, const struct weir__op *op)
{
    if (jobs->options.opened == NULL)
        return;
    jobs->opened_status = op->status;
    jobs->opened_reason = op->reason;
    (void)weir_loop_contain(tell_opened, jobs, 0);
}

static void receive_op(weir_jobs *jobs, struct weir__op *op)
{
    switch (op->kind) {
    case WEIR__OP_CLAIM:
        weir__worker_receive(jobs, op);
        weir__op_free(op);
        return;
    case WEIR__OP_EVENT:
        weir__jobs_emit(jobs, &(weir_jobs_event){
                                  .kind = WEIR_JOBS_EVENT_ERROR,
                                  .status = op->status,
                                  .reason = op->reason,
                              });
        weir__op_free(op);
        return;
    case WEIR__OP_SETTLE:
        weir__worker_settled(op->in.settle.claim);
        weir__jobs_answer(jobs, op);
        return;
    case WEIR__OP_STOP:
        weir__worker_unref(op->in.work.worker);
        weir__jobs_answer(jobs, op);
        return;
    case WEIR__OP_OPENED:
        receive_opened(jobs, op);
        weir__op_free(op);
        return;
    default:
        weir__jobs_answer(jobs, op);
        return;
    }
}

#define CLAIM_OF(message, member)                                              \
    ((weir_jobs_claim *)((char *)(message)-offsetof(weir_jobs_claim, member)))

static void receive_message(weir_jobs *jobs, struct weir__message *message)
{
    switch (message->kind) {
    case WEIR__MESSAGE_OP:
        receive_op(jobs, (struct weir__op *)message);
        return;
    case WEIR__MESSAGE_DRAINING:
        weir__worker_drain(jobs);
        return;
    case WEIR__MESSAGE_SOFT:
        weir__worker_soft(CLAIM_OF(message, soft));
        return;
    case WEIR__MESSAGE_END:
        weir__worker_end(CLAIM_OF(message, end));
        return;
    }
}

static void serve(void *arg)
{
    weir_jobs *jobs = arg;
    weir_message *message;

    jobs->depth++;
    while (!jobs->is_freed &&
           (message = weir_channel_receive(jobs->channel)) != NULL)
        receive_message(jobs, (struct weir__message *)message);
    weir__jobs_leave(jobs);
}

/* ---- open, close, free ---- */

static int check_options(weir_jobs_options *options)
{
    if (options->name != NULL &&
        !weir__jobs_is_text(options->name, WEIR_JOBS_NAME_LIMIT))
        return -EINVAL;
    if (options->busy_ms < 0 || options->busy_ms > INT32_MAX)
        return -EINVAL;
    if (options->payload_limit > INT32_MAX)
        return -EINVAL;
    if (options->payload_limit == 0)
        options->payload_limit = WEIR_JOBS_PAYLOAD_LIMIT;
    if (options->busy_ms == 0)
        options->busy_ms = BUSY_MS;
    return 0;
}

static weir_jobs *new_handle(weir_loop *loop, const weir_jobs_options *options)
{
    char name[WEIR_JOBS_NAME_LIMIT + 1];
    size_t bytes;
    weir_jobs *jobs;

    if (options->name != NULL)
        snprintf(name, sizeof(name), "%s", options->name);
    else
        snprintf(name, sizeof(name), "process %ld", (long)getpid());
    bytes = sizeof(*jobs) + strlen(name) + 1;
    jobs = weir_memory_alloc(bytes);
    if (jobs == NULL)
        return NULL;
    memset(jobs, 0, sizeof(*jobs));
    jobs->loop = loop;
    jobs->options = *options;
    jobs->options.name = strcpy((char *)(jobs + 1), name);
    jobs->bytes = bytes;
    jobs->depth = 1; /* the user */
    jobs->end = &jobs->first;
    return jobs;
}

int weir_jobs_open(weir_jobs **made, weir_loop *loop, const char *path,
                   const weir_jobs_options *given)
{
    weir_message *rest;
    weir_jobs_options options;
    weir_jobs *jobs;
    int err;

    if (made == NULL || loop == NULL || path == NULL || path[0] == '\0')
        return -EINVAL;
    err = weir_sized_read(&options, sizeof(options), given);
    if (err == 0)
        err = check_options(&options);
    if (err != 0)
        return err;
    jobs = new_handle(loop, &options);
    if (jobs == NULL)
        return -ENOMEM;
    jobs->last = weir__op_new(jobs, WEIR__OP_CLOSE, 0);
    err = jobs->last != NULL ? weir_channel_new(&jobs->channel) : -ENOMEM;
    if (err != 0)
        goto fail_handle;
    err = weir_channel_attach(jobs->channel, loop, serve, jobs);
    if (err == 0)
        err = weir__dispatcher_start(&jobs->dispatcher, jobs->channel, path,
                                     options.busy_ms);
    if (err != 0)
        goto fail_channel;
    *made = jobs;
    return 0;
fail_channel:
    weir_channel_close(jobs->channel, &rest);
fail_handle:
    weir__op_free(jobs->last);
    weir_memory_free(jobs, jobs->bytes);
    return err;
}

/* Give to the dispatcher what was asked for, in one piece. */
static void post_all(weir_jobs *jobs)
{
    if (jobs->first == NULL)
        return;
    weir__dispatcher_post(jobs->dispatcher, jobs->first);
    jobs->first = NULL;
    jobs->end = &jobs->first;
}

static void post_later(void *arg, int status)
{
    weir_jobs *jobs = arg;

    jobs->is_posting = false;
    if (!jobs->is_freed)
        post_all(jobs);
    weir__jobs_leave(jobs);
}

/* At the end of the turn, so that all of it is one commit. */
static void post_soon(weir_jobs *jobs)
{
    if (jobs->is_posting)
        return;
    if (weir_loop_immediate(jobs->loop, post_later, jobs) != 0) {
        post_all(jobs); /* no memory, or the loop ends */
        return;
    }
    jobs->is_posting = true;
    jobs->depth++;
}

int weir__jobs_request(weir_jobs *jobs, struct weir__op *op, weir_jobs_fn *fn,
                       void *arg)
{
    if (op == NULL)
        return -ENOMEM;
    if (jobs->is_closing) {
        weir__op_free(op);
        return WEIR_ECLOSED;
    }
    op->fn = fn;
    op->arg = arg;
    op->is_holding = true;
    weir__jobs_hold(jobs);
    *jobs->end = op;
    jobs->end = &op->next;
    post_soon(jobs);
    return 0;
}

/* CLOSE is made with the handle, so that closing cannot fail. */
static struct weir__op *take_last(weir_jobs *jobs)
{
    struct weir__op *last = jobs->last;

    jobs->last = NULL;
    return last;
}

int weir_jobs_close(weir_jobs *jobs, weir_jobs_fn *fn, void *arg)
{
    if (jobs == NULL)
        return -EINVAL;
    if (jobs->is_closing)
        return WEIR_ECLOSED;
    (void)!weir__jobs_request(jobs, take_last(jobs), fn, arg);
    jobs->is_closing = true;
    return 0;
}

/* ---- free ---- */

/* An op that has no callback, and none that waits for it. */
static bool is_quiet(const struct weir__op *op)
{
    return op->kind == WEIR__OP_CLAIM || op->kind == WEIR__OP_EVENT ||
           op->kind == WEIR__OP_OPENED;
}

static void cancel(weir_jobs *jobs, struct weir__op *op)
{
    if (op->kind == WEIR__OP_CLAIM)
        weir__worker_receive(jobs, op);
    if (is_quiet(op)) {
        weir__op_free(op);
        return;
    }
    if (op->kind == WEIR__OP_SETTLE)
        weir__worker_settled(op->in.settle.claim);
    if (op->kind == WEIR__OP_STOP)
        weir__worker_unref(op->in.work.worker);
    weir__op_fail(op, WEIR_ECANCELED, "");
    weir__jobs_answer(jobs, op);
}

/* Wait until the dispatcher has ended.  Returns what it has sent, the oldest
 * first: some of it is part of the dispatcher. */
static weir_message *end_dispatcher(weir_jobs *jobs)
{
    weir_message *first = NULL, **end = &first, *rest;

    post_all(jobs);
    if (jobs->last != NULL) /* not held, as the loop may be gone */
        weir__dispatcher_post(jobs->dispatcher, jobs->last);
    weir__dispatcher_join(jobs->dispatcher);
    while ((*end = weir_channel_receive(jobs->channel)) != NULL)
        end = &(*end)->next_;
    weir_channel_close(jobs->channel, &rest);
    *end = rest;
    return first;
}

void weir_jobs_free(weir_jobs *jobs)
{
    weir_message *rest;

    if (jobs == NULL || jobs->is_freed || jobs->is_freeing)
        return;
    jobs->is_freeing = true;
    jobs->is_closing = jobs->is_draining = true; /* nothing starts any more */
    weir__member_leave(jobs->membership);
    rest = end_dispatcher(jobs);
    while (rest != NULL) {
        struct weir__message *message = (struct weir__message *)rest;

        rest = rest->next_;
        if (message->kind == WEIR__MESSAGE_OP)
            cancel(jobs, (struct weir__op *)message);
    }
    weir__dispatcher_free(jobs->dispatcher);
    weir__worker_free_all(jobs);
    jobs->is_freed = true;
    if (jobs->holds > 0)
        weir_loop_unref(jobs->loop);
    weir__jobs_leave(jobs);
}

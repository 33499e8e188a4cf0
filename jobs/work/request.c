/* SPDX-License-Identifier: MIT */
/*
 * request -- what users ask of a store, checked and copied into ops.
 */
#include <errno.h>
#include <string.h>

#include "weir/host/memory.h"
#include "weir/host/service.h"
#include "weir/host/sized.h"
#include "work/jobs.h"

enum { PERIOD_MS = 1000 };

/* No time is later: sums of two of them do not overflow. */
static const int64_t longest_ms = INT64_MAX / 4;

static bool is_time(int64_t time_ms)
{
    return time_ms >= 0 && time_ms <= longest_ms;
}

static bool is_name(const char *name)
{
    return weir__jobs_is_text(name, WEIR_JOBS_NAME_LIMIT);
}

/* ---- adding ---- */

static int check_spec(const weir_jobs *jobs, const weir_jobs_spec *spec)
{
    if (!is_name(spec->queue) || (spec->key != NULL && !is_name(spec->key)) ||
        (spec->unique != NULL && !is_name(spec->unique)))
        return -EINVAL;
    if (!is_time(spec->delay_ms) || !is_time(spec->run_at_ms) ||
        !is_time(spec->backoff_ms) || !is_time(spec->backoff_max_ms) ||
        !is_time(spec->timeout_ms) || spec->keep_ms > longest_ms ||
        spec->attempts > INT32_MAX)
        return -EINVAL;
    if ((spec->payload == NULL && spec->payload_size > 0) ||
        (spec->after == NULL && spec->after_count > 0))
        return -EINVAL;
    if (spec->payload_size > jobs->options.payload_limit ||
        spec->after_count > WEIR_JOBS_AFTER_LIMIT)
        return WEIR_ELIMIT;
    return 0;
}

static void set_defaults(weir_jobs_spec *spec)
{
    if (spec->attempts == 0)
        spec->attempts = WEIR_JOBS_ATTEMPTS;
    if (spec->backoff_ms == 0)
        spec->backoff_ms = WEIR_JOBS_BACKOFF_MS;
    if (spec->backoff_max_ms == 0)
        spec->backoff_max_ms = WEIR_JOBS_BACKOFF_MAX_MS;
}

static size_t text_bytes(const char *text)
{
    return text != NULL ? strlen(text) + 1 : 0;
}

static const char *copy(char **at, const void *from, size_t bytes)
{
    char *to = *at;

    if (bytes == 0)
        return NULL;
    memcpy(to, from, bytes);
    *at += bytes;
    return to;
}

static struct weir__op *new_add(weir_jobs *jobs, const weir_jobs_spec *spec)
{
    size_t after_bytes = sizeof(*spec->after) * spec->after_count;
    struct weir__op *op = weir__op_new(
        jobs, WEIR__OP_ADD,
        after_bytes + text_bytes(spec->queue) + text_bytes(spec->key) +
            text_bytes(spec->unique) + spec->payload_size);
    char *at = (char *)(op + 1);
    weir_jobs_spec *to;

    if (op == NULL)
        return NULL;
    to = &op->in.add.spec;
    *to = *spec;
    to->after = (const uint64_t *)(void *)at;
    (void)copy(&at, spec->after, after_bytes);
    to->queue = copy(&at, spec->queue, text_bytes(spec->queue));
    to->key = copy(&at, spec->key, text_bytes(spec->key));
    to->unique = copy(&at, spec->unique, text_bytes(spec->unique));
    to->payload = copy(&at, spec->payload, spec->payload_size);
    set_defaults(to);
    return op;
}

int weir_jobs_add(weir_jobs *jobs, const weir_jobs_spec *given,
                  weir_jobs_fn *fn, void *arg)
{
    weir_jobs_spec spec;
    int err;

    if (jobs == NULL || given == NULL)
        return -EINVAL;
    err = weir_sized_read(&spec, sizeof(spec), given);
    if (err == 0)
        err = check_spec(jobs, &spec);
    if (err != 0)
        return err;
    return weir__jobs_request(jobs, new_add(jobs, &spec), fn, arg);
}

/* ---- queues ---- */

static struct weir__op *new_queue_op(weir_jobs *jobs, enum weir__op_kind kind,
                                     const char *queue)
{
    size_t bytes = text_bytes(queue);
    struct weir__op *op = weir__op_new(jobs, kind, bytes);

    if (op != NULL)
        op->in.queue.name = memcpy(op + 1, queue, bytes);
    return op;
}

/* A period that was left 0 is a second.  Returns whether it is in range. */
static bool read_period(int64_t *period_ms)
{
    if (*period_ms == 0)
        *period_ms = PERIOD_MS;
    return *period_ms >= 1 && *period_ms <= INT32_MAX;
}

int weir_jobs_limit(weir_jobs *jobs, const char *queue,
                    const weir_jobs_limits *given, weir_jobs_fn *fn, void *arg)
{
    weir_jobs_limits limits;
    struct weir__op *op;
    int err;

    if (jobs == NULL || given == NULL || !is_name(queue))
        return -EINVAL;
    err = weir_sized_read(&limits, sizeof(limits), given);
    if (err != 0)
        return err;
    if (!read_period(&limits.rate_period_ms) ||
        !read_period(&limits.key_rate_period_ms))
        return -EINVAL;
    if (limits.key_concurrency == 0)
        limits.key_concurrency = 1;
    op = new_queue_op(jobs, WEIR__OP_LIMIT, queue);
    if (op != NULL)
        op->in.queue.limits = limits;
    return weir__jobs_request(jobs, op, fn, arg);
}

int weir_jobs_pause(weir_jobs *jobs, const char *queue, bool is_paused,
                    weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;

    if (jobs == NULL || !is_name(queue))
        return -EINVAL;
    op = new_queue_op(jobs, WEIR__OP_PAUSE, queue);
    if (op != NULL)
        op->in.queue.is_paused = is_paused;
    return weir__jobs_request(jobs, op, fn, arg);
}

int weir_jobs_look(weir_jobs *jobs, weir_jobs_fn *fn, void *arg)
{
    if (jobs == NULL)
        return -EINVAL;
    return weir__jobs_request(jobs, weir__op_new(jobs, WEIR__OP_LOOK, 0), fn,
                              arg);
}

/* ---- schedules ---- */

static struct weir__op *new_schedule(weir_jobs *jobs,
                                     const weir_jobs_schedule_spec *spec,
                                     const weir_jobs_spec *job)
{
    struct weir__op *op =
        weir__op_new(jobs, WEIR__OP_SCHEDULE,
                     text_bytes(spec->name) + text_bytes(spec->cron) +
                         text_bytes(spec->zone) + text_bytes(job->queue) +
                         text_bytes(job->key) + job->payload_size);
    char *at = (char *)(op + 1);
    weir_jobs_schedule_spec *to;
    weir_jobs_spec *add;

    if (op == NULL)
        return NULL;
    to = &op->in.schedule.spec;
    add = &op->in.schedule.job;
    *to = *spec;
    *add = *job;
    to->name = copy(&at, spec->name, text_bytes(spec->name));
    to->cron = copy(&at, spec->cron, text_bytes(spec->cron));
    to->zone = copy(&at, spec->zone, text_bytes(spec->zone));
    to->job = add;
    add->queue = copy(&at, job->queue, text_bytes(job->queue));
    add->key = copy(&at, job->key, text_bytes(job->key));
    add->payload = copy(&at, job->payload, job->payload_size);
    set_defaults(add);
    return op;
}

static int check_schedule(const weir_jobs *jobs,
                          const weir_jobs_schedule_spec *spec,
                          const weir_jobs_spec *job)
{
    if (!weir__jobs_is_text(spec->name, WEIR_JOBS_SCHEDULE_LIMIT) ||
        !is_name(spec->cron) || (spec->zone != NULL && !is_name(spec->zone)) ||
        (unsigned)spec->missed > WEIR_JOBS_MISSED_ONE)
        return -EINVAL;
    return check_spec(jobs, job);
}

int weir_jobs_schedule(weir_jobs *jobs, const weir_jobs_schedule_spec *given,
                       weir_jobs_fn *fn, void *arg)
{
    weir_jobs_schedule_spec spec;
    weir_jobs_spec job;
    int err;

    if (jobs == NULL || given == NULL)
        return -EINVAL;
    err = weir_sized_read(&spec, sizeof(spec), given);
    if (err == 0 && spec.job == NULL)
        err = -EINVAL;
    if (err == 0)
        err = weir_sized_read(&job, sizeof(job), spec.job);
    if (err != 0)
        return err;
    job.unique = NULL;
    job.delay_ms = job.run_at_ms = 0;
    job.after = NULL;
    job.after_count = 0;
    err = check_schedule(jobs, &spec, &job);
    if (err != 0)
        return err;
    return weir__jobs_request(jobs, new_schedule(jobs, &spec, &job), fn, arg);
}

int weir_jobs_unschedule(weir_jobs *jobs, const char *queue, const char *name,
                         weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;
    char *at;

    if (jobs == NULL || !is_name(queue) || !is_name(name))
        return -EINVAL;
    op = weir__op_new(jobs, WEIR__OP_UNSCHEDULE,
                      text_bytes(queue) + text_bytes(name));
    if (op != NULL) {
        at = (char *)(op + 1);
        op->in.schedule.job.queue = copy(&at, queue, text_bytes(queue));
        op->in.schedule.spec.name = copy(&at, name, text_bytes(name));
    }
    return weir__jobs_request(jobs, op, fn, arg);
}

int weir_jobs_plans(weir_jobs *jobs, weir_jobs_fn *fn, void *arg)
{
    if (jobs == NULL)
        return -EINVAL;
    return weir__jobs_request(jobs, weir__op_new(jobs, WEIR__OP_PLANS, 0), fn,
                              arg);
}

/* ---- single jobs ---- */

int weir_jobs_list(weir_jobs *jobs, const char *queue, weir_jobs_state state,
                   uint64_t after, uint32_t most, weir_jobs_fn *fn, void *arg)
{
    size_t bytes = text_bytes(queue);
    struct weir__op *op;

    if (jobs == NULL || !is_name(queue) ||
        (unsigned)state >= WEIR_JOBS_STATES || most == 0 ||
        most > WEIR_JOBS_LIST_LIMIT)
        return -EINVAL;
    op = weir__op_new(jobs, WEIR__OP_LIST, bytes);
    if (op != NULL) {
        op->in.list.queue = memcpy(op + 1, queue, bytes);
        op->in.list.state = state;
        op->in.list.after = after <= INT64_MAX ? after : INT64_MAX;
        op->in.list.most = most;
    }
    return weir__jobs_request(jobs, op, fn, arg);
}

static int request_job(weir_jobs *jobs, enum weir__op_kind kind, uint64_t id,
                       weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;

    if (jobs == NULL)
        return -EINVAL;
    op = weir__op_new(jobs, kind, 0);
    if (op != NULL)
        op->in.job.id = id <= INT64_MAX ? id : 0;
    return weir__jobs_request(jobs, op, fn, arg);
}

int weir_jobs_get(weir_jobs *jobs, uint64_t id, weir_jobs_fn *fn, void *arg)
{
    return request_job(jobs, WEIR__OP_GET, id, fn, arg);
}

int weir_jobs_cancel(weir_jobs *jobs, uint64_t id, weir_jobs_fn *fn, void *arg)
{
    return request_job(jobs, WEIR__OP_CANCEL, id, fn, arg);
}

int weir_jobs_retry(weir_jobs *jobs, uint64_t id, const char *queue,
                    weir_jobs_fn *fn, void *arg)
{
    size_t bytes = text_bytes(queue);
    struct weir__op *op;

    if (jobs == NULL || (id == 0 && queue == NULL) ||
        (queue != NULL && !is_name(queue)) || id > INT64_MAX)
        return -EINVAL;
    op = weir__op_new(jobs, WEIR__OP_RETRY, bytes);
    if (op != NULL) {
        op->in.job.id = id;
        if (bytes > 0)
            op->in.job.queue = memcpy(op + 1, queue, bytes);
    }
    return weir__jobs_request(jobs, op, fn, arg);
}

/* ---- moving ---- */

static bool is_step(const char *step)
{
    static const char *const steps[] = {"store",  "export", "stage",
                                        "staged", "import", "clear"};

    for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
        if (strcmp(step, steps[i]) == 0)
            return true;
    return false;
}

int weir_jobs_transfer(weir_jobs *jobs, const char *step, const char *text,
                       weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;
    char *at;

    if (jobs == NULL || step == NULL || text == NULL || !is_step(step))
        return -EINVAL;
    op = weir__op_new(jobs, WEIR__OP_TRANSFER,
                      text_bytes(step) + text_bytes(text));
    if (op != NULL) {
        at = (char *)(op + 1);
        op->in.transfer.step = copy(&at, step, text_bytes(step));
        op->in.transfer.text = copy(&at, text, text_bytes(text));
    }
    return weir__jobs_request(jobs, op, fn, arg);
}

/* ---- the end ---- */

int weir_jobs_drain(weir_jobs *jobs, int64_t soft_ms, int64_t hard_ms,
                    weir_jobs_fn *fn, void *arg)
{
    struct weir__op *op;
    int err;

    if (jobs == NULL)
        return -EINVAL;
    if (jobs->is_closing)
        return WEIR_ECLOSED;
    if (jobs->is_draining)
        return -EALREADY;
    op = weir__op_new(jobs, WEIR__OP_DRAIN, 0);
    if (op != NULL) {
        op->in.drain.soft_ms = soft_ms;
        op->in.drain.hard_ms = hard_ms;
    }
    err = weir__jobs_request(jobs, op, fn, arg);
    if (err == 0)
        weir__worker_drain(jobs);
    return err;
}

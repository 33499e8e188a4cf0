/* SPDX-License-Identifier: MIT */
/*
 * pool -- its end: shutdown, close, who may wait for them, and the report.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_syscalls.h"
#include "support/pool_fixture.h"
#include "weir/group.h"
#include "weir/loop.h"

static int done_calls, done_status;

static void on_done(void *arg, weir_pool *which, int status)
{
    expect(arg == &done_calls && which == pool);
    expect(weir_pool_current() == pool);
    expect_status(weir_pool_free(pool), WEIR_EREENTRANT);
    done_calls++;
    done_status = status;
}

static void post_in_done(void *arg, weir_pool *which, int status)
{
    weir_job job = {.run = (void (*)(weir_job *, int))abort};
    weir_group group;

    expect_status(status, 0);
    expect_status(weir_pool_post(which, &job), WEIR_ECLOSED);
    expect_status(weir_pool_submit(which, (weir_fn *)abort, NULL, NULL),
                  WEIR_ECLOSED);
    weir_group_init(&group, which);
    expect_status(weir_group_spawn(&group, &job), WEIR_ECLOSED);
    expect_status(weir_pool_blocking_begin(which), 0); /* and nobody comes */
    done_calls++;
}

/* ---- shutdown ---- */

CASE(pool_accepts_nothing_in_done)
{
    for (int i = 0; i < 2; i++) {
        struct letter only;

        pool_make(.workers = 1, .done = post_in_done);
        if (i == 0)
            expect_status(weir_pool_post(pool, letter(&only, 'a', 0)), 0);
        expect_status(weir_pool_shutdown(pool, -1), 0);
        expect_int(done_calls, i + 1);
        expect_status(weir_pool_free(pool), 0);
    }
}

/* A value of the thread is destroyed after its worker has left the pool. */
static pthread_key_t key;
static struct letter last_words;
static int post_status;

static void post_at_exit(void *arg)
{
    expect(weir_pool_current() == NULL);
    post_status = weir_pool_post(arg, letter(&last_words, '?', 0));
}

static void set_value(void *arg, int status)
{
    expect_int(pthread_setspecific(key, arg), 0);
}

CASE(pool_accepts_nothing_from_a_thread_that_has_left)
{
    expect_int(pthread_key_create(&key, post_at_exit), 0);
    pool_make(.workers = 1);
    expect_status(weir_pool_submit(pool, set_value, pool, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0); /* joins it */
    expect_status(post_status, WEIR_ECLOSED);
    expect_int(pthread_key_delete(key), 0);
}

static struct letter chain;

static void go_on(weir_job *job, int status)
{
    struct letter *self = (struct letter *)job;

    letter_run(job, status);
    if (self->letter < 'z') {
        self->letter++;
        expect_status(weir_pool_post(pool, job), 0);
    }
}

/* Work spawned during a shutdown.
 * covers: weir_pool_post WEIR_ECLOSED
 * covers: weir_pool_submit WEIR_ECLOSED */
CASE(pool_shutdown_runs_what_was_accepted_and_what_that_posts)
{
    struct stopper stopper;
    struct letter late;

    pool_make(.workers = 1, .done = on_done, .arg = &done_calls);
    stopper_post(&stopper, NULL);
    chain = (struct letter){.job = {.run = go_on}, .letter = 'a'};
    expect_status(weir_pool_post(pool, &chain.job), 0);
    expect_status(weir_pool_shutdown(pool, 0), -ETIMEDOUT);
    expect_status(weir_pool_post(pool, letter(&late, '?', 0)), WEIR_ECLOSED);
    expect_status(weir_pool_submit(pool, (weir_fn *)abort, NULL, NULL),
                  WEIR_ECLOSED);
    stopper_release(&stopper);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_recorded("abcdefghijklmnopqrstuvwxyz");
    expect_int(done_calls, 1);
    expect_status(done_status, 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_close(pool, -1), 0);
    expect_int(done_calls, 1);
    expect_status(weir_pool_free(pool), 0);
}

CASE(pool_shutdown_of_an_idle_pool_ends_at_once)
{
    for (int i = 0; i < 200; i++) {
        pool_make(.workers = 2);
        pool_end();
    }
}

/* A report's ages have their own clock, good to 2.5 percent. */
static void expect_age(int64_t age_ns, int64_t least_ns, int64_t most_ns)
{
    expect(age_ns >= least_ns - least_ns / 40);
    expect(age_ns <= most_ns + most_ns / 40);
}

/* Returns at its deadline and names the job.
 * covers: weir_pool_shutdown -ETIMEDOUT
 * covers: weir_pool_close -ETIMEDOUT */
CASE(pool_shutdown_returns_at_its_deadline_and_names_what_holds_it)
{
    struct stopper stuck, queued;
    weir_holder holder[4];
    int64_t posted_ns, begun_ns;

    pool_make(.workers = 1);
    posted_ns = now_ns();
    stopper_post(&stuck, "sleeper");
    stopper_init(&queued, "queued");
    expect_status(weir_pool_post(pool, &queued.job), 0);
    begun_ns = waits_forget();
    expect_status(weir_pool_shutdown(pool, 200 * MILLISECOND), -ETIMEDOUT);
    expect_waited(begun_ns, 200 * MILLISECOND);
    expect(now_ns() - begun_ns >= 200 * MILLISECOND);
    expect(weir_pool_report(pool, holder, 4, sizeof(weir_holder)) >= 1);
    expect_int(holder[0].kind, WEIR_KIND_JOB);
    expect(holder[0].is_running);
    expect_string(holder[0].name, "sleeper");
    expect_age(holder[0].age_ns, 200 * MILLISECOND, now_ns() - posted_ns);
    expect(holder[0].thread != 0 &&
           holder[0].thread != (uint64_t)syscall(SYS_gettid));
    expect_status(weir_pool_close(pool, MILLISECOND), -ETIMEDOUT);
    stopper_release(&stuck);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(queued.status, WEIR_ECANCELED);
    expect_int(weir_pool_report(pool, holder, 4, sizeof(weir_holder)), 0);
    expect_status(weir_pool_free(pool), 0);
}

CASE(pool_report_shows_the_longest_running_job_first_and_the_true_total)
{
    static const char *const names[] = {"first", "second", "third"};
    struct stopper stuck[3], queued[50];
    weir_holder holder[4];

    pool_make(.workers = 3, .max_workers = 3);
    for (int i = 0; i < 3; i++)
        stopper_post(&stuck[i], names[i]);
    for (int i = 0; i < 50; i++) {
        stopper_init(&queued[i], NULL);
        expect_status(weir_pool_post(pool, &queued[i].job), 0);
    }
    expect_int(weir_pool_report(pool, holder, 4, sizeof(weir_holder)), 4);
    for (int i = 0; i < 3; i++)
        expect_string(holder[i].name, names[i]);
    expect(!holder[3].is_running);
    expect_int(holder[3].count, 50);
    expect_int(weir_pool_report(pool, holder, 2, sizeof(weir_holder)), 4);
    expect_string(holder[0].name, "first");
    expect_int(holder[1].kind, WEIR_KIND_OTHER);
    expect_int(holder[1].count, 52);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    for (int i = 0; i < 3; i++)
        stopper_release(&stuck[i]);
    expect_status(weir_pool_free(pool), 0);
}

/* Work that adds new work forever. */
static void for_ever(void *arg, int status)
{
    if (status == 0 && weir_pool_submit(pool, for_ever, arg, NULL) == 0)
        return;
    sem_post(arg);
}

CASE(pool_work_that_never_ends_cannot_push_the_deadline)
{
    sem_t over;
    int64_t begun_ns;

    sem_init(&over, 0, 0);
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, for_ever, &over, NULL), 0);
    begun_ns = waits_forget();
    expect_status(weir_pool_shutdown(pool, 50 * MILLISECOND), -ETIMEDOUT);
    expect_waited(begun_ns, 50 * MILLISECOND);
    expect_status(weir_pool_close(pool, -1), 0); /* and this ends it */
    wait_for(&over);
    expect_status(weir_pool_free(pool), 0);
}

/* ---- close ---- */

static void expect_refused(weir_job *job, int status)
{
    struct stopper *stopper = (struct stopper *)job;
    struct letter late;

    stopper_run(job, status);
    expect_status(weir_pool_post(pool, letter(&late, '?', 0)), WEIR_ECLOSED);
    stopper->status = 1;
}

CASE(pool_close_cancels_what_is_queued_and_lets_the_running_finish)
{
    static struct letter letters[3];
    struct stopper stopper;

    pool_make(.workers = 1, .done = on_done, .arg = &done_calls);
    stopper_init(&stopper, NULL);
    stopper.job.run = expect_refused;
    expect_status(weir_pool_post(pool, &stopper.job), 0);
    wait_for(&stopper.begun);
    for (int i = 0; i < 3; i++)
        expect_status(weir_pool_post(pool, letter(&letters[i], 'a', i)), 0);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    expect_status(weir_pool_post(pool, &stopper.job), WEIR_ECLOSED);
    expect_int(recorded_size, 0);
    stopper_release(&stopper);
    expect_status(weir_pool_close(pool, -1), 0);
    expect_recorded("a!a!a!");
    expect_int(stopper.status, 1);
    expect_int(pool_stats().cancelled, 3);
    expect_int(done_calls, 1);
    expect_status(done_status, WEIR_ECANCELED);
    expect_status(weir_pool_free(pool), 0);
}

CASE(pool_free_closes_first)
{
    static struct letter letters[3];
    struct stopper stopper;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    for (int i = 0; i < 3; i++)
        expect_status(weir_pool_post(pool, letter(&letters[i], 'a', 0)), 0);
    expect_status(weir_pool_close(pool, 0), -ETIMEDOUT);
    stopper_release(&stopper);
    expect_status(weir_pool_free(pool), 0);
    expect_recorded("a!a!a!");
}

/* ---- who may wait ---- */

static void stop_from_inside(void *close, int status)
{
    expect_status(status, 0);
    expect_status(weir_pool_free(pool), WEIR_EREENTRANT);
    expect_status(close != NULL ? weir_pool_close(pool, -1)
                                : weir_pool_shutdown(pool, -1),
                  0);
}

/* covers: weir_pool_free WEIR_EREENTRANT */
CASE(pool_stops_from_inside_without_a_deadlock)
{
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, stop_from_inside, NULL, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
    pool_make(.workers = 2);
    expect_status(weir_pool_submit(pool, stop_from_inside, pool, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(weir_pool_free(pool), 0);
}

/* covers: weir_pool_shutdown -EDEADLK
 * covers: weir_pool_close -EDEADLK
 * covers: weir_pool_free -EDEADLK */
static void stop_on_loop(void *arg, int status)
{
    struct letter *job = arg;

    expect_status(status, 0);
    expect_status(weir_pool_shutdown(pool, -1), -EDEADLK);
    expect_status(weir_pool_close(pool, 1), -EDEADLK);
    expect_status(weir_pool_free(pool), -EDEADLK);
    expect_status(weir_pool_post(pool, &job->job), 0); /* had no effect */
    expect_status(weir_pool_shutdown(pool, 0), -ETIMEDOUT);
    expect_status(weir_pool_free(pool), -EDEADLK);
}

static void free_on_loop(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_pool_free(arg), 0); /* it has finished */
}

CASE(pool_refuses_to_block_a_loop)
{
    struct stopper stopper;
    struct letter job;
    weir_loop *loop;

    pool_make(.workers = 1);
    stopper_post(&stopper, NULL);
    letter(&job, 'a', 0);
    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_loop_submit(loop, stop_on_loop, &job), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    stopper_release(&stopper);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_recorded("a");
    expect_status(weir_loop_submit(loop, free_on_loop, pool), 0);
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    expect_status(weir_loop_free(loop), 0);
}

CASE(pool_stop_of_NULL_is_refused)
{
    expect_status(weir_pool_shutdown(NULL, 0), -EINVAL);
    expect_status(weir_pool_close(NULL, 0), -EINVAL);
    expect_int(weir_pool_report(NULL, NULL, 0, sizeof(weir_holder)), 0);
}

static void stop_somehow(struct crew *crew, unsigned id)
{
    if (id % 2 == 0)
        expect_status(weir_pool_shutdown(pool, -1), 0);
    else
        expect_status(weir_pool_close(pool, -1), 0);
    expect_int(__atomic_load_n(&done_calls, __ATOMIC_RELAXED), 1);
}

CASE(pool_many_may_stop_it_at_once)
{
    for (int i = 0; i < 50; i++) {
        done_calls = 0;
        pool_make(.workers = 2, .done = on_done, .arg = &done_calls);
        crew_run(4, stop_somehow, NULL);
        expect_status(weir_pool_free(pool), 0);
    }
}

/* ---- workers that block ---- */

static void block(weir_job *job, int status)
{
    expect_status(weir_pool_blocking_begin(pool), 0);
    expect_status(weir_pool_blocking_begin(pool), WEIR_EREENTRANT);
    stopper_run(job, status);
    expect_status(weir_pool_blocking_end(pool), 0);
    expect_status(weir_pool_blocking_end(pool), -EINVAL);
}

static void begin_blocked(struct stopper *stopper)
{
    stopper_init(stopper, NULL);
    stopper->job.run = block;
    expect_status(weir_pool_post(pool, &stopper->job), 0);
    wait_for(&stopper->begun);
}

/* covers: weir_pool_blocking_begin WEIR_EREENTRANT
 * covers: weir_pool_blocking_end -EINVAL */
CASE(pool_grows_while_workers_block_and_shrinks_back)
{
    for (int round = 0; round < 20; round++) {
        struct stopper blocked[2], other;

        pool_make(.workers = 1, .max_workers = 3);
        begin_blocked(&blocked[0]);
        begin_blocked(&blocked[1]);
        stopper_post(&other, NULL); /* returns when it has begun */
        expect_int(pool_stats().workers, 3);
        expect_int(pool_stats().blocked, 2);
        for (int i = 0; i < 2; i++)
            stopper_release(&blocked[i]);
        stopper_release(&other);
        await(pool_stats().workers == 1);
        expect_int(pool_stats().blocked, 0);
        begin_blocked(&blocked[0]); /* places are used again */
        stopper_post(&other, NULL);
        expect_int(pool_stats().workers, 2);
        stopper_release(&blocked[0]);
        stopper_release(&other);
        pool_end();
    }
}

CASE(pool_does_not_grow_beyond_its_maximum)
{
    struct stopper blocked[2], last;

    pool_make(.workers = 1, .max_workers = 2);
    begin_blocked(&blocked[0]);
    begin_blocked(&blocked[1]);
    expect_int(pool_stats().workers, 2);
    stopper_init(&last, NULL);
    expect_status(weir_pool_post(pool, &last.job), 0);
    expect_status(weir_pool_shutdown(pool, 0), -ETIMEDOUT);
    stopper_release(&last); /* when it comes to it */
    stopper_release(&blocked[0]);
    stopper_release(&blocked[1]);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_status(last.status, 0);
    expect_status(weir_pool_free(pool), 0);
}

/* covers: weir_pool_blocking_begin -EPERM
 * covers: weir_pool_blocking_end -EPERM */
CASE(pool_blocking_is_for_workers)
{
    pool_make(.workers = 1);
    expect_status(weir_pool_blocking_begin(pool), -EPERM);
    expect_status(weir_pool_blocking_end(pool), -EPERM);
    expect_status(weir_pool_blocking_begin(NULL), -EINVAL);
    expect_status(weir_pool_blocking_end(NULL), -EINVAL);
    pool_end();
}

static void forget_to_end(void *arg, int status)
{
    expect_status(status, 0);
    expect_status(weir_pool_blocking_begin(pool), 0);
}

CASE(pool_job_that_returns_blocks_no_longer)
{
    pool_make(.workers = 1, .max_workers = 2);
    for (int i = 0; i < 100; i++)
        expect_status(weir_pool_submit(pool, forget_to_end, NULL, NULL), 0);
    expect_status(weir_pool_shutdown(pool, -1), 0);
    expect_int(pool_stats().blocked, 0);
    expect_int(pool_stats().ran, 100);
    expect_status(weir_pool_free(pool), 0);
}

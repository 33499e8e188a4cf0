/* SPDX-License-Identifier: MIT */
/*
 * mail -- three mails that are sent even if this program is killed.
 *
 *     mail FILE
 *
 * Kill it at any time and start it again: the mails that were not sent are in
 * FILE.  The second one fails at its first attempt.
 */
#include <stdio.h>
#include <string.h>
#include <weir.h>
#include <weir/jobs.h>

static int left = 3;

static void closed(void *jobs, int status, const weir_jobs_reply *reply)
{
    printf("closed: %s\n", weir_error_text(status));
    weir_jobs_free(jobs);
}

static void drained(void *jobs, int status, const weir_jobs_reply *reply)
{
    printf("drained: %s\n", weir_error_text(status));
    if (weir_jobs_close(jobs, closed, jobs) != 0)
        puts("not closed");
}

static void sent(void *jobs, int status, const weir_jobs_reply *reply)
{
    if (status == 0 && --left == 0 &&
        weir_jobs_drain(jobs, 5000, 10000, drained, jobs) != 0)
        puts("not drained");
}

static void send_mail(void *jobs, weir_jobs_claim *claim)
{
    const weir_jobs_info *job = weir_jobs_claim_info(claim);
    weir_jobs_outcome failed = {.size = sizeof(failed),
                                .kind = WEIR_JOBS_OUTCOME_FAILED,
                                .reason = "the server was busy"};
    bool is_busy = job->attempt == 1 && memcmp(job->payload, "bob", 3) == 0;
    int err;

    printf("%.*s, attempt %u%s\n", (int)job->payload_size,
           (const char *)job->payload, job->attempt, is_busy ? ": busy" : "");
    err = is_busy ? weir_jobs_settle(claim, &failed, NULL, NULL)
                  : weir_jobs_settle(claim, NULL, sent, jobs);
    if (err != 0)
        puts(weir_error_text(err));
}

static void added(void *name, int status, const weir_jobs_reply *reply)
{
    printf("%s is on the disk: %s\n", (char *)name, weir_error_text(status));
}

static int add_mail(weir_jobs *jobs, char *to, const char *key)
{
    weir_jobs_spec mail = {.size = sizeof(mail),
                           .queue = "mail",
                           .payload = to,
                           .payload_size = 3,
                           .key = key,
                           .backoff_ms = 20};

    return weir_jobs_add(jobs, &mail, added, to);
}

int main(int count, char **arguments)
{
    weir_loop *loop;
    weir_jobs *jobs;
    weir_jobs_worker *worker;
    weir_jobs_worker_options options = {.size = sizeof(options),
                                        .queue = "mail",
                                        .concurrency = 2,
                                        .run = send_mail};

    if (count != 2 || weir_loop_new(&loop, NULL) != 0 ||
        weir_jobs_open(&jobs, loop, arguments[1], NULL) != 0)
        return 1;
    options.arg = jobs;
    if (add_mail(jobs, "ann", NULL) != 0 || add_mail(jobs, "bob", "bob") != 0 ||
        add_mail(jobs, "bee", "bob") != 0 || /* to bob, so after it */
        weir_jobs_work(jobs, &worker, &options) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0)
        return 1;
    return weir_loop_free(loop);
}

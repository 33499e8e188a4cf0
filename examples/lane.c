/* SPDX-License-Identifier: MIT */
/*
 * lane -- four look-ups that hang, and a file that is read nevertheless.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static sem_t answer; /* from a name server that never answers */
static sem_t hangs, was_read;

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "lane: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void await(sem_t *sem)
{
    while (sem_wait(sem) != 0)
        ; /* EINTR */
}

static void look_up(void *name, int status)
{
    if (status != 0) {
        printf("%s: %s\n", (const char *)name, weir_error_text(status));
        return;
    }
    sem_post(&hangs);
    await(&answer); /* blocks a worker */
}

static void read_file(void *name, int status)
{
    if (status == 0)
        printf("%s: read\n", (const char *)name);
    sem_post(&was_read);
}

int main(void)
{
    weir_pool *pool;
    weir_lane *dns;
    weir_abort *abort;

    sem_init(&answer, 0, 0);
    sem_init(&hangs, 0, 0);
    sem_init(&was_read, 0, 0);
    must(weir_abort_new(&abort), "abort");
    must(weir_pool_new(&pool,
                       &(weir_pool_options){.size = sizeof(weir_pool_options),
                                            .workers = 4}),
         "pool");
    must(weir_lane_new(&dns, pool, "look-up", 3), "lane");
    for (int i = 0; i < 4; i++)
        must(weir_pool_submit(
                 pool, look_up, "the fourth look-up",
                 &(weir_submit_options){.size = sizeof(weir_submit_options),
                                        .lane = dns,
                                        .abort = abort}),
             "submit");
    for (int i = 0; i < 3; i++)
        await(&hangs);
    /* Three hang, the fourth waits in the lane, and one worker is free. */
    must(weir_pool_submit(pool, read_file, "a file", NULL), "submit");
    await(&was_read);

    must(weir_abort_raise(abort, -ETIMEDOUT), "raise"); /* lose patience */
    for (int i = 0; i < 3; i++)
        sem_post(&answer);
    must(weir_pool_shutdown(pool, -1), "shutdown");
    must(weir_pool_free(pool), "free");
    weir_abort_unref(abort);
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * deadline -- stop a pool although one of its jobs does not end.
 */
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static sem_t begun, give_up;

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "deadline: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void hang(void *arg, int status)
{
    sem_post(&begun);
    while (sem_wait(&give_up) != 0)
        ;
}

static void work(void *name, int status)
{
    printf("%s: %s\n", (const char *)name, weir_error_text(status));
}

static void show_report(const weir_pool *pool)
{
    weir_holder holder[8];
    size_t count = weir_pool_report(pool, holder, 8, sizeof(weir_holder));

    for (size_t i = 0; i < count && i < 8; i++)
        if (holder[i].is_running)
            printf("still running: %s, for %s than 100 ms\n", holder[i].name,
                   holder[i].age_ns >= WEIR_MS(100) ? "more" : "less");
}

int main(void)
{
    weir_pool *pool;
    int err;

    sem_init(&begun, 0, 0);
    sem_init(&give_up, 0, 0);
    must(weir_pool_new(&pool,
                       &(weir_pool_options){.size = sizeof(weir_pool_options),
                                            .workers = 1}),
         "pool");
    must(weir_pool_submit(
             pool, hang, NULL,
             &(weir_submit_options){.size = sizeof(weir_submit_options),
                                    .name = "hang"}),
         "submit");
    while (sem_wait(&begun) != 0)
        ;
    must(weir_pool_submit(pool, work, "a job behind it", NULL), "submit");

    err = weir_pool_shutdown(pool, WEIR_MS(200));
    printf("shutdown: %s\n", weir_error_name(err));
    printf("a late job: %s\n",
           weir_error_name(weir_pool_submit(pool, work, "never", NULL)));
    show_report(pool);

    err = weir_pool_close(pool, 0); /* queued jobs never start */
    printf("close: %s\n", weir_error_name(err));
    sem_post(&give_up); /* let it end at last */
    must(weir_pool_close(pool, -1), "close");
    must(weir_pool_free(pool), "free");
    return EXIT_SUCCESS;
}

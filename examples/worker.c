/* SPDX-License-Identifier: MIT */
/*
 * worker -- a thread that computes, and a loop that receives the results.
 *
 * The worker holds a reference to the loop while it works.  After the worker
 * has released it and the last result has been handled, the loop has nothing to
 * wait for, and run returns.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>

enum { PARTS = 5, PART = 20000 };

/* Written by the worker before the submit; read on the loop's thread. */
struct part {
    int first, last;
    int primes;
};

struct worker {
    weir_loop *loop;
    struct part part[PARTS];
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "worker: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static bool is_prime(int number)
{
    for (int divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return false;
    return number > 1;
}

/* On the loop's thread, in the order in which the worker submits. */
static void show(void *arg, int status)
{
    const struct part *part = arg;

    if (status == 0)
        printf("%5d to %5d: %d primes\n", part->first, part->last,
               part->primes);
}

static void *work(void *arg)
{
    struct worker *worker = arg;
    int err = 0;

    for (int i = 0; i < PARTS && err == 0; i++) {
        struct part *part = &worker->part[i];

        for (int number = part->first; number <= part->last; number++)
            part->primes += is_prime(number);
        /* All writes above happen before show(). */
        err = weir_loop_submit(worker->loop, show, part);
    }
    /* WEIR_ECLOSED: the loop was stopped, and the rest is not needed. */
    if (err != 0 && err != WEIR_ECLOSED)
        fprintf(stderr, "worker: submit: %s\n", weir_error_text(err));
    weir_loop_unref(worker->loop); /* the last use of the loop */
    return NULL;
}

int main(void)
{
    struct worker worker;
    pthread_t thread;

    for (int i = 0; i < PARTS; i++)
        worker.part[i] = (struct part){i * PART, i * PART + PART - 1, 0};
    must(weir_loop_new(&worker.loop, NULL), "new");

    weir_loop_ref(worker.loop); /* for the worker, before it starts */
    must(-pthread_create(&thread, NULL, work, &worker), "thread");
    must(weir_loop_run(worker.loop, WEIR_RUN_UNTIL_IDLE), "run");
    puts("the worker has released the loop");

    must(-pthread_join(thread, NULL), "join");
    must(weir_loop_free(worker.loop), "free");
    return EXIT_SUCCESS;
}

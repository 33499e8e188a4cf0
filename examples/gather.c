/* SPDX-License-Identifier: MIT */
/*
 * gather -- threads compute parts of a sum, and a loop is notified when all are
 * done.
 *
 * Each thread settles its own promise.  Main sleeps until the sum of all parts
 * is known.  The loop prints a message after the last thread has left.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>

enum { PARTS = 4, SIZE = 1000 };

struct part {
    pthread_t thread;
    weir_promise *promise; /* the thread settles and releases it */
    long first, sum;
};

static weir_loop *loop;
static weir_gate working;
static struct part parts[PARTS];
static weir_promise *total; /* main's */

static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "gather: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

/* ---- one thread per part ---- */

static void *add_up(void *arg)
{
    struct part *part = arg;

    for (long i = 0; i < SIZE; i++)
        part->sum += part->first + i;
    must(weir_promise_resolve(part->promise, weir_value_of(&part->sum, NULL)),
         "resolve");
    weir_promise_unref(part->promise);
    weir_gate_exit(&working);
    weir_loop_unref(loop);
    return NULL;
}

/* ---- on the loop ---- */

static weir_result add_parts(void *arg, const weir_value *value)
{
    const weir_outcomes *outcomes = value->data;
    long *sum = calloc(1, sizeof(*sum));

    if (sum == NULL)
        return weir_fail(weir_value_error(-ENOMEM));
    for (size_t i = 0; i < outcomes->count; i++)
        *sum += *(long *)outcomes->at[i].data;
    return weir_give(weir_value_of(sum, free));
}

static weir_result all_left(void *arg, const weir_value *value)
{
    puts("the last thread has left");
    return weir_pass();
}

static void begin(void *arg, int status)
{
    weir_promise *promises[PARTS], *all, *closed;

    must(status, "begin");
    for (int i = 0; i < PARTS; i++) {
        must(weir_promise_new(&promises[i], loop), "new");
        parts[i].first = (long)i * SIZE;
        parts[i].promise = weir_promise_ref(promises[i]);
    }
    must(weir_promise_all(&all, loop, promises, PARTS), "all");
    must(weir_promise_then(all, add_parts, NULL, NULL, &total), "then");
    must(weir_gate_closed(&working, loop, &closed), "closed");
    must(weir_promise_then(closed, all_left, NULL, NULL, NULL), "then");
    weir_promise_unref(closed);
    weir_promise_unref(all);
    for (int i = 0; i < PARTS; i++)
        weir_promise_unref(promises[i]);
}

static void *run(void *arg)
{
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    return NULL;
}

/* ---- main ---- */

static void start_threads(void)
{
    for (int i = 0; i < PARTS; i++) {
        must(weir_gate_enter(&working), "enter");
        weir_loop_ref(loop); /* run waits for the thread's unref */
        must(-pthread_create(&parts[i].thread, NULL, add_up, &parts[i]),
             "thread");
    }
    must(weir_gate_drain(&working), "drain"); /* no more threads will enter */
}

int main(void)
{
    pthread_t runner;

    must(weir_gate_init(&working, NULL, NULL, NULL), "gate");
    must(weir_gate_start(&working), "start");
    must(weir_loop_new(&loop, NULL), "loop");
    must(weir_loop_submit(loop, begin, NULL), "submit");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run"); /* start */
    start_threads();
    must(-pthread_create(&runner, NULL, run, NULL), "runner");
    must(weir_promise_wait(total, -1), "wait"); /* main runs no loop */
    for (int i = 0; i < PARTS; i++)
        pthread_join(parts[i].thread, NULL);
    pthread_join(runner, NULL);
    printf("the sum is %ld\n", *(long *)weir_promise_value(total)->data);
    weir_promise_unref(total);
    must(weir_loop_free(loop), "free");
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * foreign -- a weir loop inside a program that has its own loop.
 *
 * The program's loop is a bare poll(2).  It watches weir's descriptor beside
 * its own, and runs a turn of weir when there is something to do.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weir.h>

static pthread_t thread;

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "foreign: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_answer(void *arg, int status)
{
    if (status != 0)
        return;
    puts("a task from another thread");
    must(weir_loop_shutdown(weir_loop_current(), 0), "shutdown");
}

static void *answer(void *loop)
{
    must(weir_loop_submit(loop, on_answer, NULL), "submit");
    weir_loop_unref(loop);
    return NULL;
}

static void on_timer(void *arg, int status)
{
    weir_loop *loop = weir_loop_current();

    if (status != 0)
        return;
    puts("a timer");
    weir_loop_ref(loop); /* for the thread */
    must(-pthread_create(&thread, NULL, answer, loop), "thread");
}

/* Wait until weir needs a turn.  The program's own descriptors would be in the
 * same array. */
static void wait_for_work(weir_loop *loop)
{
    struct pollfd weir = {.fd = weir_loop_backend_fd(loop), .events = POLLIN};
    int64_t left_ns = weir_loop_timeout(loop);
    struct timespec left = {left_ns / 1000000000, left_ns % 1000000000};

    must(weir.fd < 0 ? weir.fd : 0, "backend descriptor");
    if (ppoll(&weir, 1, left_ns < 0 ? NULL : &left, NULL) < 0 && errno != EINTR)
        must(-errno, "poll");
}

int main(void)
{
    weir_loop *loop;
    int err;

    must(weir_loop_new(&loop, NULL), "new");
    must(weir_timer_start(loop, NULL, WEIR_MS(1), WEIR_TIMER_ONCE, on_timer,
                          NULL),
         "timer");
    while ((err = weir_loop_step(loop, 0)) == 0)
        wait_for_work(loop);
    if (err != WEIR_ECLOSED) /* the shutdown is complete */
        must(err, "step");

    must(-pthread_join(thread, NULL), "join");
    must(weir_loop_free(loop), "free");
    return EXIT_SUCCESS;
}

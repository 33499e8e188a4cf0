/* SPDX-License-Identifier: MIT */
/*
 * order -- the order in which a loop calls what one callback has queued.
 *
 * The first task queues one callback of each kind, in arbitrary order.  Then a
 * chain of microtasks exhausts the budget and lets the others pass.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <weir.h>

enum { BUDGET = 3, CHAIN = 5 };

static int ready[2]; /* a pipe with a byte in it */
static int links;    /* of the chain that have run */

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "order: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void say(void *text, int status)
{
    if (status == 0)
        puts(text);
}

static void on_ready(void *text, int status, int fd, unsigned events)
{
    say(text, status);
    if (status == 0)
        must(weir_fd_remove(weir_loop_current(), fd, NULL, NULL), "remove");
}

static void queue_one_of_each(void *arg, int status)
{
    weir_loop *loop = weir_loop_current();

    say("task", status);
    must(weir_timer_start(loop, NULL, 0, WEIR_TIMER_ONCE, say,
                          "next turn: timer"),
         "timer");
    must(weir_loop_submit(loop, say, "next turn: task"), "task");
    must(weir_loop_on_close_phase(loop, say, "close phase"), "close phase");
    must(weir_loop_immediate(loop, say, "immediate"), "immediate");
    must(weir_fd_add(loop, ready[0], WEIR_FD_READABLE, on_ready, "descriptor"),
         "descriptor");
    must(weir_loop_microtask(loop, say, "    microtask"), "microtask");
    must(weir_loop_next_tick(loop, say, "    next-tick"), "next-tick");
}

static void link_up(void *arg, int status)
{
    printf("    link %d\n", ++links);
    if (links < CHAIN)
        must(weir_loop_microtask(weir_loop_current(), link_up, NULL), "link");
}

static void begin_chain(void *arg, int status)
{
    say("task: begins a chain of microtasks", status);
    must(weir_loop_immediate(weir_loop_current(), say, "immediate"), "queue");
    must(weir_loop_microtask(weir_loop_current(), link_up, NULL), "queue");
}

static void on_breach(void *arg, weir_loop *loop)
{
    puts("    the budget is used up");
}

int main(void)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .microtask_budget = BUDGET,
                                 .on_breach = on_breach};
    weir_loop *loop;

    if (pipe(ready) != 0 || write(ready[1], "!", 1) != 1) {
        perror("order: pipe");
        return EXIT_FAILURE;
    }
    must(weir_loop_new(&loop, &options), "new");
    must(weir_loop_submit(loop, queue_one_of_each, NULL), "submit");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    must(weir_loop_submit(loop, begin_chain, NULL), "submit");
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), "run");
    must(weir_loop_free(loop), "free");
    close(ready[0]);
    close(ready[1]);
    return EXIT_SUCCESS;
}

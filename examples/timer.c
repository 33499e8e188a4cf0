/* SPDX-License-Identifier: MIT */
/*
 * timer -- what the three repeat policies do when a callback is late.
 *
 * Each timer repeats every 10 ms.  Its first callback takes 25 ms, the others
 * no time at all.  The clock is frozen and advanced by hand, so the program
 * takes no time and prints the same in each run.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>

enum { PERIOD_MS = 10, FIRST_TAKES_MS = 25, CALLS = 5 };

struct ticker {
    weir_loop *loop;
    weir_timer timer;
    int64_t began_ns;
    int calls;
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "timer: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void tick(void *arg, int status)
{
    struct ticker *ticker = arg;

    if (status != 0)
        return; /* the loop is ending */
    printf(" %3d", (int)((weir_clock_now() - ticker->began_ns) / WEIR_MS(1)));
    ticker->calls++;
    if (ticker->calls == 1)
        must(weir_clock_advance(WEIR_MS(FIRST_TAKES_MS)), "advance");
    if (ticker->calls == CALLS)
        must(weir_timer_cancel(ticker->loop, ticker->timer), "cancel");
}

/* Run turns without waiting; between them, advance the clock to the next
 * timer. */
static void run_until_cancelled(struct ticker *ticker)
{
    while (ticker->calls < CALLS) {
        must(weir_loop_step(ticker->loop, 0), "step");
        if (ticker->calls < CALLS)
            must(weir_clock_advance(weir_loop_timeout(ticker->loop)),
                 "advance");
    }
}

static void show(weir_loop *loop, const char *name, weir_timer_repeat repeat)
{
    struct ticker ticker = {.loop = loop, .began_ns = weir_clock_now()};

    printf("%-24s", name);
    must(weir_timer_start(loop, &ticker.timer, WEIR_MS(PERIOD_MS), repeat, tick,
                          &ticker),
         "start");
    run_until_cancelled(&ticker);
    puts("");
}

int main(void)
{
    weir_loop *loop;

    must(weir_clock_freeze(0), "freeze");
    must(weir_loop_new(&loop, NULL), "new");
    printf("every %d ms, but the first callback takes %d ms\n", PERIOD_MS,
           FIRST_TAKES_MS);
    show(loop, "fixed delay", WEIR_TIMER_FIXED_DELAY);
    show(loop, "fixed rate", WEIR_TIMER_FIXED_RATE);
    show(loop, "fixed rate, catching up", WEIR_TIMER_FIXED_RATE_CATCH_UP);
    must(weir_loop_free(loop), "free");
    weir_clock_thaw();
    return EXIT_SUCCESS;
}

/* SPDX-License-Identifier: MIT */
/*
 * status -- what a callback is called with: 0, or the reason it never ran.
 */
#include <pthread.h>
#include <stdio.h>

#include <weir.h>

static void ring(void *name, int status) /* 0, or the reason it never ran */
{
    printf("%s: %s\n", (const char *)name, weir_error_text(status));
}

static void on_hello(void *loop, int status) /* on the loop's thread */
{
    weir_timer hour;

    printf("hello from another thread: %s\n", weir_error_text(status));
    if (weir_timer_start(loop, NULL, WEIR_MS(1), WEIR_TIMER_ONCE, ring,
                         "1 ms") != 0 ||
        weir_timer_start(loop, &hour, WEIR_S(3600), WEIR_TIMER_ONCE, ring,
                         "an hour") != 0 ||
        weir_timer_unref(loop, hour) != 0) /* does not keep run going */
        puts("no timer");
}

static void *work(void *loop)
{
    if (weir_loop_submit(loop, on_hello, loop) != 0) /* any thread, any time */
        puts("refused");
    weir_loop_unref(loop);
    return NULL;
}

int main(void)
{
    weir_loop *loop;
    pthread_t thread;

    if (weir_loop_new(&loop, NULL) != 0)
        return 1;
    weir_loop_ref(loop); /* for the thread: run waits for its unref */
    if (pthread_create(&thread, NULL, work, loop) != 0 ||
        weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE) != 0 ||
        weir_loop_shutdown(loop, -1) != 0)
        return 1;
    ring("too late", weir_loop_submit(loop, ring, "never"));
    pthread_join(thread, NULL);
    return weir_loop_free(loop);
}

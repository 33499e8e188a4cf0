/* SPDX-License-Identifier: MIT */
/*
 * gate -- libweir's gate, explored as a user would: src/gate as it is, with
 * threads of the system, through weir/explore.h.  test/model/gate explores the
 * same protocol through the model's seam (docs/decisions/explore-model.md).
 *
 * The broken test reads what on_closed writes as soon as the wait is over.  The
 * gate does not promise that: on_closed may still be running.
 *
 * correct: nothing found
 * broken: data race
 * flags: -D_GNU_SOURCE -Iinclude -Isrc src/gate/gate.c src/gate/listener.c
 * flags: src/gate/shards.c src/base/check.c src/base/clock.c src/base/lock.c
 * flags: src/base/memory.c src/base/parker.c src/base/sized.c
 * flags: src/base/thread.c src/base/os/clock.c src/base/os/fork.c
 * flags: src/base/os/futex.c src/base/os/membarrier.c src/base/os/thread.c
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#include <weir/explore.h>
#include <weir/gate.h>

static weir_gate gate;
static int closed, done[2];

static void on_closed(void *argument)
{
    closed++;
}

static void *use(void *is_done)
{
    if (weir_gate_enter(&gate) != 0)
        return NULL;
    *(int *)is_done = 1;
    weir_gate_exit(&gate);
    return is_done;
}

static void *drain(void *argument)
{
    assert(weir_gate_drain(&gate) == 0);
    return NULL;
}

/* Two users and a drain: closed once, after all that was admitted. */
static void close_once(void *argument)
{
    pthread_t thread[3];
    void *admitted[2];
    int seen;

    assert(weir_gate_init(&gate, on_closed, NULL, NULL) == 0);
    assert(weir_gate_start(&gate) == 0);
    pthread_create(&thread[0], NULL, use, &done[0]);
    pthread_create(&thread[1], NULL, use, &done[1]);
    pthread_create(&thread[2], NULL, drain, NULL);
    assert(weir_gate_wait(&gate, -1) == 0);
    seen = done[0] + done[1];
#ifdef BROKEN
    assert(closed == 1);
#endif
    pthread_join(thread[0], &admitted[0]);
    pthread_join(thread[1], &admitted[1]);
    pthread_join(thread[2], NULL);
    assert(seen == (admitted[0] != NULL) + (admitted[1] != NULL));
    assert(closed == 1 && weir_gate_enter(&gate) != 0);
    weir_explore_outcome("%d", seen);
}

int main(void)
{
    weir_explore_result result = {.size = sizeof(result)};
    int is_wrong;

    if (weir_explore_run(close_once, NULL, NULL, &result) != 0)
        return 2;
    fputs(result.report, stdout);
    is_wrong = result.finding != WEIR_EXPLORE_NOTHING;
    weir_explore_result_fini(&result);
    return is_wrong;
}

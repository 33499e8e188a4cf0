/* SPDX-License-Identifier: MIT */
/*
 * abi -- options of a program that was compiled with a later version of weir.
 *
 * Each struct has one more member here, as a later version would append it.
 * test/api/abi.sh compiles whole programs with other versions of the headers.
 */
#include <errno.h>

#include "support/suite.h"
#include "weir.h"
#include "weir/host/board.h"

#define NEWER(type)                                                            \
    struct {                                                                   \
        type known;                                                            \
        uint64_t unknown;                                                      \
    }

/* Expects a call that is given &newer.known to refuse the unknown member if it is
 * set, and to succeed if it is 0. */
#define EXPECT_REFUSED_UNLESS_ZERO(newer, call)                                \
    do {                                                                       \
        (newer).known.size = sizeof(newer);                                    \
        (newer).unknown = 1;                                                   \
        expect_status(call, -E2BIG);                                           \
        (newer).unknown = 0;                                                   \
        expect_status(call, 0);                                                \
    } while (0)

/* covers: weir_gate_init -E2BIG */
CASE(abi_gate_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_gate_options) newer = {.known.sharded = true};
    weir_gate gate;

    EXPECT_REFUSED_UNLESS_ZERO(newer,
                               weir_gate_init(&gate, NULL, NULL, &newer.known));
    expect_status(weir_gate_fini(&gate), 0);
}

/* covers: weir_loop_new -E2BIG */
CASE(abi_loop_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_loop_options) newer = {.known.name = "newer"};
    weir_loop *loop;

    EXPECT_REFUSED_UNLESS_ZERO(newer, weir_loop_new(&loop, &newer.known));
    expect_status(weir_loop_free(loop), 0);
}

static void ignore(void *arg, int status)
{
}

/* covers: weir_pool_new -E2BIG
 * covers: weir_pool_submit -E2BIG */
CASE(abi_pool_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_pool_options) newer = {.known.workers = 1};
    NEWER(weir_submit_options) job = {.known.name = "newer"};
    weir_pool *pool;

    EXPECT_REFUSED_UNLESS_ZERO(newer, weir_pool_new(&pool, &newer.known));
    EXPECT_REFUSED_UNLESS_ZERO(
        job, weir_pool_submit(pool, ignore, NULL, &job.known));
    expect_status(weir_pool_free(pool), 0);
}

static int block(void *arg, weir_value *value)
{
    return 0;
}

/* covers: weir_promisify -E2BIG */
CASE(abi_promisify_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_submit_options) newer = {.known.name = "newer"};
    weir_promise *promise;
    weir_loop *loop;
    weir_pool *pool;

    expect_status(weir_loop_new(&loop, NULL), 0);
    expect_status(weir_pool_new(&pool, NULL), 0);
    EXPECT_REFUSED_UNLESS_ZERO(
        newer,
        weir_promisify(&promise, loop, pool, block, NULL, NULL, &newer.known));
    expect_status(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE), 0);
    weir_promise_unref(promise);
    expect_status(weir_loop_free(loop), 0);
    expect_status(weir_pool_free(pool), 0);
}

/* covers: weir_service_new -E2BIG
 * covers: weir_service_add_loop -E2BIG
 * covers: weir_service_add_pool -E2BIG */
CASE(abi_service_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_service_options) newer = {.known.no_signals = true};
    NEWER(weir_pool_options) of_pool = {.known.name = "newer"};
    NEWER(weir_loop_options) of_loop = {.known.name = "newer"};
    weir_service *service;
    weir_loop *loop;
    weir_pool *pool;

    EXPECT_REFUSED_UNLESS_ZERO(newer, weir_service_new(&service, &newer.known));
    EXPECT_REFUSED_UNLESS_ZERO(
        of_loop, weir_service_add_loop(service, &loop, &of_loop.known));
    EXPECT_REFUSED_UNLESS_ZERO(
        of_pool, weir_service_add_pool(service, &pool, &of_pool.known));
    expect_status(weir_service_free(service), 0);
}

static void wake(void *arg, uint32_t taker)
{
}

static void drop(void *arg, weir_notice *notice)
{
}

/* covers: weir_board_new -E2BIG
 * covers: weir_board_count -EINVAL */
CASE(abi_board_refuses_an_option_that_it_does_not_know)
{
    NEWER(weir_board_options)
    newer = {
        .known = {.takers = 1, .priorities = 1, .wake = wake, .drop = drop}};
    weir_board *board;

    EXPECT_REFUSED_UNLESS_ZERO(newer, weir_board_new(&board, &newer.known));
    expect_status(weir_board_count(board, NULL), -EINVAL);
    expect_status(weir_board_count(board, &(weir_board_counts){.size = 0}),
                  -EINVAL);
    weir_board_free(board);
}

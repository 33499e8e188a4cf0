/* SPDX-License-Identifier: MIT */
/*
 * ids -- promises by number: weak, and never the same number twice.
 */
#include "loop/loop.h"
#include "support/failing_allocator.h"
#include "support/place.h"
#include "support/promise_fixture.h"
#include "support/random.h"

static uint64_t id_of(weir_promise *promise)
{
    uint64_t id = 0;

    expect_status(weir_promise_id(promise, &id), 0);
    expect(id != 0);
    return id;
}

static void expect_gone(uint64_t id)
{
    weir_promise *found = NULL;

    expect_status(weir_promise_find(loop, id, &found), -ENOENT);
    expect(found == NULL);
}

static void play(void (*scene)(void))
{
    loop_make(NULL);
    if (place == INSIDE)
        inside(scene);
    else
        scene();
    loop_run();
    loop_end();
}

#define SCENE(name)                                                            \
    static void scene_##name(void);                                            \
    PLACE_CASE(name)                                                           \
    {                                                                          \
        play(scene_##name);                                                    \
    }                                                                          \
    static void scene_##name(void)

/* ---- the table ---- */

enum { CROWD = 1000 };

static struct failing_allocator memory;

/* The bytes that are left when a crowd has come and gone.  A table has two
 * words, and a pointer for each slot, of which half are empty. */
static uint64_t bytes_after_crowd(bool has_ids)
{
    static weir_promise *crowd[CROWD];
    uint64_t before;

    for (int i = 0; i < CROWD; i++)
        expect_status(weir_promise_new(&crowd[i], loop), 0);
    before = memory.live_bytes;
    for (uint64_t i = 0; has_ids && i < CROWD; i++) {
        (void)id_of(crowd[i]);
        expect(memory.live_bytes - before >=
               2 * sizeof(uint64_t) + 2 * (i + 1) * sizeof(void *));
    }
    for (int i = 0; i < CROWD; i++)
        drop(crowd[i]);
    loop_run();
    return memory.live_bytes;
}

CASE(ids_table_grows_before_it_is_half_full_and_shrinks_again)
{
    uint64_t without;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    loop_make(NULL);
    without = bytes_after_crowd(false);
    expect(bytes_after_crowd(true) < without + CROWD * sizeof(void *));
    loop_end();
    expect_int(memory.live, 0);
}

SCENE(ids_find_a_promise_by_its_number)
{
    weir_promise *found = NULL, *p = pending();
    uint64_t id = id_of(p);

    expect_int(id_of(p), id);
    expect_status(weir_promise_find(loop, id, &found), 0);
    expect(found == p);
    drop(p);
    expect_status(weir_promise_resolve(found, nothing()), 0);
    drop(found);
}

/* covers: weir_promise_find -ENOENT */
SCENE(ids_keep_no_promise_alive)
{
    weir_promise *p = pending();
    uint64_t id = id_of(p);

    drop(p);
    if (place == ELSEWHERE)
        loop_run(); /* it goes when the loop has heard of it */
    expect_gone(id);
    expect_gone(0);
    expect_gone(id + 1);
}

/* covers: weir_promise_id -EINVAL
 * covers: weir_promise_find -EINVAL */
SCENE(ids_refuse_null)
{
    weir_promise *p = pending();
    uint64_t id;

    expect_status(weir_promise_id(NULL, &id), -EINVAL);
    expect_status(weir_promise_id(p, NULL), -EINVAL);
    expect_status(weir_promise_find(NULL, 1, &p), -EINVAL);
    expect_status(weir_promise_find(loop, 1, NULL), -EINVAL);
    drop(p);
}

/* covers: weir_promise_id -EOVERFLOW */
SCENE(ids_are_never_given_twice)
{
    weir_promise *p = pending(), *last = pending();
    uint64_t id = 1;

    loop->promises.last_id = UINT64_MAX - 1;
    expect(id_of(last) == UINT64_MAX);
    expect_status(weir_promise_id(p, &id), -EOVERFLOW);
    expect_int(id, 1);
    expect(id_of(last) == UINT64_MAX);
    drop(p);
    drop(last);
}

/* Found again although the last known reference has just gone. */
SCENE(ids_find_what_is_on_its_way_out)
{
    weir_promise *found = NULL, *p = pending();
    uint64_t id = id_of(p);

    if (place == INSIDE)
        found = keep(p);
    drop(p);
    if (place == ELSEWHERE)
        expect_status(weir_promise_find(loop, id, &found), 0);
    expect_int(id_of(found), id);
    drop(found);
}

/* Many come and go, at random: those that are there are found, no others. */
enum { MANY = 300, ROUNDS = 20000 };

SCENE(ids_find_exactly_those_that_are_there)
{
    static weir_promise *promises[MANY];
    static uint64_t ids[MANY];
    struct random random = {random_seed()};

    for (int round = 0; round < ROUNDS; round++) {
        uint64_t i = random_below(&random, MANY);

        if (promises[i] == NULL) {
            uint64_t before = ids[i];

            promises[i] = pending();
            ids[i] = id_of(promises[i]);
            expect(ids[i] > before);
        } else {
            weir_promise *found = NULL;

            expect_status(weir_promise_find(loop, ids[i], &found), 0);
            expect(found == promises[i]);
            drop(found);
            drop(promises[i]);
            promises[i] = NULL;
            if (place == INSIDE)
                expect_gone(ids[i]);
        }
    }
    for (int i = 0; i < MANY; i++)
        drop(promises[i]);
}

CASE(ids_find_a_promise_after_the_end_of_its_loop)
{
    weir_promise *found = NULL, *p;
    uint64_t id;

    loop_make(NULL);
    p = pending();
    id = id_of(p);
    expect_status(weir_loop_shutdown(loop, -1), 0);
    expect_status(weir_promise_find(loop, id, &found), 0);
    expect(found == p);
    drop(found);
    drop(p);
    expect_gone(id);
    expect_status(weir_loop_free(loop), 0);
}

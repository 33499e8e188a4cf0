/* SPDX-License-Identifier: MIT */
/*
 * lock -- one at a time, nobody sleeps forever, and the last one frees it.
 * The protocols of js/ that rest on a lock are here as well, each with the
 * mistake that it avoids.
 */
#include "base/lock.h"

#include "base/memory.h"
#include "model.h"
#include "weir/channel.h"
#include "weir/loop.h"

static struct weir__lock lock;
static int protected; /* under lock */

static void init(void)
{
    weir__lock_init(&lock);
    model_show(&lock.word, "lock", NULL);
}

static void add_one(void)
{
    weir__lock_lock(&lock);
    plain_store(&protected, plain_load(&protected) + 1);
    weir__lock_unlock(&lock);
}

static void add_two(void)
{
    add_one();
    add_one();
}

static void three_were_added(void)
{
    model_assert(protected == 3);
}

/* A block that counts its references under its own lock. */
static struct block {
    weir_lock lock;
    unsigned references;
} * block;

static void make_block(void)
{
    block = weir__memory_alloc(sizeof(*block), _Alignof(struct block));
    *block = (struct block){WEIR_LOCK_INIT, 3};
    model_show(&block->lock, "lock", NULL);
}

static void drop_block(void)
{
    struct block *mine = block;
    unsigned left;

    weir_lock_acquire(&mine->lock);
    left = plain_load(&mine->references) - 1;
    plain_store(&mine->references, left);
    weir_lock_release(&mine->lock);
    if (left == 0)
        weir__memory_free(mine, sizeof(*mine));
}

/* Wrong: the count may be another's by now, and the block gone. */
static void drop_block_and_look(void)
{
    struct block *mine = block;

    weir_lock_acquire(&mine->lock);
    plain_store(&mine->references, plain_load(&mine->references) - 1);
    weir_lock_release(&mine->lock);
    if (plain_load(&mine->references) == 0)
        weir__memory_free(mine, sizeof(*mine));
}

/* --- a loop that its thread publishes, and another thread stops -------------
 *
 * As js/threads/worker.c does: a stop that comes before the loop is published
 * is found by the loop's thread, and a loop that is published exists.
 */

static struct {
    weir_lock lock;
    weir_loop *loop; /* under lock; so is: */
    bool is_stopped;
    weir_task stop; /* the loop's */
} published;

static weir_loop *own; /* the thread's that runs it */

static void make_loop(void)
{
    model_assert(weir_loop_new(&own, NULL) == 0);
}

/* Returns whether the stop came before. */
static bool publish(weir_loop *loop)
{
    bool is_stopped;

    weir_lock_acquire(&published.lock);
    plain_store(&published.loop, loop);
    is_stopped = plain_load(&published.is_stopped);
    weir_lock_release(&published.lock);
    return is_stopped;
}

static void run_until_stopped(void)
{
    if (!publish(own)) {
        weir_loop_ref(own);
        model_assert(weir_loop_run(own, WEIR_RUN_UNTIL_IDLE) == 0);
    }
    publish(NULL);
    weir_loop_free(own);
}

static void run_and_end(void)
{
    if (!publish(own))
        model_assert(weir_loop_run(own, WEIR_RUN_UNTIL_IDLE) == 0);
    publish(NULL);
    weir_loop_free(own);
}

static void on_stop(weir_task *task, int status)
{
    if (status == 0)
        weir_loop_unref(own);
}

static void on_late_stop(weir_task *task, int status)
{
}

static void stop_with(void (*run)(weir_task *, int))
{
    weir_loop *loop;

    weir_lock_acquire(&published.lock);
    loop = plain_load(&published.loop);
    published.stop.run = run;
    if (loop != NULL) /* refused by a loop that has ended */
        (void)!weir_loop_post(loop, &published.stop);
    plain_store(&published.is_stopped, true);
    weir_lock_release(&published.lock);
}

static void stop(void)
{
    stop_with(on_stop);
}

static void stop_late(void)
{
    stop_with(on_late_stop);
}

/* Wrong: without the lock, the loop may be gone. */
static void stop_after_release(void)
{
    weir_loop *loop;

    weir_lock_acquire(&published.lock);
    loop = plain_load(&published.loop);
    weir_lock_release(&published.lock);
    published.stop.run = on_late_stop;
    if (loop != NULL)
        (void)!weir_loop_post(loop, &published.stop);
}

/* --- channels in a list, to all of which a message goes ---------------------
 *
 * As js/messages/broadcast.c does: all members get the messages in the same
 * order, and one that has left the list gets none.
 */

enum { MEMBERS = 2, POSTERS = 2 };

static weir_lock list_lock;
static weir_channel *members[MEMBERS]; /* under list_lock; NULL: has left */
static weir_message copies[POSTERS][MEMBERS];
static weir_channel *kept; /* the last member, which does not leave */

static void make_members(void)
{
    for (int i = 0; i < MEMBERS; i++)
        model_assert(weir_channel_new(&members[i]) == 0);
    kept = members[MEMBERS - 1];
}

static void send_copies(int poster)
{
    for (int i = 0; i < MEMBERS; i++) {
        weir_channel *member = plain_load(&members[i]);

        if (member != NULL)
            model_assert(weir_channel_send(member, &copies[poster][i]) == 0);
    }
}

static void post_first(void)
{
    weir_lock_acquire(&list_lock);
    send_copies(0);
    weir_lock_release(&list_lock);
}

static void post_second(void)
{
    weir_lock_acquire(&list_lock);
    send_copies(1);
    weir_lock_release(&list_lock);
}

/* Wrong: the other poster may come in between. */
static void post_second_without_lock(void)
{
    send_copies(1);
}

static void leave_list(void)
{
    weir_channel *own_channel = members[0]; /* const until now */
    weir_message *rest;

    weir_lock_acquire(&list_lock);
    plain_store(&members[0], NULL);
    weir_lock_release(&list_lock);
    weir_channel_close(own_channel, &rest);
}

/* Wrong: a poster may still find it. */
static void close_in_list(void)
{
    weir_message *rest;

    weir_channel_close(members[0], &rest);
}

/* Returns the poster whose message is the oldest, and closes the channel. */
static int first_of(weir_channel *channel, int member)
{
    weir_message *oldest = weir_channel_receive(channel), *rest;

    weir_channel_close(channel, &rest);
    return oldest == &copies[0][member] ? 0 : 1;
}

static void same_order(void)
{
    int first = first_of(members[0], 0);

    model_assert(first_of(members[1], 1) == first);
}

static void kept_has_one(void)
{
    model_assert(weir_channel_receive(kept) == &copies[0][MEMBERS - 1]);
    first_of(kept, MEMBERS - 1);
}

static const struct model_case cases[] = {
    {"three_threads_add_one_at_a_time", .setup = init, .spurious = 1,
     .finish = three_were_added,
     .threads = {T(add_one), T(add_one), T(add_one)}},
    {"lock_again_after_unlock_lets_others_in", .setup = init,
     .finish = three_were_added, .threads = {T(add_one), T(add_two)}},
    {"lock_is_freed_by_the_last_one_that_needs_it", .setup = make_block,
     .threads = {T(drop_block), T(drop_block), T(drop_block)}},
    {"lock_does_not_protect_a_look_after_its_release", .setup = make_block,
     .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(drop_block_and_look), T(drop_block_and_look),
                 T(drop_block)}},
    {"lock_hands_a_stop_to_a_loop_or_to_the_thread_that_publishes_it",
     .setup = make_loop, .preemption_bound = 3,
     .threads = {T(run_until_stopped), T(stop)}},
    {"lock_keeps_a_published_loop_while_another_thread_stops_it",
     .setup = make_loop, .preemption_bound = 3,
     .threads = {T(run_and_end), T(stop_late)}},
    {"lock_does_not_keep_a_loop_that_is_stopped_after_its_release",
     .setup = make_loop, .preemption_bound = 3, .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(run_and_end), T(stop_after_release)}},
    {"lock_gives_all_members_of_a_list_the_same_order", .setup = make_members,
     .finish = same_order, .threads = {T(post_first), T(post_second)}},
    {"lock_that_one_poster_does_without_gives_no_order", .setup = make_members,
     .finish = same_order, .expect = MODEL_ASSERTION,
     .threads = {T(post_first), T(post_second_without_lock)}},
    {"lock_keeps_a_member_that_leaves_from_posters", .setup = make_members,
     .finish = kept_has_one, .threads = {T(post_first), T(leave_list)}},
    {"lock_does_not_keep_a_member_that_is_closed_in_the_list",
     .setup = make_members, .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(post_first), T(close_in_list)}},
};

MODEL_CASES(cases)

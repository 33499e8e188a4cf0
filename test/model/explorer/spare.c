/* SPDX-License-Identifier: MIT */
/*
 * spare -- threads that wait for a body, in place of pthread_create.
 */
#include "spare.h"

#include <errno.h>

#include "futex.h"
#include "model.h"
#include "thread.h"

enum { WAITING, GIVEN, OVER, DISMISSED };

static struct spare {
    atomic(uint32_t) word;
    void (*body)(void *arg);
    void *arg;
} spares[MODEL_THREADS];

static unsigned first_thread, count;
static atomic(uint32_t) used;

void model_spares(unsigned first, unsigned number)
{
    first_thread = first;
    count = number;
}

static void say(struct spare *spare, uint32_t what)
{
    store_release(&spare->word, what);
    weir__futex_wake_all(&spare->word, WEIR__FUTEX_PRIVATE);
}

/* Until the word is something else.  Returns that. */
static uint32_t await(struct spare *spare, uint32_t what)
{
    uint32_t word;

    while ((word = load_acquire(&spare->word)) == what)
        weir__futex_wait(&spare->word, what, -1, WEIR__FUTEX_PRIVATE);
    return word;
}

void model_spare(void)
{
    struct spare *spare = &spares[model_self() - first_thread];

    if (await(spare, WAITING) == DISMISSED)
        return;
    spare->body(spare->arg);
    say(spare, OVER);
}

void model_spares_end(void)
{
    uint32_t from = ATOMIC_ADD(&used, count, __ATOMIC_RELAXED);

    for (unsigned i = from; i < count; i++)
        say(&spares[i], DISMISSED);
}

int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg)
{
    unsigned i = count == 0 ? 0 : ATOMIC_ADD(&used, 1, __ATOMIC_RELAXED);

    if (i >= count)
        return -EAGAIN;
    spares[i].body = body;
    spares[i].arg = arg;
    thread->handle = i + 1;
    say(&spares[i], GIVEN);
    return 0;
}

void weir__thread_join(struct weir__thread *thread)
{
    if (thread->handle != 0)
        (void)await(&spares[thread->handle - 1], GIVEN);
}

/* SPDX-License-Identifier: MIT */
/*
 * spare -- threads that wait for a body, instead of pthread_create.
 */
#include "spare.h"

#include <errno.h>

#include "base/futex.h"
#include "base/thread.h"
#include "model.h"
#include "weir/host/thread.h"

enum { WAITING, GIVEN, OVER, DISMISSED };

static struct spare {
    atomic(uint32_t) word;
    void (*body)(void *arg);
    void *arg;
    bool is_given,
        is_joined; /* plain: for a thread that has seen all of them end */
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

bool model_spares_are_joined(void)
{
    for (unsigned i = 0; i < count; i++)
        if (spares[i].is_given && !spares[i].is_joined)
            return false;
    return true;
}

int weir__thread_start(struct weir__thread *thread, void (*body)(void *arg),
                       void *arg)
{
    unsigned i = count == 0 ? 0 : ATOMIC_ADD(&used, 1, __ATOMIC_RELAXED);

    if (i >= count)
        return -EAGAIN;
    spares[i].body = body;
    spares[i].arg = arg;
    spares[i].is_given = true;
    say(&spares[i], GIVEN);
    plain_store(&thread->handle, i + 1); /* it may be over by now */
    return 0;
}

struct weir__thread weir__thread_current(void)
{
    unsigned i = model_self() - first_thread; /* or less than 0, and so huge */

    return (struct weir__thread){.handle = i < count ? i + 1 : 0};
}

void weir__thread_join(struct weir__thread *thread)
{
    uint64_t handle = plain_load(&thread->handle);
    struct spare *spare;

    if (handle == 0)
        return; /* a thread of the case, which nobody has started */
    spare = &spares[handle - 1];
    (void)await(spare, GIVEN);
    model_assert(!spare->is_joined);
    spare->is_joined = true;
}

int weir_thread_start(weir_thread *thread, weir_call_fn *body, void *arg,
                      size_t stack_bytes)
{
    struct weir__thread started;
    int err = weir__thread_start(&started, body, arg);

    if (err == 0)
        plain_store(&thread->handle_, plain_load(&started.handle));
    return err;
}

void weir_thread_join(weir_thread *thread)
{
    weir__thread_join(
        &(struct weir__thread){.handle = plain_load(&thread->handle_)});
}

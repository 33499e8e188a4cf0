/* SPDX-License-Identifier: MIT */
/*
 * census -- all loops of the process, as any thread sees them.
 *
 * The watchdog's list has every loop from its creation to its end, under a lock
 * that running loops never take (watchdog/watched.c).  A loop leaves the list
 * before any of its memory is freed, so everything that a thread may read of a
 * loop at any time can be read while the lock is held.
 *
 * What a loop is doing comes from its pulse, which it writes without waiting and
 * whose readers discard what changed meanwhile.
 *
 * The metrics of all loops are written under the lock, too, since a text is about
 * all loops at once.
 *
 * Tested by  test/unit/observe/census.c
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "loop/loop.h"
#include "watchdog/watched.h"
#include "weir/live.h"
#include "weir/metrics.h"

enum { TRIES = 8 };

/* Between two callbacks of a busy loop there may be no moment at which nothing
 * changes; then the callback is unknown, and the loop is awake. */
static bool look(const struct weir__pulse *pulse, struct weir__sight *sight,
                 char subject[WEIR__SUBJECT_BYTES + 1])
{
    for (int tries = 0; tries < TRIES; tries++) {
        struct weir__sight again;

        if (weir__pulse_look(pulse, sight) &&
            weir__pulse_subject(pulse, subject) &&
            weir__pulse_look(pulse, &again) && again.beat == sight->beat)
            return true;
    }
    subject[0] = '\0';
    return false;
}

static const weir_loop *loop_of(const struct weir__watched *watched)
{
    return (const weir_loop *)((const char *)watched -
                               offsetof(weir_loop, watched));
}

static const char *name_of(const struct weir__watched *watched)
{
    return watched->name != NULL ? watched->name : "loop";
}

static void tell(const struct weir__watched *watched, weir_live_loop_fn *fn,
                 void *arg)
{
    const struct weir__pulse *pulse = watched->pulse;
    char subject[WEIR__SUBJECT_BYTES + 1];
    struct weir__sight sight;
    bool is_whole = look(pulse, &sight, subject);
    weir_live_loop shown = {
        .loop = loop_of(watched),
        .name = name_of(watched),
        /* relaxed: for display */
        .thread = load_relaxed(&pulse->thread),
        /* relaxed: for display */
        .is_asleep = load_relaxed(&pulse->rest) != WEIR__PULSE_AWAKE,
        .is_calling = is_whole && sight.is_running,
        .kind = is_whole ? sight.kind : WEIR_KIND_OTHER,
        .callback = is_whole && sight.is_running && sight.name != NULL
                        ? sight.name
                        : "",
        .subject = sight.is_running ? subject : "",
        .callbacks = sight.beat,
        .turns = sight.turn,
        /* relaxed: for display */
        .memory_bytes = load_relaxed(&pulse->memory),
    };

    fn(arg, &shown);
}

int weir_live_each(weir_live_loop_fn *fn, void *arg)
{
    struct weir__watched_list *all = weir__watched_all();

    if (fn == NULL)
        return -EINVAL;
    weir__lock_lock(&all->lock);
    for (const struct weir__watched *watched = all->first; watched != NULL;
         watched = watched->next)
        tell(watched, fn, arg);
    weir__lock_unlock(&all->lock);
    return 0;
}

/* ---- metrics ---- */

enum { LABEL = 64 };

struct labelled {
    weir_metrics_source *sources;
    char (*labels)[LABEL];
    size_t count;
};

/* Loops may have the same name, but no two labels may be equal. */
static void add_loop(struct labelled *all, const struct weir__watched *watched)
{
    char *label = all->labels[all->count];
    unsigned number = 1;

    snprintf(label, LABEL, "%s", name_of(watched));
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->sources[i].name, label) == 0) {
            snprintf(label, LABEL, "%.40s-%u", name_of(watched), ++number);
            i = (size_t)-1; /* begin again */
        }
    all->sources[all->count++] =
        (weir_metrics_source){.name = label, .loop = loop_of(watched)};
}

/* Under the lock. */
static int write_all(struct weir__watched *first, size_t loops,
                     const weir_metrics_source *more, size_t count,
                     weir_metrics_fn *write, void *arg)
{
    size_t most = loops + count + 1; /* an empty array is no array */
    struct labelled all = {
        .sources = weir__memory_alloc(most * sizeof(*all.sources),
                                      _Alignof(weir_metrics_source)),
        .labels = weir__memory_alloc(most * LABEL, 1),
    };
    int err = -ENOMEM;

    if (all.sources != NULL && all.labels != NULL) {
        for (; first != NULL; first = first->next)
            add_loop(&all, first);
        if (count > 0)
            memcpy(all.sources + all.count, more, count * sizeof(*more));
        err = weir_metrics_text(all.sources, all.count + count, write, arg);
    }
    weir__memory_free(all.sources, most * sizeof(*all.sources));
    weir__memory_free(all.labels, most * LABEL);
    return err;
}

int weir_metrics_text_all(const weir_metrics_source *more, size_t count,
                          weir_metrics_fn *write, void *arg)
{
    struct weir__watched_list *all = weir__watched_all();
    size_t loops = 0;
    int err;

    if (write == NULL || (more == NULL && count > 0))
        return -EINVAL;
    weir__lock_lock(&all->lock);
    for (const struct weir__watched *watched = all->first; watched != NULL;
         watched = watched->next)
        loops++;
    err = write_all(all->first, loops, more, count, write, arg);
    weir__lock_unlock(&all->lock);
    return err;
}

/* SPDX-License-Identifier: MIT */
/*
 * report -- what keeps a loop from its end, seen from any thread.
 *
 * Nothing is locked and nothing allocated: what is asked is a loop that may be
 * stuck.  Everything read here is atomic or never moves.  A slot is looked at
 * twice: if its word was the same before and after, what was read between
 * belongs to one registration.
 *
 * Not paired, on purpose: all loads are relaxed.  A report is a picture of
 * about now; no other memory is read through it but names, which outlive the
 * loop.
 *
 * Tested by  test/unit/report.c, test/stress/loop.c
 */
#include "report.h"

#include <inttypes.h>
#include <stdio.h>

#include "clock.h"
#include "loop.h"

enum { TRIES = 100 };

static void add_running(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__running *running = &loop->running;
    uint32_t kind = load_relaxed(&running->kind);        /* relaxed: picture */
    int64_t since_ns = load_relaxed(&running->since_ns); /* relaxed: picture */

    if (kind == 0)
        return;
    weir__page_add(
        page, (weir_holder){
                  .kind = (weir_kind)(kind - 1),
                  .is_running = true,
                  .name = load_relaxed(&running->name), /* relaxed: picture */
                  .count = 1,
                  .age_ns = since_ns == 0 ? -1 : weir__clock_real() - since_ns,
                  .thread = load_relaxed(&loop->thread), /* relaxed: picture */
                  .from = load_relaxed(&running->from),  /* relaxed: picture */
              });
}

static void add_count(struct weir__page *page, weir_kind kind, uint64_t count)
{
    if (count > 0)
        weir__page_add(
            page, (weir_holder){.kind = kind, .count = count, .age_ns = -1});
}

#if WEIR__PLACES
enum { PLACES = 64 };

/* What was found: so many things of each place and name. */
struct places {
    weir_holder holder[PLACES];
    size_t size;
};

static void add_place(void *arg, const void *from, const char *name)
{
    struct places *places = arg;
    weir_holder *holder = places->holder;
    size_t i = 0;

    while (i < places->size &&
           (holder[i].from != from || holder[i].name != name))
        i++;
    if (i == PLACES)
        return; /* one of many: it is counted with those of no place */
    if (i == places->size)
        places->holder[places->size++] =
            (weir_holder){.name = name, .age_ns = -1, .from = from};
    holder[i].count++;
}

uint64_t weir__page_add_places(struct weir__page *page, const void *owner,
                               weir_kind kind)
{
    struct places places = {.size = 0};
    uint64_t count = 0;

    weir__place_each(owner, add_place, &places);
    for (size_t i = 0; i < places.size; i++) {
        places.holder[i].kind = kind;
        weir__page_add(page, places.holder[i]);
        count += places.holder[i].count;
    }
    return count;
}
#endif

/* What waits: by place, and the others as a number. */
static void add_queued(struct weir__page *page, const weir_loop *loop)
{
    uint64_t placed = weir__page_add_places(page, loop, WEIR_KIND_TASK);
    uint64_t queued = weir__loop_queued(loop);

    if (queued > placed)
        add_count(page, WEIR_KIND_TASK, queued - placed);
}

static void add_timers(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__timer *timer;
    const char *name;

    for (uint32_t i = 0;
         (timer = weir__slab_at(&loop->timer_slots, i, sizeof(*timer))) != NULL;
         i++)
        if (weir__timer_is_holding(loop, i, &name))
            weir__page_add(page,
                           (weir_holder){.kind = WEIR_KIND_TIMER,
                                         .name = name,
                                         .count = 1,
                                         .age_ns = -1,
                                         .from = weir__place_look(timer)});
}

static void add_fds(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__fd *fd;
    const char *name;

    for (uint32_t i = 0;
         (fd = weir__slab_at(&loop->fds.slots, i, sizeof(*fd))) != NULL; i++)
        if (weir__fd_is_holding(fd, &name))
            weir__page_add(page, (weir_holder){.kind = WEIR_KIND_FD,
                                               .name = name,
                                               .count = 1,
                                               .age_ns = -1,
                                               .from = weir__place_look(fd)});
}

/* What a shutdown waits for: the loop's thread has written some of them down. */
static void add_jobs(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__promises *all = &loop->promises;
    uint64_t count = load_relaxed(&all->errands);     /* relaxed: picture */
    uint32_t shown = load_relaxed(&all->shown_count); /* relaxed: picture */

    for (uint32_t i = 0; i < shown && count > 0; i++, count--) {
        /* relaxed: picture */
        int64_t since_ns = load_relaxed(&all->shown[i].since_ns);
        /* relaxed: picture */
        const char *name = load_relaxed(&all->shown[i].name);

        weir__page_add(
            page, (weir_holder){.kind = WEIR_KIND_JOB,
                                .name = name,
                                .count = 1,
                                .age_ns = since_ns == 0
                                              ? -1
                                              : weir__clock_real() - since_ns});
    }
    add_count(page, WEIR_KIND_JOB, count);
}

const char *weir_kind_name(weir_kind kind)
{
    static const char *const names[] = {
        [WEIR_KIND_TASK] = "task",
        [WEIR_KIND_TICK] = "next-tick",
        [WEIR_KIND_MICROTASK] = "microtask",
        [WEIR_KIND_TIMER] = "timer",
        [WEIR_KIND_FD] = "descriptor",
        [WEIR_KIND_IMMEDIATE] = "immediate",
        [WEIR_KIND_CLOSE] = "close",
        [WEIR_KIND_REF] = "reference",
        [WEIR_KIND_JOB] = "job",
        [WEIR_KIND_REQUEST] = "request",
        [WEIR_KIND_HOOK] = "hook",
    };

    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind]
                                                           : "unknown";
}

static size_t look(const weir_loop *loop, weir_holder *holders, size_t capacity)
{
    struct weir__page page = weir__page_of(holders, capacity);

    add_running(&page, loop);
    add_queued(&page, loop);
    if (weir__ingress_look(&loop->in) & 1) {    /* it waits for nothing else */
        if (!load_relaxed(&loop->is_cancelled)) /* relaxed: picture */
            add_jobs(&page, loop);
        return page.count;
    }
    add_count(&page, WEIR_KIND_REF,
              load_relaxed(&loop->holds) +                /* relaxed: picture */
                  load_relaxed(&loop->promises.errands)); /* the same */
    add_timers(&page, loop);
    add_fds(&page, loop);
    return page.count;
}

/* A task that begins between two looks is in neither: not yet running, no
 * longer queued.  So a loop that seems to have nothing, but has begun a task
 * meanwhile, is looked at again; a few times, for it might do that for ever. */
size_t weir_loop_report(const weir_loop *loop, weir_holder *holders,
                        size_t capacity)
{
    size_t count = 0;

    if (loop == NULL)
        return 0;
    for (int tries = 0; tries < TRIES && count == 0; tries++) {
        uint64_t run = load_relaxed(&loop->run); /* relaxed: picture */

        count = look(loop, holders, capacity);
        if (load_relaxed(&loop->run) == run) /* relaxed: picture */
            break;
    }
    return count;
}

/* ---- for people ---- */

static void print_place(const void *from)
{
#if WEIR__PLACES
    char text[256];

    if (from == NULL)
        return;
    weir__place_name(from, text, sizeof(text));
    fprintf(stderr, ", submitted at %s", text);
#else
    (void)from;
#endif
}

static void print_holder(const weir_holder *holder)
{
    fprintf(stderr, "    %s", weir_kind_name(holder->kind));
    if (holder->name != NULL)
        fprintf(stderr, " %s", holder->name);
    if (holder->count != 1)
        fprintf(stderr, ", %" PRIu64 " of them", holder->count);
    if (holder->age_ns >= 0)
        fprintf(stderr, ", for %" PRId64 " ms", holder->age_ns / 1000000);
    if (holder->thread != 0)
        fprintf(stderr, ", on thread %" PRIu64, holder->thread);
    print_place(holder->from);
    fputc('\n', stderr);
}

void weir__report_print(const char *name, const weir_holder *holders,
                        size_t count)
{
    fprintf(stderr, "weir: %s is forced to end, with this unfinished:\n", name);
    for (size_t i = 0; i < count; i++)
        print_holder(&holders[i]);
    if (count == 0)
        fputs("    nothing\n", stderr);
}

/* SPDX-License-Identifier: MIT */
/*
 * report -- what keeps a loop from terminating, as seen from any thread.
 *
 * Nothing is locked or allocated, because the loop may be stuck.  Everything
 * read here is atomic or never moves.  A slot's word is read twice: if it was
 * the same before and after, what was read in between belongs to one
 * registration.
 *
 * Not paired, on purpose: all loads are relaxed.  A report is an approximate
 * snapshot.  No other memory is read through it, except names, which outlive
 * the loop.
 *
 * Tested by  test/unit/loop/report.c, test/unit/loop/report_page.c,
 *            test/stress/loop/loop.c
 */
#include "loop/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "loop/fd.h"
#include "loop/loop.h"
#include "loop/timer.h"

enum { TRIES = 100 };

/* ---- the page ---- */

struct weir__page weir__page_of(weir_holder *holders, size_t capacity,
                                size_t size)
{
    if (holders == NULL || size < offsetof(weir_holder, thread))
        capacity = 0;
    return (struct weir__page){.holders = (char *)holders,
                               .capacity = capacity,
                               .size = size,
                               .now = weir__tsc_sample_both()};
}

/* A row of the caller's, which may have only the members before `thread`. */
static weir_holder *row_at(const struct weir__page *page, size_t at)
{
    return (weir_holder *)(void *)(page->holders + at * page->size);
}

static void set_row(struct weir__page *page, size_t at,
                    const weir_holder *holder)
{
    size_t known = page->size < sizeof(*holder) ? page->size : sizeof(*holder);
    char *row = page->holders + at * page->size;

    memcpy(row, holder, known);
    memset(row + known, 0, page->size - known);
}

/* Insert a row by age.  The youngest is dropped if there is no room. */
static void add_row(struct weir__page *page, const weir_holder *holder)
{
    size_t at = page->running < page->capacity ? page->running : page->capacity;

    for (; at > 0 && row_at(page, at - 1)->age_ns < holder->age_ns; at--)
        if (at < page->capacity)
            memcpy(row_at(page, at), row_at(page, at - 1), page->size);
    if (at < page->capacity)
        set_row(page, at, holder);
    page->running++;
}

/* Items that a drain waits for come before those that it cancels. */
static unsigned rank_of(weir_kind kind)
{
    static const unsigned char ranks[WEIR__PAGE_KINDS] = {
        [WEIR_KIND_REQUEST] = 0, [WEIR_KIND_HOOK] = 1,
        [WEIR_KIND_JOB] = 2,     [WEIR_KIND_TASK] = 3,
        [WEIR_KIND_TICK] = 3,    [WEIR_KIND_MICROTASK] = 3,
        [WEIR_KIND_CLOSE] = 3,   [WEIR_KIND_IMMEDIATE] = 3,
        [WEIR_KIND_REF] = 4,     [WEIR_KIND_TIMER] = 5,
        [WEIR_KIND_MAIN] = 3,    [WEIR_KIND_FD] = 6,
        [WEIR_KIND_OTHER] = 7,
    };

    return ranks[kind];
}

static bool is_same_name(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static weir_holder *find_group(struct weir__page *page,
                               const weir_holder *holder)
{
    for (size_t i = 0; i < page->groups; i++) {
        weir_holder *group = &page->group[i];

        if (group->kind == holder->kind && group->from == holder->from &&
            is_same_name(group->name, holder->name))
            return group;
    }
    return NULL;
}

/* Insert a group behind those of its rank. */
static weir_holder *new_group(struct weir__page *page,
                              const weir_holder *holder)
{
    size_t at = page->groups++;

    for (; at > 0 && rank_of(page->group[at - 1].kind) > rank_of(holder->kind);
         at--)
        page->group[at] = page->group[at - 1];
    page->group[at] = *holder;
    page->group[at].count = 0;
    return &page->group[at];
}

static void add_to_group(struct weir__page *page, weir_holder *holder)
{
    weir_holder *group = find_group(page, holder);

    if (group == NULL && page->groups >= WEIR__PAGE_NAMES) {
        holder->name = NULL;
        holder->from = NULL;
        group = find_group(page, holder);
    }
    if (group == NULL)
        group = new_group(page, holder);
    group->count += holder->count;
    if (group->age_ns < holder->age_ns)
        group->age_ns = holder->age_ns;
}

void weir__page_add(struct weir__page *page, weir_holder holder)
{
    page->total += holder.count;
    if (holder.is_running)
        add_row(page, &holder);
    else
        add_to_group(page, &holder);
}

/* Replace the last row by the sum of all that do not fit. */
static void add_others(struct weir__page *page)
{
    weir_holder others = {
        .kind = WEIR_KIND_OTHER, .count = page->total, .age_ns = -1};

    for (size_t i = 0; i + 1 < page->capacity; i++)
        others.count -= row_at(page, i)->count;
    set_row(page, page->capacity - 1, &others);
}

size_t weir__page_end(struct weir__page *page)
{
    size_t rows = page->running + page->groups;

    for (size_t i = page->running; i < rows && i < page->capacity; i++)
        set_row(page, i, &page->group[i - page->running]);
    if (rows > page->capacity && page->capacity > 1)
        add_others(page);
    return rows;
}

/* ---- a loop ---- */

static void add_running(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__pulse *running = &loop->running;
    uint32_t kind = load_relaxed(&running->kind);        /* relaxed: snapshot */
    int64_t since_ns = load_relaxed(&running->since_ns); /* relaxed: snapshot */

    if (kind == 0)
        return;
    weir__page_add(
        page, (weir_holder){
                  .kind = (weir_kind)(kind - 1),
                  .is_running = true,
                  .name = load_relaxed(&running->name), /* relaxed: snapshot */
                  .count = 1,
                  .age_ns = since_ns == 0 ? -1 : weir__page_age(page, since_ns),
                  .thread = load_relaxed(&loop->thread), /* relaxed: snapshot */
                  .from = load_relaxed(&running->from),  /* relaxed: snapshot */
              });
}

static void add_count(struct weir__page *page, weir_kind kind, uint64_t count)
{
    if (count > 0)
        weir__page_add(
            page, (weir_holder){.kind = kind, .count = count, .age_ns = -1});
}

#if WEIR__ORIGINS
/* Items of one owner, all of one kind. */
struct origins {
    struct weir__page *page;
    weir_kind kind;
    uint64_t count;
};

static void add_origin(void *arg, const void *from, const char *name)
{
    struct origins *origins = arg;

    weir__page_add(origins->page, (weir_holder){.kind = origins->kind,
                                                .name = name,
                                                .count = 1,
                                                .age_ns = -1,
                                                .from = from});
    origins->count++;
}

uint64_t weir__page_add_origins(struct weir__page *page, const void *owner,
                                weir_kind kind)
{
    struct origins origins = {.page = page, .kind = kind};

    weir__origin_each(owner, add_origin, &origins);
    return origins.count;
}
#endif

/* Add queued tasks: those with an origin by origin, the others as a number. */
static void add_queued(struct weir__page *page, const weir_loop *loop)
{
    uint64_t counted = weir__page_add_origins(page, loop, WEIR_KIND_TASK);
    uint64_t queued = weir__loop_queued(loop);

    if (queued > counted)
        add_count(page, WEIR_KIND_TASK, queued - counted);
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
                                         .from = weir__origin_look(timer)});
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
                                               .from = weir__origin_look(fd)});
}

/* Add the jobs that a shutdown waits for.  The loop's thread has listed
 * some. */
static void add_jobs(struct weir__page *page, const weir_loop *loop)
{
    const struct weir__promises *all = &loop->promises;
    uint64_t count = load_relaxed(&all->outstanding); /* relaxed: snapshot */
    uint32_t shown = load_relaxed(&all->shown_count); /* relaxed: snapshot */

    for (uint32_t i = 0; i < shown && count > 0; i++, count--) {
        /* relaxed: snapshot */
        int64_t since_ns = load_relaxed(&all->shown[i].since_ns);
        /* relaxed: snapshot */
        const char *name = load_relaxed(&all->shown[i].name);

        weir__page_add(
            page,
            (weir_holder){
                .kind = WEIR_KIND_JOB,
                .name = name,
                .count = 1,
                .age_ns = since_ns == 0 ? -1 : weir__page_age(page, since_ns)});
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
        [WEIR_KIND_OTHER] = "other",
        [WEIR_KIND_MAIN] = "main",
    };

    return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind]
                                                           : "unknown";
}

static void look(struct weir__page *page, const weir_loop *loop)
{
    add_running(page, loop);
    add_queued(page, loop);
    if (weir__ingress_look(&loop->in) & 1) { /* it waits for nothing else */
        /* relaxed: snapshot */
        if (!(load_relaxed(&loop->hints) & WEIR__HINT_CANCELLED))
            add_jobs(page, loop);
        return;
    }
    add_count(page, WEIR_KIND_REF,
              load_relaxed(&loop->holds) + /* relaxed: count */
                  load_relaxed(&loop->promises.outstanding)); /* as above */
    add_timers(page, loop);
    add_fds(page, loop);
}

/* A task that starts between two reads is in neither result: not yet running,
 * no longer queued.  So a loop that seems to have nothing, but has started a
 * task meanwhile, is read again; only a limited number of times, because that
 * might never end. */
void weir__page_add_loop(struct weir__page *page, const weir_loop *loop)
{
    uint64_t total = page->total;

    for (int tries = 0; tries < TRIES && page->total == total; tries++) {
        uint64_t run = load_relaxed(&loop->run); /* relaxed: snapshot */

        look(page, loop);
        if (load_relaxed(&loop->run) == run) /* relaxed: snapshot */
            break;
    }
}

size_t weir_loop_report(const weir_loop *loop, weir_holder *holders,
                        size_t capacity, size_t size)
{
    struct weir__page page = weir__page_of(holders, capacity, size);

    if (loop != NULL)
        weir__page_add_loop(&page, loop);
    return weir__page_end(&page);
}

/* ---- printing ---- */

static void print_origin(const void *from)
{
#if WEIR__ORIGINS
    char text[256];

    if (from == NULL)
        return;
    weir__origin_name(from, text, sizeof(text));
    fprintf(stderr, ", submitted at %s", text);
#endif
}

static void print_holder(const weir_holder *holder)
{
    if (holder->kind == WEIR_KIND_OTHER) {
        fprintf(stderr, "    and %" PRIu64 " more\n", holder->count);
        return;
    }
    fprintf(stderr, "    %s", weir_kind_name(holder->kind));
    if (holder->name != NULL)
        fprintf(stderr, " %s", holder->name);
    if (holder->count != 1)
        fprintf(stderr, ", %" PRIu64 " of them", holder->count);
    if (holder->age_ns >= 0)
        fprintf(stderr, ", for %" PRId64 " ms", holder->age_ns / 1000000);
    if (holder->thread != 0)
        fprintf(stderr, ", on thread %" PRIu64, holder->thread);
    print_origin(holder->from);
    fputc('\n', stderr);
}

void weir__report_print(const char *name, const weir_holder *holders,
                        size_t count)
{
    uint64_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += holders[i].count;
    fprintf(stderr,
            "weir: %s is forced to end, with %" PRIu64 " unfinished%s\n", name,
            total, total > 0 ? ":" : "");
    for (size_t i = 0; i < count; i++)
        print_holder(&holders[i]);
}

/* SPDX-License-Identifier: MIT */
/*
 * report -- the page that a report is written on.
 *
 *     struct weir__page page = weir__page_of(holders, capacity, size);
 *     weir__page_add(&page, (weir_holder){...});     in any order
 *     return weir__page_end(&page);
 *
 * Running items go straight to the caller's rows, the longest first.  Waiting
 * items are counted in groups of the same kind, name and origin, which follow at
 * the end.  The groups are kept in the page itself, so their number is known
 * even if the caller has no room for them.
 */
#ifndef WEIR_SRC_REPORT_H
#define WEIR_SRC_REPORT_H

#include "base/origin.h"
#include "base/tsc.h"
#include "weir/loop.h"

/* Each kind has a row without a name.  When all rows with a name are taken,
 * items with other names are counted there. */
enum { WEIR__PAGE_KINDS = WEIR_KIND_MAIN + 1, WEIR__PAGE_NAMES = 48 };

struct weir__page {
    char *holders; /* the caller's rows, each of `size` bytes */
    size_t capacity, size;
    struct weir__tsc_sample
        now;        /* all ages refer to it, so they are comparable */
    size_t running; /* rows of running items, even beyond the capacity */
    size_t groups;
    uint64_t total; /* of all counts */
    weir_holder group[WEIR__PAGE_NAMES + WEIR__PAGE_KINDS];
};

struct weir__page weir__page_of(weir_holder *holders, size_t capacity,
                                size_t size);

/* The age of something that began at since_ns; 0 if that is after the page
 * began. */
static inline int64_t weir__page_age(const struct weir__page *page,
                                     int64_t since_ns)
{
    return since_ns < page->now.real_ns ? page->now.real_ns - since_ns : 0;
}

void weir__page_add(struct weir__page *page, weir_holder holder);

/* Complete the page and return the number of rows.  If that exceeds the
 * capacity, the last row that fits stands for all that do not, unless it is the
 * only one. */
size_t weir__page_end(struct weir__page *page);

#if WEIR__ORIGINS
/* Add what an owner has queued, by name and origin.  Returns the number of
 * items. */
uint64_t weir__page_add_origins(struct weir__page *page, const void *owner,
                                weir_kind kind);
#else
static inline uint64_t weir__page_add_origins(struct weir__page *page,
                                              const void *owner, weir_kind kind)
{
    return 0;
}
#endif

/* Add what holds a loop.  Thread: any. */
void weir__page_add_loop(struct weir__page *page, const weir_loop *loop);

/* Print to stderr what the end of `name` leaves unfinished. */
void weir__report_print(const char *name, const weir_holder *holders,
                        size_t count);

#endif /* WEIR_SRC_REPORT_H */

/* SPDX-License-Identifier: MIT */
/*
 * report -- the page that a report is written on.
 *
 * Whoever reports fills what the caller has room for, and counts the rest.
 */
#ifndef WEIR_SRC_REPORT_H
#define WEIR_SRC_REPORT_H

#include "place.h"
#include "weir/loop.h"

struct weir__page {
    weir_holder *holders;
    size_t capacity;
    size_t count;
};

static inline struct weir__page weir__page_of(weir_holder *holders,
                                              size_t capacity)
{
    return (struct weir__page){holders, holders == NULL ? 0 : capacity, 0};
}

#if WEIR__PLACES
/* Rows for what an owner has queued, one for each name and place.  Returns how
 * many things they stand for. */
uint64_t weir__page_add_places(struct weir__page *page, const void *owner,
                               weir_kind kind);
#else
static inline uint64_t weir__page_add_places(struct weir__page *page,
                                             const void *owner, weir_kind kind)
{
    (void)page, (void)owner, (void)kind;
    return 0;
}
#endif

static inline void weir__page_add(struct weir__page *page, weir_holder holder)
{
    if (page->count < page->capacity)
        page->holders[page->count] = holder;
    page->count++;
}

/* What is left of it, for somebody else's report, who returns its count. */
static inline size_t weir__page_room(const struct weir__page *page)
{
    return page->count < page->capacity ? page->capacity - page->count : 0;
}

static inline weir_holder *weir__page_rest(const struct weir__page *page)
{
    return weir__page_room(page) > 0 ? page->holders + page->count : NULL;
}

/* For people, to stderr: what the end of `name` leaves unfinished. */
void weir__report_print(const char *name, const weir_holder *holders,
                        size_t count);

#endif /* WEIR_SRC_REPORT_H */

/* SPDX-License-Identifier: MIT */
/*
 * page -- a failing schedule as one HTML file that needs no other.
 *
 *     page_begin(&page, out, "deadlock", "main sleeps, ...");
 *     page_lane(&page, "main");              each thread, in order
 *     page_step(&page, 0, "lock m", "a.c:4", 0, NULL, 0);      each step
 *     page_blocked(&page, "main is blocked: ...");
 *     page_end(&page, "3 executions, ...");
 *
 * The schedule is JSON inside page.html, whose script draws it.
 */
#ifndef WEIR_EXPLORE_PAGE_H
#define WEIR_EXPLORE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct page {
    FILE *out;
    const char *list; /* the one that is open */
    bool has_items;
};

void page_begin(struct page *page, FILE *out, const char *finding,
                const char *text);
void page_lane(struct page *page, const char *name);

/* Steps are counted from 1.  `from` wrote what the step reads (0: none), and
 * each of `after` happens before it, directly. */
void page_step(struct page *page, unsigned lane, const char *what,
               const char *where, unsigned from, const uint16_t *after,
               size_t count);
void page_blocked(struct page *page, const char *line);
void page_end(struct page *page, const char *report);

#endif /* WEIR_EXPLORE_PAGE_H */

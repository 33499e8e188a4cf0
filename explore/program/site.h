/* SPDX-License-Identifier: MIT */
/*
 * site -- the place of an operation in the source, and the name of an address.
 *
 * While the program runs, a site is its return address.  File and line are
 * looked up with addr2line(1) when a run is printed, names of variables in the
 * symbol table of the program.
 *
 * A line in a header of the system, such as that of std::mutex, says little.
 * The failing run is therefore made once more with the callers of each site,
 * and is printed with the first one that is in a file of the program.
 */
#ifndef WEIR_EXPLORE_SITE_H
#define WEIR_EXPLORE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam.h"

typedef uint32_t site_id; /* 0: unknown */

/* Of a return address; the same for the same one, if callers are not kept. */
site_id site_of(uintptr_t pc);
const struct model_site *site_get(site_id id);

/* From now on, callers are kept or not.  The running thread enters a function
 * that was called there; leaves it.  An execution begins. */
void site_keep_callers(bool keeps);
void site_enter(uintptr_t pc);
void site_leave(void);
void site_reset(void);

/* "app.c:12". */
void site_print(char *text, size_t size, const struct model_site *site);

/* "flag", "ring+16", "block of app.c:7+8". */
void site_name(char *text, size_t size, const void *address);

/* False: it has no name. */
typedef bool site_namer(char *text, size_t size, const void *address);
bool site_find_name(char *text, size_t size, const void *address);

/* Ask this first: it names addresses in the heap. */
void site_name_heap(site_namer *namer);

/* Whether the program itself, not the libraries, refers to this symbol. */
bool site_program_uses(const char *symbol);

#endif /* WEIR_EXPLORE_SITE_H */

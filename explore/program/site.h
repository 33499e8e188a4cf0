/* SPDX-License-Identifier: MIT */
/*
 * site -- the place of an operation in the source, and the name of an address.
 *
 * While the program runs, a site is its return address.  File and line are
 * looked up with addr2line(1) when a run is printed, names of variables in the
 * symbol table of the program.
 */
#ifndef WEIR_EXPLORE_SITE_H
#define WEIR_EXPLORE_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam.h"

typedef uint32_t site_id; /* 0: unknown */

/* Of a return address; the same for the same one. */
site_id site_of(uintptr_t pc);
const struct model_site *site_get(site_id id);

/* Once: looks up file and line of all sites so far. */
void site_resolve(void);

/* "app.c:12", after site_resolve(). */
void site_print(char *text, size_t size, const struct model_site *site);

/* "flag", "ring+16", "heap block of 24 bytes (app.c:7) + 8". */
void site_name(char *text, size_t size, const void *address);

/* False: it has no name. */
bool site_find_name(char *text, size_t size, const void *address);

/* Whether the program itself, not the libraries, refers to this symbol. */
bool site_program_uses(const char *symbol);

#endif /* WEIR_EXPLORE_SITE_H */

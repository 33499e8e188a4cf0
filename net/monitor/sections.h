/* SPDX-License-Identifier: MIT */
/*
 * sections -- what the program itself shows on the page, and the files that it
 * offers there, by name.
 */
#ifndef WEIR_NET_MONITOR_SECTIONS_H
#define WEIR_NET_MONITOR_SECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/text.h"

/* Write the member "sections": an object with the data of each name, and how long
 * ago it came. */
void weir__sections_write(struct weir__text *text, int64_t now_ns);

/* Add a file that the program offers.  Returns whether there is one. */
bool weir__sections_copy_file(struct weir__text *text, const char *name);

#endif /* WEIR_NET_MONITOR_SECTIONS_H */

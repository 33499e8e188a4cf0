/* SPDX-License-Identifier: MIT */
/*
 * sections -- what the program itself shows on the page, by name.
 */
#ifndef WEIR_NET_MONITOR_SECTIONS_H
#define WEIR_NET_MONITOR_SECTIONS_H

#include <stdint.h>

#include "monitor/text.h"

/* Write the member "sections": an object with the data of each name, and how long
 * ago it came. */
void weir__sections_write(struct weir__text *text, int64_t now_ns);

#endif /* WEIR_NET_MONITOR_SECTIONS_H */

/* SPDX-License-Identifier: MIT */
/*
 * hooks -- what the host tells the explorer (js/core/visible.h).
 */
#ifndef WEIR_EXPLORE_HOOKS_H
#define WEIR_EXPLORE_HOOKS_H

#include "exchange.h"

/* Before the first host is made. */
void hooks_install(void);

/* In the forked process. */
void hooks_begin(struct exchange *exchange);

#endif /* WEIR_EXPLORE_HOOKS_H */

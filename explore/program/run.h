/* SPDX-License-Identifier: MIT */
/*
 * run -- one exploration.
 */
#ifndef WEIR_EXPLORE_RUN_H
#define WEIR_EXPLORE_RUN_H

#include "weir/explore.h"

/* The exploration is to end soon, and report what it has. */
void run_stop(void);

#endif /* WEIR_EXPLORE_RUN_H */

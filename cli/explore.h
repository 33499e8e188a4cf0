/* SPDX-License-Identifier: MIT */
/*
 * explore -- `weir explore`, a separate program that is installed beside this one.
 */
#ifndef WEIR_CLI_EXPLORE_H
#define WEIR_CLI_EXPLORE_H

/* argv[1] is "explore".  Returns an exit status if the program cannot be
 * started. */
int explore_exec(char **argv);

#endif /* WEIR_CLI_EXPLORE_H */

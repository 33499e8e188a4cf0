/* SPDX-License-Identifier: MIT */
/*
 * types -- `weir types`: the declarations of weir's modules, for TypeScript.
 */
#ifndef WEIR_CLI_TYPES_H
#define WEIR_CLI_TYPES_H

#include <stdbool.h>

/* Print cli/types.d.ts.  Returns false after printing a message. */
bool types_print(int argc, char **argv);

#endif /* WEIR_CLI_TYPES_H */

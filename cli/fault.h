/* SPDX-License-Identifier: MIT */
/*
 * fault -- an error that ends the program, as Node shows it.
 */
#ifndef WEIR_CLI_FAULT_H
#define WEIR_CLI_FAULT_H

#include "weir/js.h"

/* On stderr: the place, its line with a caret, the error.  source is the text
 * that was evaluated, or NULL: the line is in the error's file. */
void fault_show(const weir_js_error *error, const char *source);

#endif /* WEIR_CLI_FAULT_H */

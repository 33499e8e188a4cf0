/* SPDX-License-Identifier: MIT */
/*
 * fault -- show an error that ends the program, as Node does.
 */
#ifndef WEIR_CLI_FAULT_H
#define WEIR_CLI_FAULT_H

#include "weir/js.h"

/* Print to stderr: the position, its line with a caret, and the error.  source
 * is the text that was evaluated, or NULL if the line is in the error's file,
 * which is read if may_read: the program chooses its name. */
void fault_show(const weir_js_error *error, const char *source, bool may_read);

#endif /* WEIR_CLI_FAULT_H */

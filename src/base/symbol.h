/* SPDX-License-Identifier: MIT */
/*
 * symbol -- the function, file and line of a code address.
 *
 *     struct weir__symbols *symbols = weir__symbols_open();
 *     weir__symbols_print(symbols, address, line, sizeof(line));
 *     weir__symbols_close(symbols);
 *
 * This reads debugging information, which takes up to a second for a large
 * program: use it only on a thread that nothing waits for.  Implemented by
 * os/symbol.c.
 */
#ifndef WEIR_SRC_SYMBOL_H
#define WEIR_SRC_SYMBOL_H

#include <stddef.h>

struct weir__symbols;

/* Find out what is loaded now.  NULL: no names beyond those of dladdr(3). */
struct weir__symbols *weir__symbols_open(void);
void weir__symbols_close(struct weir__symbols *symbols);

/* Write "function (file.c:12)", as far as it is known, for a return address:
 * the line is that of the call.  symbols may be NULL.  Thread: one at a time. */
void weir__symbols_print(struct weir__symbols *symbols, const void *address,
                         char *text, size_t size);

#endif /* WEIR_SRC_SYMBOL_H */

/* SPDX-License-Identifier: MIT */
/*
 * types -- see types.h.
 */
#include "types.h"

#include <stdio.h>
#include <string.h>

/* CMake writes it: a char for each byte of types.d.ts. */
static const char types_text[] = {
#include TYPES_TEXT
};

bool types_print(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[2], "--help") == 0) {
        printf("usage: weir types > weir.d.ts\n\n"
               "Print the types of weir's modules, for TypeScript.\n");
        return true;
    }
    if (argc > 2) {
        fprintf(stderr, "weir: weir types takes no arguments: %s\n", argv[2]);
        return false;
    }
    fwrite(types_text, 1, sizeof(types_text), stdout);
    return true;
}

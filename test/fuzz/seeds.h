/* SPDX-License-Identifier: MIT */
/*
 * seeds -- inputs to begin with.  WEIR_FUZZ_SEEDS=FOLDER writes them to files
 * there, instead of running (test/fuzz/run).
 *
 *     const char *folder = seeds_folder();
 *
 *     if (folder == NULL)
 *         return 0;
 *     seeds_write(folder, 'a', 0, (weir_bytes){settings, 2}, text);
 *     exit(0);
 */
#ifndef WEIR_TEST_FUZZ_SEEDS_H
#define WEIR_TEST_FUZZ_SEEDS_H

#include <stdio.h>
#include <stdlib.h>

#include "weir/net/bytes.h"

/* NULL: run. */
static inline const char *seeds_folder(void)
{
    return getenv("WEIR_FUZZ_SEEDS");
}

/* Write an input: the bytes that choose what is tested, and then the rest.  The
 * kind and the number make its name. */
static inline void seeds_write(const char *folder, char kind, size_t number,
                               weir_bytes settings, weir_bytes rest)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%c%zu", folder, kind, number);
    file = fopen(path, "wb");
    if (file == NULL)
        abort();
    fwrite(settings.data, 1, settings.size, file);
    fwrite(rest.data, 1, rest.size, file);
    if (fclose(file) != 0)
        abort();
}

#endif /* WEIR_TEST_FUZZ_SEEDS_H */

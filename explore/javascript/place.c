/* SPDX-License-Identifier: MIT */
/*
 * place -- see place.h.
 */
#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "exchange.h"

enum { PLACES = 4096 };

/* Of the engine (js/engine/explore). */
int js_get_place(JSContext *context, int depth, char *file, size_t size);

/* "app.js:12" of "/path/app.js"; false: the file is one of the host. */
static bool write_place(char *to, const char *file, int line)
{
    const char *name = strrchr(file, '/');

    name = name != NULL ? name + 1 : file;
    if (line <= 0 || strchr(name, '.') == NULL || strchr(name, ')') != NULL)
        return false;
    snprintf(to, CELL, "%.*s:%d", CELL - 16, name, line);
    return true;
}

void place_find(JSContext *context, char *to)
{
    char file[PATH_MAX];
    int line;

    to[0] = '\0';
    for (int depth = 0;
         (line = js_get_place(context, depth, file, sizeof(file))) != 0;
         depth++)
        if (write_place(to, file, line))
            return;
}

const char *place_keep(JSContext *context)
{
    static char *places[PLACES];
    char place[CELL];

    place_find(context, place);
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i] == NULL)
            places[i] = strdup(place);
        if (places[i] == NULL || strcmp(places[i], place) == 0)
            return places[i];
    }
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * path -- the path state of the URL Standard's parser, and what belongs to it.
 *
 * A path that is a list of segments is a text: "/" and the segment, for each of
 * them.  The empty list is the empty text.
 */
#ifndef WEIR_JS_URL_PATH_H
#define WEIR_JS_URL_PATH_H

#include "url/piece.h"
#include "url/scheme.h"

/* A path that is being written. */
struct weir__js_path {
    char *start, *end;
    enum weir__js_scheme scheme;
    bool is_whole; /* "?" and "#" belong to it, as in the setter */
};

/* Whether a text is a letter and ":" or "|". */
bool weir__js_path_is_drive(struct weir__js_piece text);

/* Whether a text begins with a drive letter and the end of a segment. */
bool weir__js_path_begins_with_drive(struct weir__js_piece text);

/* Whether a path begins with a drive letter and ":". */
bool weir__js_path_has_drive(struct weir__js_piece path);

/* Remove the last segment, unless it is the drive letter of a file. */
void weir__js_path_shorten(struct weir__js_path *path);

/* Append segments, the first of which begins at the text, without a slash.
 * Returns where they end. */
const char *weir__js_path_append(struct weir__js_path *path,
                                 struct weir__js_piece text);

#endif /* WEIR_JS_URL_PATH_H */

/* SPDX-License-Identifier: MIT */
/*
 * path -- see path.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/path.h"

#include "url/percent.h"

enum { DRIVE = 2 }; /* the length of "C:" */

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

bool weir__js_path_is_drive(struct weir__js_piece text)
{
    return text.length == DRIVE && is_letter(text.start[0]) &&
           (text.start[1] == ':' || text.start[1] == '|');
}

bool weir__js_path_begins_with_drive(struct weir__js_piece text)
{
    return text.length >= DRIVE &&
           weir__js_path_is_drive((struct weir__js_piece){text.start, DRIVE}) &&
           (text.length == DRIVE ||
            memchr("/\\?#", text.start[DRIVE], 4) != NULL);
}

bool weir__js_path_has_drive(struct weir__js_piece path)
{
    return path.length >= DRIVE + 1 && is_letter(path.start[1]) &&
           path.start[2] == ':' &&
           (path.length == DRIVE + 1 || path.start[DRIVE + 1] == '/');
}

void weir__js_path_shorten(struct weir__js_path *path)
{
    if (path->scheme == WEIR__JS_SCHEME_FILE &&
        path->end - path->start == DRIVE + 1 &&
        weir__js_path_has_drive(weir__js_piece_between(path->start, path->end)))
        return;
    while (path->end > path->start && *--path->end != '/')
        continue;
}

/* The number of dots, each of them "." or "%2e", that a segment consists of; 0
 * if there is anything else, or more than two. */
static int count_dots(struct weir__js_piece segment)
{
    const char *at = segment.start, *end = at + segment.length;
    int dots = 0;

    for (; at < end && dots < 3; dots++) {
        if (*at == '.')
            at++;
        else if (end - at >= 3 && at[0] == '%' && at[1] == '2' &&
                 (at[2] | 0x20) == 'e')
            at += 3;
        else
            return 0;
    }
    return dots < 3 ? dots : 0;
}

/* Write a segment; returns where it ends. */
static const char *write_segment(struct weir__js_path *path, const char *at,
                                 const char *end)
{
    bool has_backslash = weir__js_scheme_is_special(path->scheme);
    char *to = path->end;

    *to++ = '/';
    for (; at < end; at++) {
        char c = *at;

        if (c == '/' || (c == '\\' && has_backslash) ||
            ((c == '?' || c == '#') && !path->is_whole))
            break;
        if ((weir__js_percent_sets[(unsigned char)c] & WEIR__JS_PERCENT_PATH) !=
            0)
            to = weir__js_percent_write(to, c);
        else
            *to++ = c;
    }
    path->end = to;
    return at;
}

/* Treat the segment that begins at `slash`, if it means something else than its
 * text. */
static void finish_segment(struct weir__js_path *path, char *slash,
                           bool is_last)
{
    struct weir__js_piece segment =
        weir__js_piece_between(slash + 1, path->end);
    int dots = count_dots(segment);

    if (dots > 0) {
        path->end = slash;
        if (dots == 2)
            weir__js_path_shorten(path);
        if (is_last)
            *path->end++ = '/';
    } else if (path->scheme == WEIR__JS_SCHEME_FILE && slash == path->start &&
               weir__js_path_is_drive(segment)) {
        slash[DRIVE] = ':';
    }
}

const char *weir__js_path_append(struct weir__js_path *path,
                                 struct weir__js_piece text)
{
    const char *at = text.start, *end = at + text.length;
    bool is_special = weir__js_scheme_is_special(path->scheme), is_last;

    do {
        char *slash = path->end;

        at = write_segment(path, at, end);
        is_last = at == end || !(*at == '/' || (*at == '\\' && is_special));
        finish_segment(path, slash, is_last);
        at += !is_last;
    } while (!is_last);
    return at;
}

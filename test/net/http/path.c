/* SPDX-License-Identifier: MIT */
/*
 * path -- no target leaves the root.
 */
#include "http/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"

/* Normalize into memory of exactly the size that is promised to suffice. */
static ssize_t normalize(const char *path, char *text)
{
    size_t size = strlen(path);
    char *to = malloc(size + 1);
    ssize_t length = weir__http_path_normalize(to, (weir_bytes){path, size});

    if (length >= 0)
        memcpy(text, to, (size_t)length + 1);
    free(to);
    return length;
}

static void expect_path(const char *path, const char *expected)
{
    char text[256];

    expect_int(normalize(path, text), strlen(expected));
    expect_string(text, expected);
}

static void expect_refused(const char *path, int err)
{
    char text[256];

    expect_status((int)normalize(path, text), err);
}

CASE(paths_become_relative)
{
    expect_path("/", ".");
    expect_path("/a", "a");
    expect_path("/a/", "a/");
    expect_path("/a/b.html", "a/b.html");
    expect_path("//a///b//", "a/b/");
    expect_path("/./a/./b/.", "a/b/");
    expect_path("/a/../b", "b");
    expect_path("/a/..", ".");
    expect_path("/a/b/..", "a/");
    expect_path("/a/b/../../c", "c");
    expect_path("/...", "...");
    expect_path("/..a", "..a");
    expect_path("/.a", ".a");
    expect_path("/a%20b", "a b");
}

CASE(escapes_are_decoded_once)
{
    expect_path("/%41", "A");
    expect_path("/%c3%A9", "\303\251");
    expect_path("/%2541", "%41");
    expect_path("/a%3Fb", "a?b");
    expect_path("/%2e", ".");
    expect_path("/a/%2E%2e/b", "b");
}

CASE(paths_that_leave_the_root_are_refused)
{
    expect_refused("/..", -EACCES);
    expect_refused("/../", -EACCES);
    expect_refused("/../a", -EACCES);
    expect_refused("/a/../../b", -EACCES);
    expect_refused("/a/../..", -EACCES);
    expect_refused("/%2e%2e/etc/passwd", -EACCES);
    expect_refused("/.%2e/a", -EACCES);
    expect_refused("/./../a", -EACCES);
    expect_refused("//../a", -EACCES);
}

CASE(malformed_paths_are_refused)
{
    expect_refused("", -EINVAL);
    expect_refused("a", -EINVAL);
    expect_refused("*", -EINVAL);
    expect_refused("/a%", -EINVAL);
    expect_refused("/a%4", -EINVAL);
    expect_refused("/a%zz", -EINVAL);
    expect_refused("/a%00b", -EINVAL);
    expect_refused("/a%2fb", -EINVAL);
    expect_refused("/..%2f..%2fetc", -EINVAL);
    expect_refused("/a%0d%0ab", -EINVAL);
    expect_refused("/a%7f", -EINVAL);
}

/* Whether following a path ever goes above where it began. */
static bool stays_inside(char *path)
{
    int depth = 0;

    if (path[0] == '/')
        return false;
    for (char *part = strtok(path, "/"); part; part = strtok(NULL, "/")) {
        if (strcmp(part, "..") == 0)
            depth--;
        else if (strcmp(part, ".") != 0)
            depth++;
        if (depth < 0)
            return false;
    }
    return true;
}

CASE(no_random_path_leaves_the_root)
{
    static const char *const pieces[] = {"/",   ".",   "..",  "a",   "%2e",
                                         "%2f", "%5c", "\\",  "%25", "//",
                                         "%c0", "%ae", "/..", "./"};
    struct random random = {random_seed()};
    int accepted = 0;

    for (int n = 0; n < 100000; n++) {
        char path[64] = "/";
        char text[256];

        for (unsigned count = random_next(&random) % 10; count > 0; count--)
            strcat(path, pieces[random_next(&random) % 14]);
        if (normalize(path, text) < 0)
            continue;
        accepted++;
        expect(stays_inside(text));
    }
    expect(accepted > 1000);
}

CASE(percent_is_decoded_in_place)
{
    char text[] = "a%20b%2Fc";

    expect_int(weir__http_percent_decode(text, (weir_bytes){text, 9}), 5);
    expect(memcmp(text, "a b/c", 5) == 0);
    expect_status((int)weir__http_percent_decode(text, (weir_bytes){"%", 1}),
                  -EINVAL);
    expect_status((int)weir__http_percent_decode(text, (weir_bytes){"%g0", 3}),
                  -EINVAL);
    expect_int(weir__http_percent_decode(text, (weir_bytes){"", 0}), 0);
}

CASE(target_is_split_at_the_first_question_mark)
{
    weir_bytes path, query;

    weir__http_target_split((weir_bytes){"/a?b?c", 6}, &path, &query);
    expect_int(path.size, 2);
    expect_int(query.size, 3);
    expect(memcmp(query.data, "b?c", 3) == 0);
    weir__http_target_split((weir_bytes){"/a?", 3}, &path, &query);
    expect_int(path.size, 2);
    expect(query.data != NULL && query.size == 0);
    weir__http_target_split((weir_bytes){"/a", 2}, &path, &query);
    expect(query.data == NULL);
}

/* SPDX-License-Identifier: MIT */
/*
 * pairs -- lists of the environment, which anyone may have written.
 */
#include "otlp/pairs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static char seen[256];

static int note(void *arg, const char *name, const char *value)
{
    size_t size = strlen(seen);

    snprintf(seen + size, sizeof(seen) - size, "<%s|%s>", name, value);
    return strcmp(name, "stop") == 0 ? -ECANCELED : 0;
}

static int read_pairs(const char *text)
{
    seen[0] = '\0';
    return weir__pairs_each(text, note, NULL);
}

CASE(pairs_are_trimmed_and_decoded)
{
    expect_status(read_pairs(" a = b c ,d=%2Ce%3d, ,f="), 0);
    expect_string(seen, "<a|b c><d|,e=><f|>");
    expect_status(read_pairs("a=b=c"), 0);
    expect_string(seen, "<a|b=c>");
    expect_status(read_pairs(""), 0);
    expect_status(read_pairs(NULL), 0);
    expect_string(seen, "");
}

CASE(pairs_that_are_malformed_are_refused)
{
    static const char *const texts[] = {"a",     "a=b,c", "=b",    " =b",
                                        "a=%",   "a=%2",  "a=%g0", "a=%0g",
                                        "a=%00", "a=b%2"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        expect_status(read_pairs(texts[i]), -EINVAL);
}

CASE(pairs_end_with_an_error_of_the_function)
{
    expect_status(read_pairs("a=1,stop=2,b=3"), -ECANCELED);
    expect_string(seen, "<a|1><stop|2>");
}

CASE(pairs_without_memory_are_refused)
{
    static struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(read_pairs("a=b"), -ENOMEM);
    expect_int(memory.live, 0);
}

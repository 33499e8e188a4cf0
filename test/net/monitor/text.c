/* SPDX-License-Identifier: MIT */
/*
 * text -- JSON that a parser accepts, whatever is in its strings.
 */
#include "monitor/text.h"

#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static struct weir__text text;

static const char *quoted(const char *string)
{
    weir__text_clear(&text);
    weir__text_quote(&text, string);
    weir__text_put(&text, "", 1);
    return text.bytes;
}

CASE(text_quotes_what_json_does_not_allow)
{
    expect_string(quoted(""), "\"\"");
    expect_string(quoted("a \"b\" \\ c\n"), "\"a \\\"b\\\" \\\\ c\\n\"");
    expect_string(quoted("\x1b[2J\x7f"), "\"\\u001b[2J\\u007f\"");
    weir__text_free(&text);
}

/* Whoever splits the events into lines would cut the object. */
CASE(text_quotes_what_ends_a_line_in_javascript)
{
    expect_string(quoted("a\xe2\x80\xa8"
                         "b\xe2\x80\xa9"),
                  "\"a\\u2028b\\u2029\"");
    expect_string(quoted("\xe2\x80\xa7"), "\"\xe2\x80\xa7\"");
    weir__text_free(&text);
}

CASE(text_keeps_utf8_and_replaces_the_rest)
{
    expect_string(quoted("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
                  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
    expect_string(quoted("a\xff"
                         "b"),
                  "\"a\\ufffdb\"");
    expect_string(quoted("\xc3"), "\"\\ufffd\"");            /* cut off */
    expect_string(quoted("\xc0\xaf"), "\"\\ufffd\\ufffd\""); /* overlong */
    expect_string(quoted("\xed\xa0\x80"),
                  "\"\\ufffd\\ufffd\\ufffd\""); /* a surrogate */
    weir__text_free(&text);
}

CASE(text_separates_the_items_of_a_list)
{
    weir__text_add(&text, "[");
    for (int i = 0; i < 3; i++) {
        weir__text_comma(&text);
        weir__text_add(&text, "%d", i);
    }
    weir__text_add(&text, "]");
    expect(text.size == 7 && memcmp(text.bytes, "[0,1,2]", 7) == 0);
    weir__text_free(&text);
}

CASE(text_without_memory_is_short_and_does_not_crash)
{
    static struct failing_allocator memory;
    char long_text[10000];

    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    failing_allocator_init(&memory, 2);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    weir__text_add(&text, "[");
    expect(!text.is_short);
    weir__text_quote(&text, long_text);
    expect(text.is_short);
    weir__text_add(&text, "]");
    weir__text_free(&text);
    expect_int(memory.live, 0);
}

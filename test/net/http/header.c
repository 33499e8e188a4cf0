/* SPDX-License-Identifier: MIT */
/*
 * header -- names, lists, qualities, hosts, entity tags and media types.
 */
#include "http/header.h"

#include <string.h>

#include "http/class.h"
#include "http/media.h"
#include "support/suite.h"

#define TEXT(literal) ((weir_bytes){literal, sizeof(literal) - 1})

static weir_bytes text_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static bool is(weir_bytes actual, const char *expected)
{
    return actual.size == strlen(expected) &&
           memcmp(actual.data, expected, actual.size) == 0;
}

/* ---- classes ---- */

#define ALNUM "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static void expect_class(unsigned class, const char *members)
{
    for (int byte = 1; byte < 256; byte++)
        expect_int(weir__http_is((char)byte, class),
                   strchr(members, byte) != NULL);
    expect(!weir__http_is(0, class));
}

CASE(classes_are_those_of_the_grammars)
{
    expect_class(WEIR__HTTP_IN_TOKEN, ALNUM "!#$%&'*+-.^_`|~");
    expect_class(WEIR__HTTP_IN_HOST, ALNUM "-._~!$&'()*+,;=");
    expect_class(WEIR__HTTP_IN_HEX, "0123456789abcdefABCDEF");
    expect_class(WEIR__HTTP_IN_PATH, ALNUM "-._~!$&'()*+,;=:@/%[]^|");
    expect_class(WEIR__HTTP_IN_QUERY, ALNUM "!$%&'()*+,-./:;=?@[\\]^_`{|}~");
    for (int byte = 0; byte < 256; byte++)
        expect_int(weir__http_is((char)byte, WEIR__HTTP_IN_VALUE),
                   byte == '\t' || (byte >= ' ' && byte != 127));
}

/* ---- names ---- */

CASE(names_are_known_in_any_case)
{
#define X(id, text)                                                            \
    expect_int(weir__http_name_id(text, sizeof(text) - 1),                     \
               WEIR__HTTP_NAME_##id);
    WEIR__HTTP_NAMES(X)
#undef X
    expect_int(weir__http_name_id("HOST", 4), WEIR__HTTP_NAME_HOST);
    expect_int(weir__http_name_id("cONTENT-lENGTH", 14),
               WEIR__HTTP_NAME_CONTENT_LENGTH);
    expect_int(weir__http_name_id("hosts", 5), WEIR__HTTP_NAME_OTHER);
    expect_int(weir__http_name_id("hose", 4), WEIR__HTTP_NAME_OTHER);
    expect_int(weir__http_name_id("content_length", 14), WEIR__HTTP_NAME_OTHER);
    expect_int(weir__http_name_id("", 0), WEIR__HTTP_NAME_OTHER);
}

CASE(texts_are_compared_without_regard_to_case)
{
    expect(weir__http_is_equal(TEXT("aBc-1"), TEXT("AbC-1")));
    expect(!weir__http_is_equal(TEXT("abc"), TEXT("abcd")));
    expect(!weir__http_is_equal(TEXT("abc"), TEXT("abd")));
    expect(!weir__http_is_equal(TEXT("@"), TEXT("`"))); /* 32 apart */
    expect(!weir__http_is_equal(TEXT("["), TEXT("{")));
    expect(weir__http_is_equal(TEXT(""), TEXT("")));
}

/* ---- lists ---- */

CASE(lists_are_taken_apart)
{
    weir_bytes list = TEXT(" a,, b\t,\"c,d\" , \"e\\\",f\" ,");
    weir_bytes element;

    expect(weir__http_list_next(&list, &element) && is(element, "a"));
    expect(weir__http_list_next(&list, &element) && is(element, "b"));
    expect(weir__http_list_next(&list, &element) && is(element, "\"c,d\""));
    expect(weir__http_list_next(&list, &element) && is(element, "\"e\\\",f\""));
    expect(!weir__http_list_next(&list, &element));
    expect(!weir__http_list_next(&list, &element));
    list = TEXT("");
    expect(!weir__http_list_next(&list, &element));
    list = TEXT("\"open, \\");
    expect(weir__http_list_next(&list, &element) && element.size == 8);
    expect(!weir__http_list_next(&list, &element));
}

CASE(tokens_are_found_in_lists)
{
    expect(weir__http_list_has(TEXT("Keep-Alive, Upgrade"), TEXT("upgrade")));
    expect(weir__http_list_has(TEXT("close"), TEXT("close")));
    expect(!weir__http_list_has(TEXT("closed, xclose"), TEXT("close")));
    expect(!weir__http_list_has(TEXT(""), TEXT("close")));
}

static void expect_quality(const char *text, const char *name, int expected)
{
    weir_bytes element = text_of(text);

    expect_int(weir__http_quality(&element), expected);
    expect(is(element, name));
}

CASE(qualities_are_thousandths)
{
    expect_quality("gzip", "gzip", 1000);
    expect_quality("gzip;q=1", "gzip", 1000);
    expect_quality("gzip;q=0", "gzip", 0);
    expect_quality("gzip ; Q=0.5", "gzip", 500);
    expect_quality("gzip;q=0.123", "gzip", 123);
    expect_quality("gzip;q=1.000", "gzip", 1000);
    expect_quality("gzip;q=0.", "gzip", 0);
    expect_quality("text/html;level=1;q=0.4", "text/html;level=1", 400);
    expect_quality("text/html;level=1", "text/html;level=1", 1000);
    expect_quality("gzip;q=1.001", "gzip", -1);
    expect_quality("gzip;q=2", "gzip", -1);
    expect_quality("gzip;q=", "gzip", -1);
    expect_quality("gzip;q=0.1234", "gzip", -1);
    expect_quality("gzip;q=-1", "gzip", -1);
    expect_quality("gzip;q=x", "gzip", -1);
}

CASE(codings_are_accepted_by_quality)
{
    weir_bytes accept = TEXT("gzip;q=0.8, br, deflate;q=0, x;q=9");

    expect_int(weir__http_accepts(accept, TEXT("gzip")), 800);
    expect_int(weir__http_accepts(accept, TEXT("BR")), 1000);
    expect_int(weir__http_accepts(accept, TEXT("deflate")), 0);
    expect_int(weir__http_accepts(accept, TEXT("zstd")), 0);
    expect_int(weir__http_accepts(accept, TEXT("identity")), 1);
    accept = TEXT("*;q=0.5, gzip");
    expect_int(weir__http_accepts(accept, TEXT("br")), 500);
    expect_int(weir__http_accepts(accept, TEXT("gzip")), 1000);
    accept = TEXT("identity;q=0, *;q=0");
    expect_int(weir__http_accepts(accept, TEXT("identity")), 0);
    accept = (weir_bytes){NULL, 0};
    expect_int(weir__http_accepts(accept, TEXT("gzip")), 0);
    expect_int(weir__http_accepts(accept, TEXT("identity")), 1);
}

/* ---- hosts ---- */

CASE(hosts_are_names_or_addresses)
{
    static const char *const good[] = {
        "a",       "a.b-c_d~e",    "a:80",
        "a:",      "127.0.0.1",    "1.2.3.4:5",
        "[::1]",   "[::1]:80",     "[1::2]:0",
        "a%41",    "a!$&'()*+,;=", "a:0",
        "a:65535", "xn--fiqs8s",   "[::ffff:1.2.3.4]"};
    static const char *const bad[] = {
        "",
        ":80",
        "a b",
        "a/b",
        "u@a",
        "a:b",
        "a:-1",
        "a:65536",
        "a:99999999999",
        "[::1",
        "::1",
        "[]",
        "[::g]",
        "[::1]x",
        "[::1]:x",
        "[1.2.3.4]",
        "a%",
        "a%4",
        "a%zz",
        "a#",
        "a?",
        "a\\b",
        "\303\251",
        "a\tb",
        "[::1%251]",
        "a:1:2",
        "[[::1]]",
        "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]"};

    for (size_t n = 0; n < sizeof(good) / sizeof(*good); n++)
        expect(weir__http_is_host(text_of(good[n])));
    for (size_t n = 0; n < sizeof(bad) / sizeof(*bad); n++)
        expect(!weir__http_is_host(text_of(bad[n])));
    expect(!weir__http_is_host((weir_bytes){"a\0b", 3}));
    expect(!weir__http_is_host((weir_bytes){"[::1\0]", 6}));
}

/* ---- validators ---- */

static bool match(const char *list, const char *etag, bool is_weak)
{
    return weir__http_etag_match(text_of(list), text_of(etag), is_weak);
}

/* The table of RFC 9110, 8.8.3.2. */
CASE(entity_tags_are_compared_weakly_and_strongly)
{
    expect(!match("W/\"1\"", "W/\"1\"", false));
    expect(match("W/\"1\"", "W/\"1\"", true));
    expect(!match("W/\"1\"", "W/\"2\"", true));
    expect(!match("W/\"1\"", "\"1\"", false));
    expect(match("W/\"1\"", "\"1\"", true));
    expect(!match("\"1\"", "W/\"1\"", false));
    expect(match("\"1\"", "\"1\"", false));
    expect(match("\"1\"", "\"1\"", true));
}

CASE(entity_tags_are_found_in_lists)
{
    expect(match("\"a\", \"b\",W/\"c\"", "\"c\"", true));
    expect(match(" \"a,b\" ", "\"a,b\"", false));
    expect(match(",, \"a\"", "\"a\"", false));
    expect(match("*", "\"a\"", false));
    expect(match(" * ", "W/\"a\"", false));
    expect(match("\"\"", "\"\"", false));
    expect(match("\"a\\\"", "\"a\\\"", false)); /* no escapes */
}

CASE(malformed_entity_tags_do_not_match)
{
    expect(!match("", "\"a\"", true));
    expect(!match("a", "\"a\"", true));
    expect(!match("\"a", "\"a\"", true));
    expect(!match("\"", "\"a\"", true));
    expect(!match("W/", "\"a\"", true));
    expect(!match("w/\"a\"", "\"a\"", true));
    expect(!match("\"b\" x, \"a\"", "\"a\"", true));
    expect(!match("x, \"a\"", "\"a\"", true));
    expect(!match("\"a\", *", "\"b\"", true));
}

/* ---- media types ---- */

CASE(media_types_are_found_by_extension)
{
    expect(is(weir__http_media_type(TEXT("a/b.html")),
              "text/html; charset=utf-8"));
    expect(is(weir__http_media_type(TEXT("B.PNG")), "image/png"));
    expect(is(weir__http_media_type(TEXT("a.tar.gz")), "application/gzip"));
    expect(is(weir__http_media_type(TEXT("x.mjs")),
              "text/javascript; charset=utf-8"));
    expect(is(weir__http_media_type(TEXT("x.wasm")), "application/wasm"));
    expect(
        is(weir__http_media_type(TEXT("a.b/c")), "application/octet-stream"));
    expect(
        is(weir__http_media_type(TEXT("README")), "application/octet-stream"));
    expect(is(weir__http_media_type(TEXT("")), "application/octet-stream"));
    expect(is(weir__http_media_type(TEXT("a.")), "application/octet-stream"));
}

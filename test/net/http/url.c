/* SPDX-License-Identifier: MIT */
/*
 * url -- what a URL becomes, and what is none.
 */
#include "http/url.h"

#include <errno.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/suite.h"

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static void expect_url(const char *text, const char *base, const char *wanted)
{
    struct weir__http_url from = {0}, url;

    if (base != NULL)
        expect_status(weir__http_url_parse(&from, bytes_of(base), NULL), 0);
    expect_status(
        weir__http_url_parse(&url, bytes_of(text), base != NULL ? &from : NULL),
        wanted != NULL ? 0 : -EINVAL);
    if (wanted != NULL)
        expect_string(url.text, wanted);
    weir__http_url_fini(&url);
    weir__http_url_fini(&from);
}

CASE(url_takes_its_normal_form)
{
    expect_url("http://Example.ORG", NULL, "http://example.org/");
    expect_url("HTTP://a:80/x", NULL, "http://a/x");
    expect_url("https://a:443?q", NULL, "https://a/?q");
    expect_url("https://a:80/", NULL, "https://a:80/");
    expect_url(" http://a/b c\n", NULL, "http://a/b%20c");
    expect_url("http://a/\xc3\xa4?\xc3\xa4#frag", NULL,
               "http://a/%C3%A4?%C3%A4");
    expect_url("http://[::1]:8080/", NULL, "http://[::1]:8080/");
    expect_url("http://a/b/../c/./d/..", NULL, "http://a/c/");
    expect_url("http://a/../../x", NULL, "http://a/x");
    expect_url("http://a/b/.", NULL, "http://a/b/");
    expect_url("http://a//b//../c", NULL, "http://a//b/c");
    expect_url("http://a/%41?%zz", NULL, "http://a/%41?%zz");
}

/* The examples of RFC 3986, 5.4, that apply. */
CASE(url_reference_is_relative_to_its_base)
{
    static const char base[] = "http://a/b/c/d;p?q";

    expect_url("g", base, "http://a/b/c/g");
    expect_url("./g", base, "http://a/b/c/g");
    expect_url("g/", base, "http://a/b/c/g/");
    expect_url("/g", base, "http://a/g");
    expect_url("//g", base, "http://g/");
    expect_url("?y", base, "http://a/b/c/d;p?y");
    expect_url("g?y", base, "http://a/b/c/g?y");
    expect_url("#s", base, "http://a/b/c/d;p?q");
    expect_url("", base, "http://a/b/c/d;p?q");
    expect_url(";x", base, "http://a/b/c/;x");
    expect_url(".", base, "http://a/b/c/");
    expect_url("..", base, "http://a/b/");
    expect_url("../g", base, "http://a/b/g");
    expect_url("../../../g", base, "http://a/g");
    expect_url("/./g", base, "http://a/g");
    expect_url("g..", base, "http://a/b/c/g..");
    expect_url("g;x=1/../y", base, "http://a/b/c/y");
    expect_url("https://x:1/y", base, "https://x:1/y");
}

CASE(url_that_is_not_one_of_http_is_refused)
{
    expect_url("", NULL, NULL);
    expect_url("/path", NULL, NULL);
    expect_url("//host/", NULL, NULL);
    expect_url("ftp://a/", NULL, NULL);
    expect_url("http:", NULL, NULL);
    expect_url("http:a", NULL, NULL);
    expect_url("http:///x", NULL, NULL);
    expect_url("http://user@a/", NULL, NULL);
    expect_url("http://user:pass@a/", NULL, NULL);
    expect_url("http://a:0/", NULL, NULL);
    expect_url("http://a:65536/", NULL, NULL);
    expect_url("http://a:x/", NULL, NULL);
    expect_url("http://:80/", NULL, NULL);
    expect_url("http://a b/", NULL, NULL);
    expect_url("http://.socket/", NULL, NULL);
    expect_url("http://../", "http://a/", NULL);
    expect_url("http://a\\b/", NULL, NULL);
    expect_url("http://a/\x01x", NULL, NULL);
    expect_url("http://a/\r\nX: y", NULL, NULL);
    expect_url("javascript:alert(1)", "http://a/", NULL);
}

CASE(url_parts_are_found)
{
    struct weir__http_url url, other;

    expect_status(
        weir__http_url_parse(&url, bytes_of("https://[::1]:8/p?q"), NULL), 0);
    expect_string(url.host, "::1");
    expect_int(url.port, 8);
    expect(url.is_tls);
    expect_int(url.authority.size, strlen("[::1]:8"));
    expect_int(url.target.size, strlen("/p?q"));
    expect_status(
        weir__http_url_parse(&other, bytes_of("https://[::1]:8/x"), NULL), 0);
    expect(weir__http_url_is_same_origin(&url, &other));
    weir__http_url_fini(&other);
    expect_status(
        weir__http_url_parse(&other, bytes_of("http://[::1]:8/x"), NULL), 0);
    expect(!weir__http_url_is_same_origin(&url, &other));
    weir__http_url_fini(&other);
    weir__http_url_fini(&url);
}

CASE(url_without_memory_is_refused)
{
    struct failing_allocator memory;
    struct weir__http_url url;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir__http_url_parse(&url, bytes_of("http://a/"), NULL),
                  -ENOMEM);
    expect_int(memory.live, 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * url -- the URLs of WebSockets, right and wrong.
 */
#include "websocket/url.h"

#include <errno.h>
#include <stdio.h>

#include "support/suite.h"

static const char *parsed(const char *text)
{
    static char shown[300];
    struct weir__url url;

    if (weir__url_parse(&url, text) != 0)
        return "-EINVAL";
    snprintf(shown, sizeof(shown), "%s|%.*s|%.*s|%u|%.*s",
             url.is_secure ? "wss" : "ws", (int)url.authority.size,
             (const char *)url.authority.data, (int)url.host.size,
             (const char *)url.host.data, url.port, (int)url.target.size,
             (const char *)url.target.data);
    return shown;
}

CASE(urls_are_taken_apart)
{
    expect_string(parsed("ws://a.example/chat?x=1"),
                  "ws|a.example|a.example|80|/chat?x=1");
    expect_string(parsed("WSS://a.example"), "wss|a.example|a.example|443|");
    expect_string(parsed("ws://127.0.0.1:8080/"),
                  "ws|127.0.0.1:8080|127.0.0.1|8080|/");
    expect_string(parsed("wss://[::1]:9/x"), "wss|[::1]:9|::1|9|/x");
    expect_string(parsed("ws://[::1]"), "ws|[::1]|::1|80|");
    expect_string(parsed("ws://host?q"), "ws|host|host|80|?q");
}

CASE(what_is_not_such_a_url_is_refused)
{
    static const char *const wrong[] = {
        "",          "ws:",          "ws://",         "http://a/",
        "ws:/a",     "ws://:80/",    "ws://a:/",      "ws://a:0/",
        "ws://a:x/", "ws://a:65536", "ws://a:123456", "ws://user@a/",
        "ws://[::1", "ws://[]/",     "ws://[::1]x/",  "ws://a b/",
        "ws://a#b",  "ws:///x",      "ws://[a/b]/",   "ws://a:80:90/",
        "ws://.a/",
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        expect_string(parsed(wrong[i]), "-EINVAL");
}

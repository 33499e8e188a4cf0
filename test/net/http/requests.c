/* SPDX-License-Identifier: MIT */
/*
 * requests -- raw requests, and what RFC 9110 and RFC 9112 say about them.
 *
 * test/net/http/chunks.c has those with chunked bodies, limits.c the large
 * ones.
 */
#include "net/support/raw_case.h"
#include "support/suite.h"

#define GET "GET / HTTP/1.1\r\n"
#define POST "POST / HTTP/1.1\r\nHost: a\r\n"
#define HOST "Host: a\r\n"
#define END "\r\n"

CASE(lawful_requests_are_accepted)
{
    static const struct raw_case cases[] = {
        OK("the shortest", GET HOST END,
           "GET / HTTP/1.1 authority=[a] path=[/] keep-alive\nHost: a\n.\n"
           "complete at 27\n"),
        OK("HEAD", "HEAD / HTTP/1.1\r\n" HOST END, "HEAD / "),
        OK("DELETE", "DELETE /x HTTP/1.1\r\n" HOST END, "DELETE /x "),
        OK("PATCH", "PATCH /x HTTP/1.1\r\n" HOST END, "PATCH /x "),
        OK("QUERY", "QUERY /x HTTP/1.1\r\n" HOST END, "QUERY /x "),
        OK("TRACE", "TRACE /x HTTP/1.1\r\n" HOST END, "TRACE /x "),
        OK("a method with a hyphen", "M-SEARCH /x HTTP/1.1\r\n" HOST END,
           "M-SEARCH /x "),
        OK("PROPFIND", "PROPFIND /x HTTP/1.1\r\n" HOST END, "PROPFIND /x "),
        OK("one empty line before it", "\r\n" GET HOST END,
           "GET / HTTP/1.1 authority=[a]"),
        OK("no space after the colon", GET "Host:a\r\n" END, "Host: a\n"),
        OK("spaces around the value", GET "Host: \t a \t \r\n" END,
           "Host: a\n"),
        OK("an empty value", GET HOST "X:\r\n" END, "X: \n"),
        OK("an empty value of spaces", GET HOST "X:  \t\r\nY: z\r\n" END,
           "X: \nY: z\n"),
        OK("an empty Connection", GET HOST "Connection:\r\nY: z\r\n" END,
           "Connection: \nY: z\n"),
        OK("an empty Upgrade", GET HOST "Upgrade:\r\nY: z\r\n" END,
           "keep-alive\nHost: a\nUpgrade: \nY: z\n"),
        OK("spaces inside of the value", GET HOST "X: a \t b\r\n" END,
           "X: a \\x09 b\n"),
        OK("bytes beyond ASCII in a value", GET HOST "X: \303\251\r\n" END,
           "X: \\xc3\\xa9\n"),
        OK("every character of a token as name",
           GET HOST "!#$%&'*+-.^_`|~09AZaz: x\r\n" END,
           "!#$%&'*+-.^_`|~09AZaz: x\n"),
        OK("the same field twice", GET HOST "X: 1\r\nX: 2\r\n" END,
           "X: 1\nX: 2\n"),
        OK("names in any case", GET "hOST: a\r\n" END, "authority=[a]"),
        OK("Content_Length is not Content-Length",
           GET HOST "Content_Length: 9\r\n" END, "path=[/] keep-alive\n"),
        OK("a value with a colon", GET HOST "X: a:b\r\n" END, "X: a:b\n"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(targets_have_one_of_four_forms)
{
    static const struct raw_case cases[] = {
        OK("a query", "GET /a/b?c=d&e=%20 HTTP/1.1\r\n" HOST END,
           "path=[/a/b?c=d&e=%20]"),
        OK("only a query", "GET /?a HTTP/1.1\r\n" HOST END, "path=[/?a]"),
        OK("characters that browsers leave in a query",
           "GET /?a[]={x}|`^\\' HTTP/1.1\r\n" HOST END,
           "path=[/?a[]={x}|`^\\']"),
        OK("characters that browsers leave in a path",
           "GET /[a]|^;,=:@!$&'()*+~ HTTP/1.1\r\n" HOST END, "path=[/[a]|^"),
        OK("two slashes are a path", "GET //b/c HTTP/1.1\r\n" HOST END,
           "authority=[a] path=[//b/c]"),
        OK("absolute", "GET http://b:80/c?d HTTP/1.1\r\n" HOST END,
           "authority=[b:80] path=[/c?d] keep-alive absolute"),
        OK("absolute, in capitals", "GET HTTPS://B/ HTTP/1.1\r\n" HOST END,
           "authority=[B] path=[/]"),
        OK("absolute, without a path", "GET http://b HTTP/1.1\r\n" HOST END,
           "authority=[b] path=[]"),
        OK("absolute, with only a query",
           "GET http://b?c HTTP/1.1\r\n" HOST END, "authority=[b] path=[?c]"),
        OK("absolute, IPv6", "GET http://[::1]:8/ HTTP/1.1\r\n" HOST END,
           "authority=[[::1]:8] path=[/]"),
        OK("OPTIONS of everything", "OPTIONS * HTTP/1.1\r\n" HOST END,
           "authority=[a] path=[*]"),
        OK("CONNECT", "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n" END "tls",
           "authority=[b:443] path=[] keep-alive upgrade absolute\n"
           "Host: b:443\n.\ncomplete at 39\n"),
        OK("CONNECT, IPv6", "CONNECT [::1]:443 HTTP/1.1\r\n" HOST END,
           "authority=[[::1]:443]"),
        NO(400, "* without OPTIONS", "GET * HTTP/1.1\r\n" HOST END),
        NO(400, "*x", "OPTIONS *x HTTP/1.1\r\n" HOST END),
        NO(400, "authority without CONNECT", "GET b:80 HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT of a path", "CONNECT /a HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT of a URI",
           "CONNECT http://a:1/ HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT without a port", "CONNECT b HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT with an empty port",
           "CONNECT b: HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT with a port of letters",
           "CONNECT b:x HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT, IPv6 without a port",
           "CONNECT [::1] HTTP/1.1\r\n" HOST END),
        NO(400, "CONNECT with a user", "CONNECT u@b:1 HTTP/1.1\r\n" HOST END),
        NO(400, "a relative path", "GET a/b HTTP/1.1\r\n" HOST END),
        NO(400, "another scheme", "GET ftp://b/ HTTP/1.1\r\n" HOST END),
        NO(400, "absolute, without a host",
           "GET http:///c HTTP/1.1\r\n" HOST END),
        NO(400, "absolute, with a user",
           "GET http://u@b/ HTTP/1.1\r\n" HOST END),
        NO(400, "absolute, a port too large",
           "GET http://b:65536/ HTTP/1.1\r\n" HOST END),
        NO(400, "absolute, bad IPv6", "GET http://[::1/ HTTP/1.1\r\n" HOST END),
        NO(400, "a fragment", "GET /a#b HTTP/1.1\r\n" HOST END),
        NO(400, "a fragment after a query", "GET /?a#b HTTP/1.1\r\n" HOST END),
        NO(400, "a backslash in the path", "GET /a\\b HTTP/1.1\r\n" HOST END),
        NO(400, "a quote in the path", "GET /a\"b HTTP/1.1\r\n" HOST END),
        NO(400, "< in the query", "GET /?a<b HTTP/1.1\r\n" HOST END),
        NO(400, "NUL in the path", "GET /a\000b HTTP/1.1\r\n" HOST END),
        NO(400, "DEL in the path", "GET /a\177b HTTP/1.1\r\n" HOST END),
        NO(400, "a tab in the path", "GET /a\tb HTTP/1.1\r\n" HOST END),
        NO(400, "UTF-8 in the path", "GET /\303\251 HTTP/1.1\r\n" HOST END),
        NO(400, "UTF-8 in the query", "GET /?\303\251 HTTP/1.1\r\n" HOST END),
        NO(400, "overlong UTF-8", "GET /\300\257 HTTP/1.1\r\n" HOST END),
        NO(400, "a space in the path", "GET /a b HTTP/1.1\r\n" HOST END),
        NO(400, "a CR in the path", "GET /a\rb HTTP/1.1\r\n" HOST END),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(request_lines_are_strict)
{
    static const struct raw_case cases[] = {
        NO(400, "two spaces before the target", "GET  / HTTP/1.1\r\n" HOST END),
        NO(400, "two spaces after the target", "GET /  HTTP/1.1\r\n" HOST END),
        NO(400, "a space at the end", "GET / HTTP/1.1 \r\n" HOST END),
        NO(400, "a tab before the target", "GET\t/ HTTP/1.1\r\n" HOST END),
        NO(400, "a tab after the target", "GET /\tHTTP/1.1\r\n" HOST END),
        NO(400, "a space at the front", " GET / HTTP/1.1\r\n" HOST END),
        NO(400, "a tab at the front", "\tGET / HTTP/1.1\r\n" HOST END),
        NO(400, "two empty lines before it", "\r\n\r\n" GET HOST END),
        NO(400, "a bare LF before it", "\n" GET HOST END),
        NO(400, "a bare CR before it", "\r" GET HOST END),
        NO(400, "two CRs before it", "\r\r\n" GET HOST END),
        NO(400, "no target", "GET HTTP/1.1\r\n" HOST END),
        NO(400, "nothing but a method", "GET\r\n" HOST END),
        NO(400, "HTTP/0.9", "GET /\r\n\r\n"),
        NO(400, "HTTP/0.9 with fields", "GET /\r\n" HOST END),
        NO(400, "ended by LF", "GET / HTTP/1.1\n" HOST END),
        NO(400, "ended by CR", "GET / HTTP/1.1\r" HOST END),
        NO(400, "ended by CR CR LF", "GET / HTTP/1.1\r\r\n" HOST END),
        NO(400, "no minor version", "GET / HTTP/1\r\n" HOST END),
        NO(400, "an empty minor version", "GET / HTTP/1.\r\n" HOST END),
        NO(400, "leading zeros", "GET / HTTP/01.1\r\n" HOST END),
        NO(400, "a long minor version", "GET / HTTP/1.10\r\n" HOST END),
        NO(400, "a space in the version", "GET / HTTP/ 1.1\r\n" HOST END),
        NO(400, "a version in small letters", "GET / http/1.1\r\n" HOST END),
        NO(400, "another protocol", "GET / RTSP/1.0\r\n" HOST END),
        NO(400, "another protocol of three letters",
           "GET / ICE/1.0\r\n" HOST END),
        NO(400, "a word for a version", "GET / HTTP/x.y\r\n" HOST END),
        NO(505, "HTTP/1.2", "GET / HTTP/1.2\r\n" HOST END),
        NO(505, "HTTP/2.0", "GET / HTTP/2.0\r\n" HOST END),
        NO(505, "HTTP/0.9 by name", "GET / HTTP/0.9\r\n" HOST END),
        NO(505, "HTTP/9.9", "GET / HTTP/9.9\r\n" HOST END),
        NO(505, "the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        NO(501, "an unknown method", "FOOBAR / HTTP/1.1\r\n" HOST END),
        NO(501, "a method in small letters", "get / HTTP/1.1\r\n" HOST END),
        NO(501, "a method that begins with a known one",
           "GETS / HTTP/1.1\r\n" HOST END),
        NO(501, "a method of RTSP", "DESCRIBE / HTTP/1.1\r\n" HOST END),
        NO(501, "a method of Icecast", "SOURCE / HTTP/1.1\r\n" HOST END),
        NO(400, "a method that is not a token", "G(T / HTTP/1.1\r\n" HOST END),
        NO(400, "a method with NUL", "GET\000 / HTTP/1.1\r\n" HOST END),
        NO(400, "a method beyond ASCII", "G\303\211T / HTTP/1.1\r\n" HOST END),
        NO(400, "an unknown method without an end",
           "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX / HTTP/1.1\r\n"),
        NO(400, "TLS instead of HTTP", "\026\003\001\002\000\001\000\001\374"),
        NO(400, "NUL at the front", "\000GET / HTTP/1.1\r\n" HOST END),
        PART("an unknown method that goes on", "XYZ"),
        PART("half of a method", "GE"),
        PART("half of a request line", "GET / HT"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(fields_are_strict)
{
    static const struct raw_case cases[] = {
        NO(400, "a space before the colon", GET HOST "X : y\r\n" END),
        NO(400, "a tab before the colon", GET HOST "X\t: y\r\n" END),
        NO(400, "no name", GET HOST ": y\r\n" END),
        NO(400, "no colon", GET HOST "X\r\n" END),
        NO(400, "a space in the name", GET HOST "X Y: z\r\n" END),
        NO(400, "a tab in the name", GET HOST "X\tY: z\r\n" END),
        NO(400, "a bracket in the name", GET HOST "X[Y: z\r\n" END),
        NO(400, "NUL in the name", GET HOST "X\000Y: z\r\n" END),
        NO(400, "UTF-8 in the name", GET HOST "X\303\251: z\r\n" END),
        NO(400, "a quote in the name", GET HOST "\"X\": z\r\n" END),
        NO(400, "a slash in the name", GET HOST "X/Y: z\r\n" END),
        NO(400, "a space at the front of the first", GET " " HOST END),
        NO(400, "a line of a space", GET " \r\n" HOST END),
        NO(400, "a continuation line", GET HOST "X: y\r\n z\r\n" END),
        NO(400, "a continuation line, by tab", GET HOST "X: y\r\n\tz\r\n" END),
        NO(400, "a continuation of nothing", GET HOST "X:\r\n z\r\n" END),
        NO(400, "a continuation before the end", GET HOST "X: y\r\n \r\n" END),
        NO(400, "a continuation of Host", GET "Host: a\r\n b\r\n" END),
        NO(400, "ended by LF", GET "Host: a\n" END),
        NO(400, "ended by CR", GET HOST "X: y\rZ: z\r\n" END),
        NO(400, "a CR in the value", GET HOST "X: a\rb\r\n" END),
        NO(400, "two CRs at the end", GET HOST "X: a\r\r\n" END),
        NO(400, "NUL in the value", GET HOST "X: a\000b\r\n" END),
        NO(400, "BEL in the value", GET HOST "X: a\007b\r\n" END),
        NO(400, "DEL in the value", GET HOST "X: a\177b\r\n" END),
        NO(400, "ESC in the value", GET HOST "X: \033[0m\r\n" END),
        NO(400, "a vertical tab in the value", GET HOST "X: \013b\r\n" END),
        NO(400, "the end by LF", GET HOST "\n"),
        NO(400, "the end by CR and a byte", GET HOST "\rx"),
        NO(400, "an empty value ended by LF", GET HOST "X:\n" END),
        NO(400, "an empty value ended by CR", GET HOST "X:\rY: z\r\n" END),
        PART("half of a name", GET HOST "X"),
        PART("half of a value", GET HOST "X: y"),
        PART("without the empty line", GET HOST),
        PART("half of the empty line", GET HOST "\r"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(host_is_required_once_and_valid)
{
    static const struct raw_case cases[] = {
        OK("a port", GET "Host: a.example:8080\r\n" END,
           "authority=[a.example:8080]"),
        OK("an empty port", GET "Host: a:\r\n" END, "authority=[a:]"),
        OK("IPv4", GET "Host: 127.0.0.1:80\r\n" END,
           "authority=[127.0.0.1:80]"),
        OK("IPv6", GET "Host: [2001:db8::1]:80\r\n" END,
           "authority=[[2001:db8::1]:80]"),
        OK("an underscore", GET "Host: a_b\r\n" END, "authority=[a_b]"),
        OK("an escape", GET "Host: a%2db\r\n" END, "authority=[a%2db]"),
        OK("HTTP/1.0 without", "GET / HTTP/1.0\r\n" END, "authority=[]"),
        OK("HTTP/1.0 with", "GET / HTTP/1.0\r\n" HOST END, "authority=[a]"),
        NO(400, "none", GET END),
        NO(400, "none but others", GET "X: y\r\n" END),
        NO(400, "none though the target is absolute",
           "GET http://a/ HTTP/1.1\r\n" END),
        NO(400, "two", GET HOST "Host: b\r\n" END),
        NO(400, "two that are equal", GET HOST HOST END),
        NO(400, "two in HTTP/1.0", "GET / HTTP/1.0\r\n" HOST HOST END),
        NO(400, "empty", GET "Host:\r\n" END),
        NO(400, "only spaces", GET "Host:   \r\n" END),
        NO(400, "only a port", GET "Host: :80\r\n" END),
        NO(400, "a list", GET "Host: a, b\r\n" END),
        NO(400, "a user", GET "Host: u@a\r\n" END),
        NO(400, "a path", GET "Host: a/b\r\n" END),
        NO(400, "a URI", GET "Host: http://a\r\n" END),
        NO(400, "a space inside", GET "Host: a b\r\n" END),
        NO(400, "a port of letters", GET "Host: a:x\r\n" END),
        NO(400, "a port too large", GET "Host: a:65536\r\n" END),
        NO(400, "two ports", GET "Host: a:1:2\r\n" END),
        NO(400, "half an escape", GET "Host: a%2\r\n" END),
        NO(400, "an escape that is none", GET "Host: a%zz\r\n" END),
        NO(400, "IPv6 without brackets", GET "Host: ::1\r\n" END),
        NO(400, "IPv6 without the end", GET "Host: [::1\r\n" END),
        NO(400, "IPv6 of letters", GET "Host: [xyz]\r\n" END),
        NO(400, "IPv6 with a zone", GET "Host: [fe80::1%25e]\r\n" END),
        NO(400, "something after IPv6", GET "Host: [::1]x\r\n" END),
        NO(400, "a query", GET "Host: a?b\r\n" END),
        NO(400, "UTF-8", GET "Host: \303\251\r\n" END),
        NO(400, "a backslash", GET "Host: a\\b\r\n" END),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(lengths_are_strict)
{
    static const struct raw_case cases[] = {
        OK("a body", POST "Content-Length: 5\r\n" END "hello",
           "5 keep-alive length body\nHost: a\nContent-Length: 5\n.\n"
           "body 5 [hello]\ncomplete at 52\n"),
        OK("0", POST "Content-Length: 0\r\n" END,
           "0 keep-alive length\nHost: a\nContent-Length: 0\n.\ncomplete"),
        OK("none", POST END, "path=[/] keep-alive\nHost: a\n.\ncomplete"),
        OK("spaces around it", POST "Content-Length: \t5 \t\r\n" END "hello",
           "body 5 [hello]"),
        OK("a GET with a body", GET HOST "Content-Length: 1\r\n" END "x",
           "body 1 [x]"),
        OK("a body of CRLF", POST "Content-Length: 2\r\n" END "\r\n",
           "body 2 [\\x0d\\x0a]"),
        OK("HTTP/1.0", "POST / HTTP/1.0\r\nContent-Length: 1\r\n" END "x",
           "HTTP/1.0 authority=[] path=[/] 1 length body"),
        PART("a body that is cut", POST "Content-Length: 5\r\n" END "hell"),
        PART("the largest",
             POST "Content-Length: 9223372036854775807\r\n" END "x"),
        NO(400, "one more than the largest",
           POST "Content-Length: 9223372036854775808\r\n" END),
        NO(400, "beyond 64 bits",
           POST "Content-Length: 99999999999999999999\r\n" END),
        NO(400, "empty", POST "Content-Length:\r\n" END),
        NO(400, "only spaces", POST "Content-Length:  \r\n" END),
        NO(400, "letters", POST "Content-Length: abc\r\n" END),
        NO(400, "a sign", POST "Content-Length: +5\r\n" END "hello"),
        NO(400, "negative", POST "Content-Length: -1\r\n" END),
        NO(400, "negative zero", POST "Content-Length: -0\r\n" END),
        NO(400, "hexadecimal", POST "Content-Length: 0x5\r\n" END "hello"),
        NO(400, "octal", POST "Content-Length: 0o5\r\n" END "hello"),
        NO(400, "a separator", POST "Content-Length: 1_0\r\n" END),
        NO(400, "a fraction", POST "Content-Length: 5.0\r\n" END "hello"),
        NO(400, "a leading zero", POST "Content-Length: 05\r\n" END "hello"),
        NO(400, "two zeros", POST "Content-Length: 00\r\n" END),
        NO(400, "a space inside", POST "Content-Length: 1 0\r\n" END),
        NO(400, "a list", POST "Content-Length: 5, 6\r\n" END "hello"),
        NO(400, "a list of equals",
           POST "Content-Length: 5, 5\r\n" END "hello"),
        NO(400, "a semicolon", POST "Content-Length: 5;\r\n" END "hello"),
        NO(400, "a quoted number",
           POST "Content-Length: \"5\"\r\n" END "hello"),
        NO(400, "twice",
           POST "Content-Length: 5\r\nContent-Length: 6\r\n" END "hello!"),
        NO(400, "twice the same",
           POST "Content-Length: 5\r\nContent-Length: 5\r\n" END "hello"),
        NO(400, "twice, in another case",
           POST "Content-Length: 5\r\ncontent-length: 5\r\n" END "hello"),
        NO(400, "CONNECT with a length",
           "CONNECT a:1 HTTP/1.1\r\n" HOST "Content-Length: 1\r\n" END "x"),
        OK("CONNECT with a length of 0",
           "CONNECT a:1 HTTP/1.1\r\n" HOST "Content-Length: 0\r\n" END,
           "upgrade"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(connection_and_upgrade_are_understood)
{
    static const struct raw_case cases[] = {
        OK("close", GET HOST "Connection: close\r\n" END, "path=[/] close\n"),
        OK("Close", GET HOST "Connection: CLOSE\r\n" END, "path=[/] close\n"),
        OK("close in a list", GET HOST "Connection: x , close,\r\n" END,
           "path=[/] close\n"),
        OK("close in the second field",
           GET HOST "Connection: x\r\nConnection: close\r\n" END,
           "path=[/] close\n"),
        OK("close beside keep-alive",
           GET HOST "Connection: keep-alive, close\r\n" END,
           "path=[/] close\n"),
        OK("closed is not close", GET HOST "Connection: closed\r\n" END,
           "path=[/] keep-alive\n"),
        OK("quoted close is not close",
           GET HOST "Connection: \"close\"\r\n" END, "path=[/] keep-alive\n"),
        OK("HTTP/1.0", "GET / HTTP/1.0\r\n" END, "path=[/]\n"),
        OK("HTTP/1.0 with keep-alive",
           "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n" END,
           "path=[/] keep-alive\n"),
        OK("upgrade",
           GET HOST "Connection: Upgrade\r\nUpgrade: websocket\r\n" END "\x81",
           "path=[/] keep-alive upgrade\n"),
        OK("upgrade in a list",
           GET HOST "Connection: keep-alive, upgrade\r\nUpgrade: h2c\r\n" END,
           "keep-alive upgrade\n"),
        OK("upgrade with a body",
           POST "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n" END
                "hi!",
           "body 2 [hi]\ncomplete at 82\n"),
        OK("Upgrade that Connection does not name",
           GET HOST "Upgrade: websocket\r\n" END, "path=[/] keep-alive\n"),
        OK("Connection without Upgrade", GET HOST "Connection: upgrade\r\n" END,
           "path=[/] keep-alive\n"),
        OK("upgrade in HTTP/1.0",
           "GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: x\r\n" END,
           "path=[/]\n"),
        OK_N(2, "an upgrade in HTTP/1.0 does not end anything",
             "GET / HTTP/1.0\r\nConnection: upgrade, keep-alive\r\n"
             "Upgrade: x\r\n" END GET HOST END,
             "GET / HTTP/1.1"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(expectations_are_met_or_refused)
{
    static const struct raw_case cases[] = {
        OK("100-continue",
           POST "Expect: 100-continue\r\nContent-Length: 1\r\n" END "x",
           "length body continue"),
        OK("100-Continue",
           POST "Expect: 100-Continue\r\nContent-Length: 1\r\n" END "x",
           "length body continue"),
        OK("without a body", POST "Expect: 100-continue\r\n" END,
           "path=[/] keep-alive\n"),
        OK("HTTP/1.0",
           "POST / HTTP/1.0\r\nExpect: 100-continue\r\n"
           "Content-Length: 1\r\n" END "x",
           "1 length body\n"),
        OK("unknown in HTTP/1.0", "GET / HTTP/1.0\r\nExpect: x\r\n" END,
           "path=[/]\n"),
        NO(417, "unknown", GET HOST "Expect: 200-ok\r\n" END),
        NO(417, "a list", GET HOST "Expect: 100-continue, x\r\n" END),
        NO(417, "empty", GET HOST "Expect:\r\n" END),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(pipelined_requests_come_one_after_the_other)
{
    static const struct raw_case cases[] = {
        OK_N(2, "two", GET HOST END "GET /b HTTP/1.1\r\n" HOST END,
             "complete at 27\nGET /b "),
        OK_N(3, "bodies between them",
             POST "Content-Length: 2\r\n" END "ab" POST
                  "Content-Length: 1\r\n" END "c" GET HOST END,
             "body 2 [ab]\ncomplete at 49\nPOST / "),
        OK_N(2, "an empty line between them",
             POST "Content-Length: 2\r\n" END "ab\r\n" GET HOST END,
             "complete at 49\nGET / "),
        OK_N(2, "a request inside of a body is a body",
             POST "Content-Length: 27\r\n" END GET HOST END GET HOST END,
             "body 27 [GET / HTTP/1.1\\x0d\\x0aHost: a\\x0d\\x0a\\x0d\\x0a]\n"),
        NO_AFTER(1, 400, "a byte too many",
                 POST "Content-Length: 2\r\n" END "ab GET / HTTP/1.1\r\n"),
        NO_AFTER(1, 400, "two empty lines between them",
                 GET HOST END "\r\n\r\n" GET HOST END),
        NO_AFTER(1, 501, "a body that nobody has announced",
                 POST END "hello world"),
        NO_AFTER(1, 400, "the second is bad", GET HOST END GET END),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

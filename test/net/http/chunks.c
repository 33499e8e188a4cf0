/* SPDX-License-Identifier: MIT */
/*
 * chunks -- requests with Transfer-Encoding, lawful and not.
 */
#include "net/support/raw_case.h"
#include "support/suite.h"

#define POST "POST / HTTP/1.1\r\nHost: a\r\n"
#define HEAD POST "Transfer-Encoding: chunked\r\n\r\n"
#define LAST "0\r\n\r\n"

CASE(chunked_bodies_are_joined)
{
    static const struct raw_case cases[] = {
        OK("one chunk", HEAD "5\r\nhello\r\n" LAST,
           "path=[/] keep-alive chunked body\nHost: a\n"
           "Transfer-Encoding: chunked\n.\nbody 5 [hello]\ncomplete at 71\n"),
        OK("several", HEAD "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n" LAST,
           "body 11 [hello world]\n"),
        OK("none", HEAD LAST, ".\ncomplete at 61\n"),
        OK("hexadecimal", HEAD "a\r\n0123456789\r\nB\r\n0123456789A\r\n" LAST,
           "body 21 ["),
        OK("leading zeros", HEAD "0005\r\nhello\r\n000\r\n\r\n",
           "body 5 [hello]\ncomplete"),
        OK("data that looks like a chunk", HEAD "9\r\n0\r\n\r\nabcd\r\n" LAST,
           "body 9 [0\\x0d\\x0a\\x0d\\x0aabcd]"),
        OK("Chunked", POST "Transfer-Encoding: Chunked\r\n\r\n" LAST,
           "chunked body"),
        OK("spaces around it",
           POST "Transfer-Encoding: \t chunked  \r\n\r\n" LAST, "chunked body"),
        OK("an extension", HEAD "5;a\r\nhello\r\n" LAST, "body 5 [hello]"),
        OK("an extension with a value", HEAD "5;a=b;c=d\r\nhello\r\n" LAST,
           "body 5 [hello]"),
        OK("an extension with a quoted value",
           HEAD "5;a=\"b;\\\"c\"\r\nhello\r\n0;z\r\n\r\n", "body 5 [hello]"),
        OK_N(2, "a request after it", HEAD "1\r\nx\r\n" LAST POST "\r\n",
             "body 1 [x]\ncomplete at 67\nPOST /"),
        OK("an upgrade after it",
           POST "Connection: upgrade\r\nUpgrade: x\r\n"
                "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n" LAST "rest",
           "body 1 [x]\ncomplete at 100\n"),
        PART("half a size", HEAD "5"),
        PART("half a line", HEAD "5\r"),
        PART("half a chunk", HEAD "5\r\nhel"),
        PART("half the end of a chunk", HEAD "5\r\nhello\r"),
        PART("no last chunk", HEAD "5\r\nhello\r\n"),
        PART("half the last chunk", HEAD "0\r\n"),
        PART("half the end", HEAD "0\r\n\r"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(bad_chunks_are_refused)
{
    static const struct raw_case cases[] = {
        NO(400, "no size", HEAD "\r\nhello\r\n" LAST),
        NO(400, "letters", HEAD "xyz\r\nhello\r\n" LAST),
        NO(400, "a sign", HEAD "+5\r\nhello\r\n" LAST),
        NO(400, "negative", HEAD "-1\r\nhello\r\n" LAST),
        NO(400, "0x", HEAD "0x5\r\nhello\r\n" LAST),
        NO(400, "a separator", HEAD "1_0\r\nhello\r\n" LAST),
        NO(400, "a fraction", HEAD "5.0\r\nhello\r\n" LAST),
        NO(400, "a space before", HEAD " 5\r\nhello\r\n" LAST),
        NO(400, "a space after", HEAD "5 \r\nhello\r\n" LAST),
        NO(400, "a tab after", HEAD "5\t\r\nhello\r\n" LAST),
        NO(400, "beyond 64 bits", HEAD "10000000000000000\r\nhello\r\n" LAST),
        NO(400, "far beyond", HEAD "FFFFFFFFFFFFFFFF0\r\nhello\r\n" LAST),
        NO(400, "NUL", HEAD "5\000\r\nhello\r\n" LAST),
        NO(400, "a size ended by LF", HEAD "5\nhello\r\n" LAST),
        NO(400, "a size ended by CR", HEAD "5\rhello\r\n" LAST),
        NO(400, "data ended by LF", HEAD "5\r\nhello\n" LAST),
        NO(400, "data ended by CR", HEAD "5\r\nhello\r" LAST),
        NO(400, "data without an end", HEAD "5\r\nhello" LAST),
        NO(400, "more data than announced", HEAD "5\r\nhello!\r\n" LAST),
        NO(400, "less data than announced", HEAD "6\r\nhello\r\n" LAST),
        NO(400, "the last chunk ended by LF", HEAD "0\n\r\n"),
        NO(400, "the end by LF", HEAD "0\r\n\n"),
        NO(400, "an empty extension", HEAD "5;\r\nhello\r\n" LAST),
        NO(400, "an extension that is not a token",
           HEAD "5;a[b=c\r\nhello\r\n" LAST),
        NO(400, "a space in an extension", HEAD "5; a=b\r\nhello\r\n" LAST),
        NO(400, "NUL in an extension", HEAD "5;a\000b\r\nhello\r\n" LAST),
        NO(400, "LF in an extension", HEAD "5;a\nhello\r\n" LAST),
        NO(400, "CR in an extension", HEAD "5;a\rb\r\nhello\r\n" LAST),
        NO(400, "a quote without an end", HEAD "5;a=\"b\r\nhello\r\n" LAST),
        NO(400, "an empty line before the first chunk",
           HEAD "\r\n5\r\nhello\r\n" LAST),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

#define CODING(value) POST "Transfer-Encoding: " value "\r\n\r\n" LAST

CASE(only_chunked_is_understood)
{
    static const struct raw_case cases[] = {
        NO(501, "another before it", CODING("gzip, chunked")),
        NO(501, "two others before it", CODING("gzip, deflate, chunked")),
        NO(400, "another after it", CODING("chunked, gzip")),
        NO(400, "another instead", CODING("gzip")),
        NO(400, "identity", CODING("identity")),
        NO(400, "identity before it", CODING("chunked, identity")),
        NO(400, "twice", CODING("chunked, chunked")),
        NO(400, "three times", CODING("chunked, gzip, chunked")),
        NO(400, "an empty element before it", CODING(", chunked")),
        NO(400, "an empty element after it", CODING("chunked,")),
        NO(400, "empty", CODING("")),
        NO(400, "a comma", CODING(",")),
        NO(400, "a parameter", CODING("chunked;a=b")),
        NO(400, "quoted", CODING("\"chunked\"")),
        NO(400, "a longer word", CODING("xchunked")),
        NO(400, "another longer word", CODING("chunkedx")),
        NO(400, "a vertical tab", CODING("\013chunked")),
        NO(400, "NUL at its end", CODING("chunked\000")),
        NO(400, "a word after it", CODING("chunked x")),
        NO(400, "a tab after it", CODING("chunked\t")), /* as llhttp has it */
        NO(400, "two fields",
           POST "Transfer-Encoding: chunked\r\n"
                "Transfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "two fields, the first is another",
           POST "Transfer-Encoding: gzip\r\n"
                "Transfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "two fields, the first is empty",
           POST "Transfer-Encoding:\r\n"
                "Transfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "two fields, the second is another",
           POST "Transfer-Encoding: chunked\r\n"
                "Transfer-Encoding: identity\r\n\r\n" LAST),
        NO(400, "a continuation line",
           POST "Transfer-Encoding:\r\n chunked\r\n\r\n" LAST),
        NO(400, "a space before the colon",
           POST "Transfer-Encoding : chunked\r\n\r\n" LAST),
        NO(400, "HTTP/1.0",
           "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "CONNECT",
           "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n"
           "Transfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "before a length",
           POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" LAST),
        NO(400, "after a length",
           POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "after a length of 0",
           POST "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" LAST),
        NO(400, "another beside a length",
           POST "Transfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        NO(400, "empty beside a length",
           POST "Transfer-Encoding:\r\nContent-Length: 5\r\n\r\nhello"),
        NO(400, "a length that hides a request",
           POST "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n" LAST
                "G"),
        OK("a name that only looks like it",
           POST "Transfer_Encoding: chunked\r\n\r\n", "path=[/] keep-alive\n"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

CASE(trailers_are_fields_that_change_nothing)
{
    static const struct raw_case cases[] = {
        OK("one", HEAD "1\r\nx\r\n0\r\nA: b\r\n\r\n",
           "body 1 [x]\ntrailers\nA: b\n.\ncomplete"),
        OK("two", HEAD "0\r\nA: b\r\nC:  d \r\n\r\n",
           "trailers\nA: b\nC: d\n.\n"),
        OK("an empty one", HEAD "0\r\nA:\r\nB: c\r\n\r\n",
           "trailers\nA: \nB: c\n.\n"),
        OK("Date", HEAD "0\r\nDate: x\r\n\r\n", "trailers\nDate: x\n"),
        OK_N(2, "a request after them", HEAD "0\r\nA: b\r\n\r\n" POST "\r\n",
             "trailers\nA: b\n.\ncomplete at 67\nPOST / "),
        NO(400, "Content-Length", HEAD "0\r\nContent-Length: 5\r\n\r\n"),
        NO(400, "Transfer-Encoding",
           HEAD "0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        NO(400, "Transfer-Encoding of another",
           HEAD "0\r\nTransfer-Encoding: gzip\r\n\r\n"),
        NO(400, "Host", HEAD "0\r\nHost: b\r\n\r\n"),
        NO(400, "Connection", HEAD "0\r\nConnection: close\r\n\r\n"),
        NO(400, "Authorization", HEAD "0\r\nAuthorization: x\r\n\r\n"),
        NO(400, "Content-Type", HEAD "0\r\nContent-Type: x\r\n\r\n"),
        NO(400, "Content-Encoding", HEAD "0\r\ncontent-encoding: x\r\n\r\n"),
        NO(400, "Cookie", HEAD "0\r\nCookie: x=y\r\n\r\n"),
        NO(400, "a space before the colon", HEAD "0\r\nA : b\r\n\r\n"),
        NO(400, "a continuation line", HEAD "0\r\nA: b\r\n c\r\n\r\n"),
        NO(400, "no colon", HEAD "0\r\nA\r\n\r\n"),
        NO(400, "ended by LF", HEAD "0\r\nA: b\n\r\n"),
        NO(400, "NUL", HEAD "0\r\nA: \000\r\n\r\n"),
        PART("half a name", HEAD "0\r\nA"),
        PART("half a value", HEAD "0\r\nA: b"),
        PART("no end", HEAD "0\r\nA: b\r\n"),
    };

    raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
}

/* SPDX-License-Identifier: MIT */
/*
 * responses -- raw responses, as a client reads them.
 *
 * The status of a failure is 502, whatever is wrong.
 */
#include "net/support/raw_case.h"
#include "support/suite.h"

#define OK_LINE "HTTP/1.1 200 OK\r\n"
#define END "\r\n"

CASE(responses_have_a_status_and_a_framing)
{
    static const struct raw_case cases[] = {
        OK("a length", OK_LINE "Content-Length: 5\r\n" END "hello",
           "HTTP/1.1 200 reason=[OK] 5 keep-alive length body\n"
           "Content-Length: 5\n.\nbody 5 [hello]\ncomplete at 43\n"),
        OK("no body", OK_LINE "Content-Length: 0\r\n" END,
           "0 keep-alive length\n"),
        OK("chunked",
           OK_LINE "Transfer-Encoding: chunked\r\n" END
                   "3\r\nabc\r\n0\r\nX: y\r\n\r\n",
           "keep-alive chunked body\nTransfer-Encoding: chunked\n.\n"
           "body 3 [abc]\ntrailers\nX: y\n.\ncomplete"),
        OK("no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n" END,
           "200 reason=[]"),
        OK("an empty reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n" END,
           "200 reason=[]"),
        OK("a long reason",
           "HTTP/1.1 404 No such thing\r\nContent-Length: 0\r\n" END,
           "404 reason=[No such thing]"),
        OK("HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n" END,
           "HTTP/1.0 200 reason=[OK] 0 length\n"),
        OK("HTTP/1.0 with keep-alive",
           "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n"
           "Content-Length: 0\r\n" END,
           "0 keep-alive length\n"),
        OK("close",
           OK_LINE "Connection: close\r\nContent-Length: 1\r\n" END "x",
           "1 close length body\n"),
        OK("204", "HTTP/1.1 204 No Content\r\n" END, "keep-alive\n.\ncomplete"),
        OK("304 with a length",
           "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n" END,
           "5 keep-alive length\n"),
        OK("a status that nobody knows",
           "HTTP/1.1 599 X\r\nContent-Length: 0\r\n" END, "HTTP/1.1 599"),
        OK("Expect means nothing",
           OK_LINE "Expect: x\r\nContent-Length: 0\r\n" END,
           "0 keep-alive length\n"),
        OK("Host means nothing",
           OK_LINE "Host: a b\r\nHost: c\r\nContent-Length: 0\r\n" END,
           "Host: a b\n"),
        OK_N(2, "interim and final",
             "HTTP/1.1 100 Continue\r\n" END OK_LINE
             "Content-Length: 0\r\n" END,
             "HTTP/1.1 100 reason=[Continue] keep-alive\n.\ncomplete at 25\n"),
        OK_N(2, "early hints",
             "HTTP/1.1 103 Early Hints\r\nLink: x\r\n" END OK_LINE
             "Content-Length: 0\r\n" END,
             "HTTP/1.1 103"),
        OK_N(2, "interim with a length, which has no body",
             "HTTP/1.1 199 X\r\nContent-Length: 5\r\n" END OK_LINE
             "Content-Length: 0\r\n" END,
             "complete at 37\nHTTP/1.1 200"),
        OK("101",
           "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
           "Upgrade: websocket\r\n" END "\201\000",
           "keep-alive upgrade\n"),
        PART("until the end, which has not come", OK_LINE END "hello"),
        OK_END("until the end", OK_LINE END "hello",
               "reason=[OK] until-end body\n.\nbody 5 [hello]\ncomplete at 24"),
        OK_END("until the end, empty", OK_LINE END, ".\ncomplete at 19"),
        OK_END("complete before the end",
               OK_LINE "Content-Length: 1\r\n" END "x", "complete"),
    };

    raw_cases_check(TRANSCRIPT_RESPONSES, cases, ARRAY_SIZE(cases));
}

CASE(bad_responses_are_refused)
{
    static const struct raw_case cases[] = {
        NO(502, "another protocol", "ICY 200 OK\r\n" END),
        NO(502, "RTSP", "RTSP/1.0 200 OK\r\nContent-Length: 0\r\n" END),
        NO(502, "HTTP/2.0", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n" END),
        NO(502, "HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 0\r\n" END),
        NO(502, "two digits", "HTTP/1.1 20 OK\r\n" END),
        NO(502, "four digits", "HTTP/1.1 2000 OK\r\n" END),
        NO(502, "letters", "HTTP/1.1 OK\r\n" END),
        NO(502, "two spaces", "HTTP/1.1  200 OK\r\n" END),
        NO(502, "a status below 100",
           "HTTP/1.1 099 OK\r\nContent-Length: 0\r\n" END),
        NO(502, "an empty line before it",
           "\r\n" OK_LINE "Content-Length: 0\r\n" END),
        NO(502, "ended by LF", "HTTP/1.1 200 OK\nContent-Length: 0\r\n" END),
        NO(502, "a CR in the reason", "HTTP/1.1 200 O\rK\r\n" END),
        NO(502, "two lengths",
           OK_LINE "Content-Length: 1\r\nContent-Length: 2\r\n" END "xx"),
        NO(502, "a list of lengths",
           OK_LINE "Content-Length: 1, 1\r\n" END "x"),
        NO(502, "length and chunked",
           OK_LINE "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n" END
                   "0\r\n\r\n"),
        NO(502, "another coding", OK_LINE "Transfer-Encoding: gzip\r\n" END),
        NO(502, "another coding before chunked",
           OK_LINE "Transfer-Encoding: gzip, chunked\r\n" END "0\r\n\r\n"),
        NO(502, "chunked in HTTP/1.0",
           "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n" END "0\r\n\r\n"),
        NO(502, "a continuation line",
           OK_LINE "A: b\r\n c\r\nContent-Length: 0\r\n" END),
        NO(502, "NUL in a value", OK_LINE "A: \000\r\n" END),
        NO(502, "a bad chunk",
           OK_LINE "Transfer-Encoding: chunked\r\n" END "x\r\n"),
        NO(502, "a request", "GET / HTTP/1.1\r\n" END),
        NO_END(502, "a body that is cut",
               OK_LINE "Content-Length: 5\r\n" END "hell"),
        NO_END(502, "chunks that are cut",
               OK_LINE "Transfer-Encoding: chunked\r\n" END "5\r\nhello\r\n"),
        NO_END(502, "a head that is cut", OK_LINE "Content-"),
    };

    raw_cases_check(TRANSCRIPT_RESPONSES, cases, ARRAY_SIZE(cases));
}

CASE(response_to_head_has_no_body)
{
    static const struct raw_case cases[] = {
        OK("a length", OK_LINE "Content-Length: 5\r\n" END,
           "5 keep-alive length\n"),
        OK("chunked", OK_LINE "Transfer-Encoding: chunked\r\n" END,
           "keep-alive chunked\n"),
        OK("neither", OK_LINE END, "reason=[OK] keep-alive\n"),
        OK_N(2, "interim before it",
             "HTTP/1.1 100 Continue\r\n" END OK_LINE
             "Content-Length: 5\r\n" END,
             "5 keep-alive length\n"),
    };

    raw_cases_check(TRANSCRIPT_RESPONSE_TO_HEAD, cases, ARRAY_SIZE(cases));
}

CASE(response_to_connect_begins_a_tunnel)
{
    static const struct raw_case cases[] = {
        OK("200", OK_LINE END "tunnel",
           "keep-alive upgrade\n.\ncomplete at 19"),
        OK("200 with a length", OK_LINE "Content-Length: 5\r\n" END "tunnel",
           "complete at 38"),
        OK("refused", "HTTP/1.1 403 No\r\nContent-Length: 2\r\n" END "no",
           "2 keep-alive length body\n"),
    };

    raw_cases_check(TRANSCRIPT_RESPONSE_TO_CONNECT, cases, ARRAY_SIZE(cases));
}

/* SPDX-License-Identifier: MIT */
/*
 * raw_case -- tables of raw HTTP messages and what the parser makes of them.
 *
 *     static const struct raw_case cases[] = {
 *         OK("a GET", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1"),
 *         NO(400, "no Host", "GET / HTTP/1.1\r\n\r\n"),
 *     };
 *     raw_cases_check(TRANSCRIPT_REQUESTS, cases, ARRAY_SIZE(cases));
 *
 * Every case is fed whole, byte by byte, and cut in two at every offset, and
 * the transcripts must be equal.
 */
#ifndef WEIR_TEST_NET_SUPPORT_RAW_CASE_H
#define WEIR_TEST_NET_SUPPORT_RAW_CASE_H

#include "net/support/transcript.h"

struct raw_case {
    const char *what;
    const char *bytes;
    size_t size;
    unsigned status;   /* 0: it is not refused */
    unsigned messages; /* that are complete before that */
    bool is_inside;    /* the message is not complete */
    bool ends;         /* the connection ends after the bytes */
    const char *has;   /* a part of the transcript; may be NULL */
};

/* Accepted, as one message. */
#define OK(what, bytes, has)                                                   \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, 0, 1, false, false, has                \
    }
/* Accepted, as n messages. */
#define OK_N(n, what, bytes, has)                                              \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, 0, n, false, false, has                \
    }
/* Accepted at the end of the connection. */
#define OK_END(what, bytes, has)                                               \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, 0, 1, false, true, has                 \
    }
/* Refused. */
#define NO(status, what, bytes)                                                \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, status, 0, false, false, NULL          \
    }
/* Refused after n messages. */
#define NO_AFTER(n, status, what, bytes)                                       \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, status, n, false, false, NULL          \
    }
/* Refused at the end of the connection. */
#define NO_END(status, what, bytes)                                            \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, status, 0, false, true, "ETRUNCATED"   \
    }
/* Not complete. */
#define PART(what, bytes)                                                      \
    {                                                                          \
        what, bytes, sizeof(bytes) - 1, 0, 0, true, false, NULL                \
    }

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))

void raw_cases_check(enum transcript_kind kind, const struct raw_case *cases,
                     size_t count);

#endif /* WEIR_TEST_NET_SUPPORT_RAW_CASE_H */

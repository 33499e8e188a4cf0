/* SPDX-License-Identifier: MIT */
/*
 * load.h -- one run of the client: its options, its counts and its clock.
 *
 * A run is one process with one thread.  It opens the connections, sends
 * SIGTERM to the server at the moment it was told, carries on as an obedient
 * client does, and says on stdout what became of every request.
 */
#ifndef WEIR_TEST_LOAD_LOAD_H
#define WEIR_TEST_LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"

typedef enum kind {
    KIND_POST,         /* keep-alive, Content-Length */
    KIND_CHUNKED,      /* keep-alive, chunked uploads */
    KIND_PIPELINE,     /* several requests outstanding */
    KIND_CONNECT,      /* a connection for each request */
    KIND_IDLE,         /* one request, then another when the server's patience
                         with idle connections ends */
    KIND_STREAM,       /* responses that take a while, in chunks */
    KIND_SLOW,         /* reads large responses slowly */
    KIND_EVENTS,       /* a response that ends only with the server */
    KIND_WEBSOCKET,    /* messages that are echoed */
    KIND_SILENT,       /* never sends a byte */
    KIND_HALF_HEADER,  /* the rest of the header comes after the signal */
    KIND_HALF_BODY,    /* the rest of the body comes after the signal */
    KIND_STUCK_HEADER, /* the rest of the header never comes */
    KIND_STUCK_BODY,   /* the rest of the body never comes */
    KINDS
} kind;

typedef enum count {
    COUNT_SENT,     /* requests handed to the kernel completely */
    COUNT_ANSWERED, /* responses that arrived completely */
    COUNT_CLOSING,  /* responses with Connection: close */
    COUNT_FAILED,   /* complete responses with another status than 200 */
    COUNT_WRONG,    /* complete responses with the wrong body or id */
    COUNT_BAD,      /* not HTTP */
    COUNT_CONNECTED,
    COUNT_REFUSED_BEFORE, /* connections refused before the signal */
    COUNT_REFUSED,        /* connections refused after the signal */
    COUNT_UNHEARD,        /* connections after the signal without any answer */
    COUNT_CONNECT_FAILED, /* connections that failed otherwise */
    COUNT_FIN,            /* connections that the server ended */
    COUNT_RESET,          /* connections that the server reset */
    COUNT_RESET_IDLE,     /* of these, with no request outstanding */
    COUNT_LEFT,           /* connections still open when the run ended */
    COUNT_WS_OPEN,
    COUNT_WS_MESSAGES,
    COUNT_WS_CLOSE_1012,
    COUNT_WS_CLOSE_OTHER,
    COUNT_WS_CUT, /* ended without a close frame */
    COUNTS
} count;

typedef struct options {
    int port;
    int pid;           /* who gets the signal; 0: nobody */
    int signal;        /* SIGTERM */
    int64_t signal_ns; /* when, from the start */
    int64_t run_ns;    /* how long to carry on after it */
    int64_t grace_ns;  /* how long to wait for answers after that */
    int64_t idle_ns;   /* the server's patience with idle connections */
    int64_t think_ns;  /* the longest pause between two requests */
    uint64_t seed;
    uint64_t first_id;
    bool reconnects; /* always; otherwise once after the signal */
    int connections[KINDS];
} options;

typedef struct load {
    options options;
    int epoll;
    int64_t start_ns;
    int64_t now_ns;
    int64_t signal_ns; /* when SIGTERM was sent; 0: not yet */
    bool is_stopping;  /* begin no request any more */
    uint64_t next_id;
    struct random random;
    uint64_t counts[COUNTS];
    int64_t slowest_ns; /* from a request's beginning to its answer */
    int open;           /* connections with something to do */
} load;

/* A number 0 .. limit - 1. */
uint64_t load_random(load *l, uint64_t limit);

/* Nanoseconds of a clock that never goes back. */
int64_t load_clock(void);

/* The text that bodies are taken from: 'a' + i % 26. */
enum { LOAD_TEXT = 1 << 20 };
extern unsigned char load_text[LOAD_TEXT + 32];

const char *load_kind_name(kind k);

#endif

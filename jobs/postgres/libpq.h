/* SPDX-License-Identifier: MIT */
/*
 * libpq -- PostgreSQL's client library, loaded when a store needs it.
 *
 * A program that uses SQLite should neither link libpq nor load it, with the
 * TLS and Kerberos libraries that it brings.  So libweir-jobs is compiled
 * against its header and finds the library by dlopen when a URL of PostgreSQL
 * is opened.  Its ABI has not changed since libpq.so.5.
 */
#ifndef WEIR_JOBS_POSTGRES_LIBPQ_H
#define WEIR_JOBS_POSTGRES_LIBPQ_H

#include <libpq-fe.h>
#include <stdbool.h>

#define WEIR__LIBPQ(X)                                                         \
    X(PQbackendPID)                                                            \
    X(PQclear)                                                                 \
    X(PQconnectPoll)                                                           \
    X(PQconnectStartParams)                                                    \
    X(PQconnectionNeedsPassword)                                               \
    X(PQconnectionUsedPassword)                                                \
    X(PQconninfoFree)                                                          \
    X(PQconninfoParse)                                                         \
    X(PQconsumeInput)                                                          \
    X(PQenterPipelineMode)                                                     \
    X(PQerrorMessage)                                                          \
    X(PQfinish)                                                                \
    X(PQflush)                                                                 \
    X(PQfreemem)                                                               \
    X(PQgetResult)                                                             \
    X(PQgetisnull)                                                             \
    X(PQgetlength)                                                             \
    X(PQgetvalue)                                                              \
    X(PQisBusy)                                                                \
    X(PQnotifies)                                                              \
    X(PQntuples)                                                               \
    X(PQpipelineSync)                                                          \
    X(PQresultErrorField)                                                      \
    X(PQresultStatus)                                                          \
    X(PQsendPrepare)                                                           \
    X(PQsendQuery)                                                             \
    X(PQsendQueryParams)                                                       \
    X(PQsendQueryPrepared)                                                     \
    X(PQsetNoticeReceiver)                                                     \
    X(PQsetnonblocking)                                                        \
    X(PQsocket)                                                                \
    X(PQstatus)

struct weir__libpq {
    void *library;
#define X(name) __typeof__(&name) name;
    WEIR__LIBPQ(X)
#undef X
};

/* Load the library.  Returns false if it is not installed, or too old. */
bool weir__libpq_open(struct weir__libpq *pq);
void weir__libpq_close(struct weir__libpq *pq);

#endif /* WEIR_JOBS_POSTGRES_LIBPQ_H */

/* SPDX-License-Identifier: MIT */
/*
 * builtins -- the table of all builtins.
 *
 * A row X(NAME, name) is all that the rest of the host knows of a builtin: its
 * number, WEIR__JS_NAME, by which it finds its class and its state, and its
 * definition, weir__js_name_builtin (core/builtin.h), which is in the builtin's
 * own file.
 *
 * A host begins them in this order, and drops them in this order too: those
 * that hold values of others come before them, the workers first.
 */
#ifndef WEIR_JS_BUILTINS_H
#define WEIR_JS_BUILTINS_H

#define WEIR__JS_BUILTINS(X)                                                   \
    X(WORKER, worker)                                                          \
    X(SIGNAL, signal)                                                          \
    X(CHILD, child)                                                            \
    X(SYNC_CHILD, sync_child)                                                  \
    X(VIRTUAL, virtual)                                                        \
    X(SAVE, save)                                                              \
    X(METRICS, metrics)                                                        \
    X(HEAP, heap)                                                              \
    X(PENDING, pending)                                                        \
    X(PROFILE, profile)                                                        \
    X(JOBS_WORKER, jobs_worker)                                                \
    X(JOBS_CLAIM, jobs_claim)                                                  \
    X(JOBS, jobs)                                                              \
    X(NODE_SERVER, node_server)                                                \
    X(NODE_EXCHANGE, node_exchange)                                            \
    X(NODE_PEER, node_peer)                                                    \
    X(NODE_HEAD, node_head)                                                    \
    X(NODE_REPLY, node_reply)                                                  \
    X(NODE_PARSER, node_parser)                                                \
    X(HTTP_SERVER, http_server)                                                \
    X(TRACE, trace)                                                            \
    X(WEBSOCKET, websocket)                                                    \
    X(FETCH, fetch)                                                            \
    X(SOURCE, source)                                                          \
    X(ANSWER, answer)                                                          \
    X(REQUEST, request)                                                        \
    X(RESPONSE, response)                                                      \
    X(BODY, body)                                                              \
    X(ORDER, order)                                                            \
    X(HEADERS, headers)                                                        \
    X(STREAM, stream)                                                          \
    X(HANDLE, handle)                                                          \
    X(SERVER, server)                                                          \
    X(DESCRIPTOR, descriptor)                                                  \
    X(DATAGRAM, datagram)                                                      \
    X(RESOLVER, resolver)                                                      \
    X(SECURE, secure)                                                          \
    X(SECURE_INFO, secure_info)                                                \
    X(SECURE_CONTEXT, secure_context)                                          \
    X(X509, x509)                                                              \
    X(ADDRESS, address)                                                        \
    X(NET_BUFFER, net_buffer)                                                  \
    X(TIMEOUT, timeout)                                                        \
    X(IMMEDIATE, immediate)                                                    \
    X(DELAY, delay)                                                            \
    X(CLOCK, clock)                                                            \
    X(WAITERS, waiters)                                                        \
    X(ATOMICS, atomics)                                                        \
    X(EXPLORE, explore)                                                        \
    X(SERVICE, service)                                                        \
    X(TICKET, ticket)                                                          \
    X(POOL, pool)                                                              \
    X(POOL_WORKER, pool_worker)                                                \
    X(PORT, port)                                                              \
    X(BROADCAST, broadcast)                                                    \
    X(CLONE, clone)                                                            \
    X(GROWABLE, growable)                                                      \
    X(SHARED, shared)                                                          \
    X(RESIZABLE, resizable)                                                    \
    X(PROGRAM, program)                                                        \
    X(PROCESS, process)                                                        \
    X(PERMISSION, permission)                                                  \
    X(IDENTITY, identity)                                                      \
    X(USAGE, usage)                                                            \
    X(ENV, env)                                                                \
    X(MODULE, module)                                                          \
    X(CATALOG, catalog)                                                        \
    X(CACHE, cache)                                                            \
    X(IMPORT, import)                                                          \
    X(REPL, repl)                                                              \
    X(REALM, realm)                                                            \
    X(SCRIPT, script)                                                          \
    X(FS, fs)                                                                  \
    X(FS_CONSTANTS, fs_constants)                                              \
    X(WATCH, watch)                                                            \
    X(BYTES, bytes)                                                            \
    X(OS, os)                                                                  \
    X(NETWORK, network)                                                        \
    X(CWD, cwd)                                                                \
    X(RANDOM, random)                                                          \
    X(HASH, hash)                                                              \
    X(DERIVE, derive)                                                          \
    X(KEY, key)                                                                \
    X(KEY_ENCODING, key_encoding)                                              \
    X(GENERATE, generate)                                                      \
    X(SIGN, sign)                                                              \
    X(CIPHER, cipher)                                                          \
    X(ASYMMETRIC, asymmetric)                                                  \
    X(DH, dh)                                                                  \
    X(ECDH, ecdh)                                                              \
    X(PRIME, prime)                                                            \
    X(WHOLE, whole)                                                            \
    X(ZLIB, zlib)                                                              \
    X(SQLITE_STATEMENT, sqlite_statement)                                      \
    X(SQLITE_SESSION, sqlite_session)                                          \
    X(SQLITE_BACKUP, sqlite_backup)                                            \
    X(SQLITE, sqlite)                                                          \
    X(SQLITE_FUNCTION, sqlite_function)                                        \
    X(SQLITE_JOB, sqlite_job)                                                  \
    X(INTL_OBJECT, intl_object)                                                \
    X(INTL_FUNCTIONS, intl_functions)                                          \
    X(INTL_CASING, intl_casing)                                                \
    X(INTL_LOCALE, intl_locale)                                                \
    X(INTL_VALUES, intl_values)                                                \
    X(INTL_SEGMENTER, intl_segmenter)                                          \
    X(INTL_COLLATOR, intl_collator)                                            \
    X(INTL_NUMBER, intl_number)                                                \
    X(INTL_PLURAL, intl_plural)                                                \
    X(INTL_DATE, intl_date)                                                    \
    X(INTL_INTERVAL, intl_interval)                                            \
    X(INTL_PATTERN, intl_pattern)                                              \
    X(INTL_ZONE, intl_zone)                                                    \
    X(INTL_LIST, intl_list)                                                    \
    X(INTL_RELATIVE, intl_relative)                                            \
    X(BUFFER, buffer)                                                          \
    X(ENCODING, encoding)                                                      \
    X(READABLE, readable)                                                      \
    X(WRITABLE, writable)                                                      \
    X(TRANSFORM, transform)                                                    \
    X(EVENTS, events)                                                          \
    X(CONTEXT, context)                                                        \
    X(INSPECT, inspect)                                                        \
    X(URL, url)                                                                \
    X(LATER, later)                                                            \
    X(GLOBALS, globals)

enum {
#define X(NAME, name) WEIR__JS_##NAME,
    WEIR__JS_BUILTINS(X)
#undef X
        WEIR__JS_BUILTIN_COUNT
};

#endif /* WEIR_JS_BUILTINS_H */

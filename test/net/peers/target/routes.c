/* SPDX-License-Identifier: MIT */
/*
 * routes.c -- what a request asks for, and the log.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "routes.h"

int target_log = -1;

void target_complain(const char *what, int err)
{
    if (err == 0 || err == WEIR_ECLOSED)
        return; /* clients may leave at any time */
    fprintf(stderr, "target: %s: %s\n", what, weir_error_text(err));
}

int64_t target_number(const weir_http_request *request, const char *name,
                      int64_t otherwise)
{
    weir_bytes query = weir_http_query(request);
    char text[256];
    size_t length = strlen(name);
    if (query.size >= sizeof text)
        return otherwise;
    memcpy(text, query.data, query.size);
    text[query.size] = '\0';
    for (char *at = text; at != NULL; at = strchr(at, '&')) {
        at += *at == '&';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return strtoll(at + length + 1, NULL, 10);
    }
    return otherwise;
}

void target_fill_id(target_id *id, const weir_http_request *request)
{
    int length = snprintf(id->text, sizeof id->text, "%" PRId64,
                          target_number(request, "id", 0));
    id->field = (weir_http_field)WEIR_HTTP_FIELD("X-Id", "");
    id->field.value = (weir_bytes){id->text, (size_t)length};
}

void target_record(const weir_http_request *request, size_t body_bytes)
{
    weir_bytes method = weir_http_method(request);
    weir_bytes target = weir_http_target(request);
    char line[16384];
    if (target_log < 0)
        return;
    int length =
        snprintf(line, sizeof line, "%.*s %.*s %zu\n", (int)method.size,
                 (const char *)method.data, (int)target.size,
                 (const char *)target.data, body_bytes);
    if (write(target_log, line, (size_t)length) != length)
        abort();
}

static void answer(weir_http_request *request, unsigned status, weir_bytes body)
{
    target_id id;
    target_fill_id(&id, request);
    target_complain(
        "respond", weir_http_respond_with(request, status, &id.field, 1, body));
}

/* What a handler must not do: keep the loop from everything else. */
static void block(weir_http_request *request)
{
    int64_t ms = target_number(request, "ms", 10);
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* The request is here, with its body. */
static void execute(void *arg, weir_http_request *request, int status,
                    weir_bytes body)
{
    static const weir_bytes ok = WEIR_BYTES_OF("OK\n");
    if (status == WEIR_ELIMIT)
        answer(request, 413, ok);
    if (status != 0)
        return;
    target_record(request, body.size);
    if (weir_http_is(request, "GET", "/block"))
        block(request);
    if (weir_http_is(request, "GET", "/stream") ||
        weir_http_is(request, "GET", "/events"))
        target_stream(request);
    else if (weir_http_is(request, "GET", "/large"))
        target_large(request);
    else if (weir_http_is(request, "GET", "/slow"))
        target_slow(request);
    else
        answer(request, 200,
               weir_http_is(request, "POST", "/echo") ? body : ok);
}

void routes_on_request(void *arg, weir_http_request *request)
{
    if (weir_http_is(request, "GET", "/ws"))
        target_websocket(request);
    else
        target_complain("collect", weir_http_collect(request, TARGET_BODY_BYTES,
                                                     execute, NULL));
}

/* SPDX-License-Identifier: MIT */
/*
 * request -- a request as its handler sees it: head, body, references.
 *
 * The connection holds one reference to a request, until the response has been
 * sent or the connection has ended.  Users may hold others.  The texts of the
 * head lie in the connection's input at first; the connection copies them
 * before the input becomes invalid.
 *
 * Each shard keeps one request for the next, so a server that answers at once
 * allocates none.
 *
 * Thread    The loop's.
 */
#include <errno.h>
#include <string.h>

#include "http/conn.h"
#include "http/header.h"
#include "os/socket.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"

/* A body that is read into memory. */
struct weir__http_collect {
    weir_http_body_fn *fn;
    void *arg;
    char *data;
    size_t size, capacity, limit;
};

/* ---- life ---- */

weir_http_request *weir__http_request_new(struct weir__http_conn *conn)
{
    struct weir__http_shard *shard = conn->shard;
    weir_http_request *request = shard->spare;

    shard->spare = NULL;
    if (request == NULL)
        request = weir_memory_alloc(sizeof(*request));
    if (request == NULL)
        return NULL;
    memset(request, 0, sizeof(*request));
    request->conn = conn;
    request->message = conn->parser.message;
    request->refs = 1;
    request->file = -1;
    request->has_continued = !(request->message->flags & WEIR__HTTP_CONTINUE);
    return request;
}

static void free_collect(weir_http_request *request)
{
    struct weir__http_collect *collect = request->collect;

    if (collect == NULL)
        return;
    request->collect = NULL;
    weir_memory_free(collect->data, collect->capacity);
    weir_memory_free(collect, sizeof(*collect));
}

static void free_request(weir_http_request *request)
{
    struct weir__http_shard *shard =
        request->conn != NULL ? request->conn->shard : NULL;

    free_collect(request);
    if (request->owns_message)
        weir__http_message_free(request->message);
    if (request->file >= 0)
        weir__socket_close(request->file);
    if (shard != NULL && shard->spare == NULL)
        shard->spare = request;
    else
        weir_memory_free(request, sizeof(*request));
}

void weir_http_request_ref(weir_http_request *request)
{
    request->refs++;
}

void weir_http_request_unref(weir_http_request *request)
{
    if (--request->refs == 0)
        free_request(request);
}

/* Without memory for the copy, the head is empty. */
void weir__http_request_keep(weir_http_request *request)
{
    struct weir__http_message *message = request->message;

    if (!request->owns_message || weir__http_message_keep(message) == 0)
        return;
    message->field_count = message->trailer_count = 0;
    message->target = message->path = (struct weir__http_span){0, 0};
    message->authority = message->target;
    message->head.data = message->trailer.data = "";
    message->head.size = message->trailer.size = 0;
}

void weir__http_request_release(weir_http_request *request)
{
    if (request->refs > 1) { /* the user may hold the request longer */
        weir__http_request_keep(request);
        request->conn = NULL;
    }
    weir_http_request_unref(request);
}

/* ---- callbacks ---- */

/* A callback of the user may leave by weir_raise.  It must not leave the
 * functions of the connection that have called it: they hold references, and
 * the input points to their stack. */

static void call(void *arg, int status)
{
    weir_http_request *request = arg;

    request->called(request->called_arg, request, status);
}

void weir__http_request_call(weir_http_request *request,
                             weir_http_request_fn *fn, void *arg, int status)
{
    weir_http_request_ref(request);
    request->called = fn;
    request->called_arg = arg;
    if (!weir_loop_contain(call, request, status))
        weir__http_request_raised(request);
    weir_http_request_unref(request);
}

void weir__http_request_end(weir_http_request *request, int status)
{
    weir_http_request_fn *fn = request->on_end;

    if (request->is_over)
        return;
    request->is_over = true;
    /* The end of a body that was empty may still be posted (weir_http_read):
     * nothing comes after on_end. */
    weir__http_request_give(request, status == 0 ? WEIR_EEOF : status,
                            (weir_bytes){NULL, 0});
    request->on_end = request->on_drain = request->on_writable = NULL;
    if (fn != NULL)
        weir__http_request_call(request, fn, request->end_arg, status);
}

void weir__http_request_drain(weir_http_request *request)
{
    weir_http_request_fn *fn = request->on_drain;

    if (request->is_drain_told || request->is_over || fn == NULL)
        return;
    request->is_drain_told = true;
    weir__http_request_call(request, fn, request->drain_arg, 0);
}

/* Whether a function for an event can be set; `set` is the one before. */
static int check_event(const weir_http_request *request,
                       weir_http_request_fn *set)
{
    if (request->conn == NULL || request->is_over)
        return WEIR_ECLOSED;
    return set != NULL ? -EBUSY : 0;
}

int weir_http_request_on_end(weir_http_request *request,
                             weir_http_request_fn *fn, void *arg)
{
    int err;

    if (request == NULL || fn == NULL)
        return -EINVAL;
    err = check_event(request, request->on_end);
    if (err != 0)
        return err;
    request->on_end = fn;
    request->end_arg = arg;
    return 0;
}

static void tell_late(void *arg, int status)
{
    weir_http_request *request = arg;

    if (status == 0)
        weir__http_request_drain(request);
    weir_http_request_unref(request);
}

int weir_http_request_on_drain(weir_http_request *request,
                               weir_http_request_fn *fn, void *arg)
{
    int err;

    if (request == NULL || fn == NULL)
        return -EINVAL;
    err = check_event(request, request->on_drain);
    if (err != 0)
        return err;
    request->on_drain = fn;
    request->drain_arg = arg;
    if (!weir_connection_is_draining(&request->conn->word))
        return 0;
    weir_http_request_ref(request);
    if (weir_loop_next_tick(request->conn->shard->loop, tell_late, request) !=
        0)
        weir_http_request_unref(request); /* then the deadline tells it */
    return 0;
}

/* ---- the head ---- */

weir_bytes weir_http_method(const weir_http_request *request)
{
    return weir__http_method_name(request->message->method);
}

weir_bytes weir_http_target(const weir_http_request *request)
{
    return weir__http_target(request->message);
}

weir_bytes weir_http_path(const weir_http_request *request)
{
    weir_bytes path = weir__http_path(request->message);
    const char *query = memchr(path.data, '?', path.size);

    if (query != NULL)
        path.size = (size_t)(query - (const char *)path.data);
    return path;
}

weir_bytes weir_http_query(const weir_http_request *request)
{
    weir_bytes path = weir__http_path(request->message);
    const char *query = memchr(path.data, '?', path.size);
    size_t before;

    if (query == NULL)
        return (weir_bytes){(const char *)path.data + path.size, 0};
    before = (size_t)(query + 1 - (const char *)path.data);
    return (weir_bytes){query + 1, path.size - before};
}

static bool is_text(weir_bytes bytes, const char *text)
{
    return strlen(text) == bytes.size &&
           memcmp(bytes.data, text, bytes.size) == 0;
}

bool weir_http_is(const weir_http_request *request, const char *method,
                  const char *path)
{
    return (method == NULL || is_text(weir_http_method(request), method)) &&
           is_text(weir_http_path(request), path);
}

weir_bytes weir_http_field_of(const weir_http_request *request,
                              const char *name)
{
    return weir__http_get(request->message, (weir_bytes){name, strlen(name)});
}

bool weir_http_field_at(const weir_http_request *request, size_t index,
                        weir_http_field *field)
{
    const struct weir__http_message *message = request->message;

    if (index >= message->field_count)
        return false;
    field->name = weir__http_name(message, index);
    field->value = weir__http_value(message, index);
    return true;
}

bool weir_http_trailer_at(const weir_http_request *request, size_t index,
                          weir_http_field *field)
{
    const struct weir__http_message *message = request->message;

    if (index >= message->trailer_count)
        return false;
    field->name = weir__http_name(message, message->field_count + index);
    field->value = weir__http_value(message, message->field_count + index);
    return true;
}

unsigned weir_http_version(const weir_http_request *request)
{
    return 10u + request->message->minor;
}

unsigned weir_http_status(const weir_http_request *request)
{
    return request->status;
}

int64_t weir_http_body_size(const weir_http_request *request)
{
    const struct weir__http_message *message = request->message;

    if (!(message->flags & WEIR__HTTP_BODY))
        return 0;
    return message->flags & WEIR__HTTP_LENGTH ? (int64_t)message->content_length
                                              : -1;
}

weir_stream *weir_http_stream(const weir_http_request *request)
{
    return request->conn != NULL ? request->conn->stream : NULL;
}

weir_loop *weir_http_loop(const weir_http_request *request)
{
    return request->conn != NULL ? request->conn->shard->loop : NULL;
}

void weir_http_set_data(weir_http_request *request, void *data)
{
    request->data = data;
}

void *weir_http_data(const weir_http_request *request)
{
    return request->data;
}

/* ---- the body ---- */

bool weir__http_request_wants_body(const weir_http_request *request)
{
    return request->is_discarding || (request->was_read && !request->is_paused);
}

static void call_reader(void *arg, int status)
{
    weir_http_request *request = arg;
    weir_http_body_fn *fn = request->read_fn;

    if (status != 0)
        request->read_fn = NULL;
    fn(request->read_arg, request, status, request->given);
}

void weir__http_request_give(weir_http_request *request, int status,
                             weir_bytes bytes)
{
    if (request->read_fn == NULL)
        return;
    weir_http_request_ref(request);
    request->given = bytes;
    if (!weir_loop_contain(call_reader, request, status))
        weir__http_request_raised(request);
    weir_http_request_unref(request);
}

static void give_end(weir_task *task, int status)
{
    weir_http_request *request =
        (weir_http_request *)((char *)task - offsetof(weir_http_request, end));

    weir__http_request_give(request, status == 0 ? WEIR_EEOF : status,
                            (weir_bytes){NULL, 0});
    weir_http_request_unref(request);
}

/* Only a host reads on when the response has ended. */
static int check_reader(const weir_http_request *request)
{
    if (request->conn == NULL || request->is_over ||
        (request->is_discarding && !request->is_complete) ||
        (request->reply == WEIR__REPLY_ENDED &&
         request->conn->shard->server->guest == NULL))
        return WEIR_ECLOSED;
    return request->was_read ? -EBUSY : 0;
}

int weir_http_read(weir_http_request *request, weir_http_body_fn *fn, void *arg)
{
    struct weir__http_conn *conn;
    int err;

    if (request == NULL || fn == NULL)
        return -EINVAL;
    err = check_reader(request);
    if (err != 0)
        return err;
    conn = request->conn;
    if (request->is_complete) { /* there is no body: only its end */
        request->end = (weir_task){.run = give_end, .name = "body"};
        err = weir_loop_post(conn->shard->loop, &request->end);
        if (err != 0)
            return err;
        weir_http_request_ref(request);
    }
    request->was_read = true;
    request->read_fn = fn;
    request->read_arg = arg;
    if (!request->has_continued)
        weir__http_send_continue(conn);
    if (!request->is_complete && conn->input == NULL)
        weir__http_conn_resume(conn);
    return 0;
}

void weir_http_pause(weir_http_request *request)
{
    const struct weir__http_conn *conn = request->conn;
    const struct weir__http_guest *guest =
        conn != NULL ? conn->shard->server->guest : NULL;

    /* After the response, the next request waits. */
    request->is_paused = request->reply != WEIR__REPLY_ENDED || guest == NULL ||
                         guest->options.reads_late;
}

void weir_http_resume(weir_http_request *request)
{
    request->is_paused = false;
    if (request->conn != NULL && request->conn->request == request &&
        !request->is_complete)
        weir__http_conn_resume(request->conn);
}

/* ---- a body in memory ---- */

static int append(struct weir__http_collect *collect, weir_bytes bytes)
{
    size_t capacity = collect->capacity > 0 ? collect->capacity : 4096;
    char *data;

    if (bytes.size > collect->limit - collect->size)
        return WEIR_ELIMIT;
    while (capacity < collect->size + bytes.size)
        capacity *= 2;
    if (capacity > collect->capacity) {
        data = weir_memory_alloc(capacity);
        if (data == NULL)
            return -ENOMEM;
        if (collect->size > 0)
            memcpy(data, collect->data, collect->size);
        weir_memory_free(collect->data, collect->capacity);
        collect->data = data;
        collect->capacity = capacity;
    }
    memcpy(collect->data + collect->size, bytes.data, bytes.size);
    collect->size += bytes.size;
    return 0;
}

static void on_piece(void *arg, weir_http_request *request, int status,
                     weir_bytes bytes)
{
    struct weir__http_collect *collect = request->collect;
    weir_bytes body;

    if (status == 0)
        status = append(collect, bytes);
    if (status == 0)
        return;
    if (status == WEIR_EEOF)
        status = 0;
    else
        request->is_discarding = true;
    request->read_fn = NULL;
    body = (weir_bytes){collect->data, status == 0 ? collect->size : 0};
    collect->fn(collect->arg, request, status, body);
    free_collect(request); /* with the request, if fn raises */
}

int weir_http_collect(weir_http_request *request, size_t limit_bytes,
                      weir_http_body_fn *fn, void *arg)
{
    struct weir__http_collect *collect;
    int err;

    if (request == NULL || fn == NULL)
        return -EINVAL;
    err = check_reader(request);
    if (err != 0)
        return err;
    collect = weir_memory_alloc(sizeof(*collect));
    if (collect == NULL)
        return -ENOMEM;
    *collect = (struct weir__http_collect){fn, arg, NULL, 0, 0, limit_bytes};
    request->collect = collect;
    err = weir_http_read(request, on_piece, NULL);
    if (err != 0)
        free_collect(request);
    return err;
}

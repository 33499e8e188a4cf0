/* SPDX-License-Identifier: MIT */
/*
 * fetch -- the life of a fetch, and the functions for its owner.
 *
 *     WAITING -> BUSY -> ENDED          back to WAITING: redirect, repetition
 *
 * The end   A complete response ends its fetch while it is being read.  In
 *           every other case, such as a call of the owner, a task ends the
 *           fetch.  So on_end is never called inside a call.
 * Memory    One reference is the library's, until on_end has returned.  Method
 *           and fields are one block; the bytes of the body are the owner's.
 * Time      One timer for both deadlines.  A later deadline is only stored; the
 *           timer is restarted when it fires too early.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "http/client.h"
#include "http/format.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"

/* ---- its memory ---- */

static void free_fetch(weir_fetch *fetch)
{
    weir__fetch_drop_response(fetch);
    weir__fetch_collect_free(&fetch->collect);
    weir__http_url_fini(&fetch->url);
    weir_memory_free(fetch->block, fetch->block_size);
    weir_memory_free(fetch, sizeof(*fetch));
}

void weir_fetch_ref(weir_fetch *fetch)
{
    fetch->refs++;
}

void weir_fetch_unref(weir_fetch *fetch)
{
    if (--fetch->refs == 0)
        free_fetch(fetch);
}

void weir__fetch_drop_response(weir_fetch *fetch)
{
    if (fetch->owns_message)
        weir__http_message_free(fetch->message);
    fetch->message = NULL;
    fetch->owns_message = false;
    weir__http_inflate_free(fetch->inflate);
    fetch->inflate = NULL;
}

void weir__fetch_keep_message(weir_fetch *fetch)
{
    if (fetch->owns_message && weir__http_message_keep(fetch->message) != 0)
        weir__fetch_drop_response(fetch);
}

void weir__fetch_set_reason(weir_fetch *fetch, const char *reason)
{
    size_t size = strlen(reason);

    if (size >= sizeof(fetch->reason))
        size = sizeof(fetch->reason) - 1;
    memcpy(fetch->reason, reason, size);
    fetch->reason[size] = '\0';
}

/* ---- its deadlines ---- */

static int64_t deadline_of(const weir_fetch *fetch)
{
    int64_t total = fetch->total_deadline_ns;
    int64_t header = fetch->header_deadline_ns;

    return total == 0 || (header != 0 && header < total) ? header : total;
}

int64_t weir__fetch_deadline(int64_t limit_ns)
{
    int64_t now_ns = weir_clock_now();

    return limit_ns < 0 || limit_ns > INT64_MAX - now_ns ? 0
                                                         : now_ns + limit_ns;
}

static void stop_alarm(weir_fetch *fetch)
{
    if (fetch->alarm_ns != 0)
        (void)!weir_timer_cancel(fetch->client->loop, fetch->alarm);
    fetch->alarm_ns = 0;
}

void weir__fetch_stop(weir_fetch *fetch, int status)
{
    weir_http_client *client = fetch->client;

    if (fetch->phase == WEIR__FETCH_ENDED)
        return;
    if (fetch->link != NULL)
        weir__http_exchange_leave(fetch);
    else if (fetch->origin != NULL)
        weir__http_pool_withdraw(fetch);
    weir__http_client_ref(client);
    weir__fetch_end_soon(fetch, status);
    weir__http_pool_serve(client);
    weir__http_client_unref(client);
}

static void on_alarm(void *arg, int status)
{
    weir_fetch *fetch = arg;
    int64_t deadline_ns = deadline_of(fetch);

    fetch->alarm_ns = 0;
    if (status != 0 || deadline_ns == 0)
        return;
    if (weir_clock_now() < deadline_ns)
        (void)!weir__fetch_check_alarm(fetch);
    else
        weir__fetch_stop(fetch, -ETIMEDOUT);
}

int weir__fetch_check_alarm(weir_fetch *fetch)
{
    int64_t deadline_ns = deadline_of(fetch);
    int err;

    if (deadline_ns == 0 ||
        (fetch->alarm_ns != 0 && fetch->alarm_ns <= deadline_ns))
        return 0;
    stop_alarm(fetch);
    err = weir_timer_start_at(fetch->client->loop, &fetch->alarm, deadline_ns,
                              on_alarm, fetch);
    if (err == 0)
        fetch->alarm_ns = deadline_ns;
    return err;
}

/* ---- its end ---- */

/* Nothing happens to the fetch any more. */
static void leave_client(weir_fetch *fetch, int status)
{
    fetch->phase = WEIR__FETCH_ENDED;
    fetch->status = status;
    fetch->total_deadline_ns = fetch->header_deadline_ns = 0;
    stop_alarm(fetch);
    *fetch->at = fetch->next;
    if (fetch->next != NULL)
        fetch->next->at = fetch->at;
}

static void call_end(void *arg, int status)
{
    weir_fetch *fetch = arg;

    fetch->on_end(fetch->arg, fetch, status);
}

/* on_end may leave by weir_raise: the client goes on. */
static void tell_end(weir_fetch *fetch)
{
    weir_http_client *client = fetch->client;

    (void)weir_loop_contain(call_end, fetch, fetch->status);
    weir__fetch_collect_free(&fetch->collect);
    weir_fetch_unref(fetch);
    client->fetch_count--;
    weir__http_client_check_drained(client);
    weir__http_client_unref(client);
}

void weir__fetch_end(weir_fetch *fetch, int status)
{
    leave_client(fetch, status);
    tell_end(fetch);
}

static void run_end(weir_task *task, int status)
{
    tell_end((weir_fetch *)((char *)task - offsetof(weir_fetch, end_task)));
}

void weir__fetch_end_soon(weir_fetch *fetch, int status)
{
    leave_client(fetch, status);
    fetch->end_task = (weir_task){.run = run_end, .name = "fetch"};
    if (weir_loop_post_expected(fetch->client->loop, &fetch->end_task) != 0)
        tell_end(fetch); /* the loop has ended */
}

void weir_fetch_abort(weir_fetch *fetch)
{
    if (fetch != NULL)
        weir__fetch_stop(fetch, WEIR_ECANCELED);
}

void weir__fetch_call(weir_fetch *fetch, weir_fn *call)
{
    if (!weir_loop_contain(call, fetch, 0))
        weir_fetch_abort(fetch);
}

/* ---- its beginning ---- */

/* Check what the owner wants to send.  Returns 0 or -EINVAL. */
static int check_request(const weir_fetch_options *options, weir_bytes method)
{
    int names;

    if (options->url == NULL || options->on_end == NULL ||
        (options->fields == NULL && options->field_count > 0) ||
        (options->body.data == NULL && options->body.size > 0) ||
        (options->is_streaming && options->body.size > 0) ||
        (options->is_streaming && options->on_writable == NULL))
        return -EINVAL;
    if (weir__http_method_check(method) != 0 ||
        (method.size == 7 && memcmp(method.data, "CONNECT", 7) == 0))
        return -EINVAL;
    names = weir__http_fields_check(options->fields, options->field_count);
    if (names < 0 || names & (WEIR__HTTP_HAS_LENGTH | WEIR__HTTP_HAS_CODING |
                              WEIR__HTTP_HAS_CONNECTION |
                              WEIR__HTTP_HAS_UPGRADE | WEIR__HTTP_HAS_TRAILER))
        return -EINVAL;
    return 0;
}

static weir_bytes copy_bytes(char **to, weir_bytes from)
{
    weir_bytes copy = {*to, from.size};

    if (from.size > 0)
        memcpy(*to, from.data, from.size);
    *to += from.size;
    return copy;
}

/* Copy the method and the fields into one block. */
static int copy_request(weir_fetch *fetch, const weir_fetch_options *options,
                        weir_bytes method)
{
    size_t count = options->field_count;
    size_t size = count * sizeof(weir_http_field) + method.size;
    char *to;

    for (size_t i = 0; i < count; i++)
        size += options->fields[i].name.size + options->fields[i].value.size;
    fetch->block = weir_memory_alloc(size);
    if (fetch->block == NULL)
        return -ENOMEM;
    fetch->block_size = size;
    fetch->fields = (weir_http_field *)(void *)fetch->block;
    fetch->field_count = count;
    to = fetch->block + count * sizeof(weir_http_field);
    fetch->method = copy_bytes(&to, method);
    for (size_t i = 0; i < count; i++) {
        fetch->fields[i].name = copy_bytes(&to, options->fields[i].name);
        fetch->fields[i].value = copy_bytes(&to, options->fields[i].value);
    }
    return 0;
}

static void copy_options(weir_fetch *fetch, const weir_fetch_options *options)
{
    int kind = weir__http_method_find(fetch->method);

    fetch->kind = (uint8_t)(kind < 0 ? WEIR__HTTP_GET : kind);
    fetch->body = options->body;
    fetch->is_streaming = options->is_streaming;
    fetch->stream_size = options->stream_size < 0 ? -1 : options->stream_size;
    fetch->is_raw = options->is_raw;
    fetch->is_always_decoded = options->is_always_decoded;
    /* One more than may be followed, so that 0 means that none are. */
    fetch->redirects = options->redirects;
    if (fetch->redirects > 0 && fetch->redirects < UINT32_MAX)
        fetch->redirects++;
    fetch->arg = options->arg;
    fetch->on_head = options->on_head;
    fetch->on_body = options->on_body;
    fetch->on_end = options->on_end;
    fetch->on_writable = options->on_writable;
    fetch->total_ns = options->total_ns != 0 ? options->total_ns
                                             : fetch->client->options.total_ns;
}

static int make_fetch(weir_fetch **made, weir_http_client *client,
                      const weir_fetch_options *options, weir_bytes method)
{
    weir_fetch *fetch = weir_memory_alloc(sizeof(*fetch));
    int err;

    if (fetch == NULL)
        return -ENOMEM;
    memset(fetch, 0, sizeof(*fetch));
    fetch->client = client;
    fetch->refs = 1;
    err = copy_request(fetch, options, method);
    if (err == 0)
        err = weir__http_url_parse(
            &fetch->url, (weir_bytes){options->url, strlen(options->url)},
            NULL);
    if (err != 0) {
        free_fetch(fetch);
        return err;
    }
    copy_options(fetch, options);
    *made = fetch;
    return 0;
}

static int begin_fetch(weir_fetch *fetch)
{
    weir_http_client *client = fetch->client;
    int err;

    if (fetch->total_ns != 0)
        fetch->total_deadline_ns = weir__fetch_deadline(fetch->total_ns);
    err = weir__fetch_check_alarm(fetch);
    if (err == 0)
        err = weir__http_pool_request(fetch, false);
    if (err != 0) {
        stop_alarm(fetch);
        return err;
    }
    fetch->next = client->fetches;
    fetch->at = &client->fetches;
    if (fetch->next != NULL)
        fetch->next->at = &fetch->next;
    client->fetches = fetch;
    client->fetch_count++;
    weir__http_client_ref(client);
    return 0;
}

int weir_fetch_start(weir_http_client *client, weir_fetch **made,
                     const weir_fetch_options *given)
{
    weir_fetch_options options;
    weir_fetch *fetch;
    weir_bytes method = WEIR_BYTES_OF("GET");
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (client == NULL)
        return -EINVAL;
    if (options.method != NULL)
        method = (weir_bytes){options.method, strlen(options.method)};
    err = check_request(&options, method);
    if (err != 0)
        return err;
    if (client->is_closed)
        return WEIR_ECLOSED;
    err = make_fetch(&fetch, client, &options, method);
    if (err != 0)
        return err;
    err = begin_fetch(fetch);
    if (err != 0) {
        free_fetch(fetch);
        return err;
    }
    if (made != NULL)
        *made = fetch;
    return 0;
}

/* ---- back-pressure ---- */

void weir_fetch_pause(weir_fetch *fetch)
{
    fetch->is_paused = true;
    if (fetch->link != NULL)
        weir__http_exchange_pause(fetch->link);
}

void weir_fetch_resume(weir_fetch *fetch)
{
    if (!fetch->is_paused)
        return;
    fetch->is_paused = false;
    if (fetch->link != NULL)
        weir__http_exchange_resume(fetch->link);
}

/* ---- the response ---- */

unsigned weir_fetch_status(const weir_fetch *fetch)
{
    return fetch->message != NULL ? fetch->message->status : 0;
}

weir_bytes weir_fetch_field_of(const weir_fetch *fetch, const char *name)
{
    if (fetch->message == NULL)
        return (weir_bytes){NULL, 0};
    return weir__http_get(fetch->message, (weir_bytes){name, strlen(name)});
}

static bool get_field(const weir_fetch *fetch, size_t n, weir_http_field *field)
{
    field->name = weir__http_name(fetch->message, n);
    field->value = weir__http_value(fetch->message, n);
    return true;
}

bool weir_fetch_field_at(const weir_fetch *fetch, size_t index,
                         weir_http_field *field)
{
    return fetch->message != NULL && index < fetch->message->field_count &&
           get_field(fetch, index, field);
}

bool weir_fetch_trailer_at(const weir_fetch *fetch, size_t index,
                           weir_http_field *field)
{
    return fetch->message != NULL && index < fetch->message->trailer_count &&
           get_field(fetch, fetch->message->field_count + index, field);
}

weir_bytes weir_fetch_status_text(const weir_fetch *fetch)
{
    const struct weir__http_message *message = fetch->message;

    if (message == NULL)
        return (weir_bytes){NULL, 0};
    return (weir_bytes){message->head.data + message->reason.at,
                        message->reason.size};
}

bool weir_fetch_is_decoded(const weir_fetch *fetch)
{
    return fetch->inflate != NULL;
}

int64_t weir_fetch_body_size(const weir_fetch *fetch)
{
    const struct weir__http_message *message = fetch->message;

    if (message == NULL)
        return -1;
    if (message->flags & WEIR__HTTP_LENGTH &&
        message->content_length <= INT64_MAX)
        return (int64_t)message->content_length;
    return message->flags & WEIR__HTTP_BODY ? -1 : 0;
}

const char *weir_fetch_url(const weir_fetch *fetch)
{
    return fetch->url.text;
}

const char *weir_fetch_reason(const weir_fetch *fetch)
{
    return fetch->reason;
}

weir_stream *weir_fetch_stream(const weir_fetch *fetch)
{
    return fetch->link != NULL ? fetch->link->stream : NULL;
}

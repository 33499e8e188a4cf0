/* SPDX-License-Identifier: MIT */
/*
 * machine -- see machine.h.
 *
 * Spans     llhttp reports the parts of a section piece by piece.  They are
 *           kept as offsets in the section, so a part that continues in the
 *           next piece only grows.
 * Checks    llhttp's lenient flags are never set.  What it accepts beyond RFC
 *           9112 is refused here (versions, protocols, methods, spaces in the
 *           request line) and in head.c.
 *
 * Tested by  test/net/http/requests.c, chunks.c, responses.c, test/fuzz/http.c
 */
#include "http/machine.h"

#include <errno.h>
#include <llhttp.h>
#include <string.h>

#include "weir/error.h"

typedef struct weir__http_refusal refusal;

/* Parts of the start line, in message->parts. */
enum { PART_METHOD = 1, PART_TARGET = 2 };

_Static_assert(sizeof(llhttp_t) <=
                   sizeof(((struct weir__http_message *)0)->machine),
               "llhttp's state fits into a message");

static llhttp_t *machine_of(const struct weir__http_message *message)
{
    return (llhttp_t *)message->machine;
}

/* ---- what llhttp reports ---- */

static struct weir__http_message *message_of(llhttp_t *machine)
{
    return machine->data;
}

/* Fail in a callback.  llhttp reports spans in pieces, or as a whole, or, if
 * the byte after it is refused, not at all.  So the callbacks of spans only
 * take note; limits are checked where a part is complete. */
static int stop(llhttp_t *machine, int error, unsigned status, const char *text)
{
    message_of(machine)->refusal =
        (struct weir__http_refusal){error, (uint16_t)status, text};
    return -1;
}

static uint32_t offset_of(const struct weir__http_message *message,
                          const char *at)
{
    return message->piece_at + (uint32_t)(at - message->piece);
}

static int extend_span(llhttp_t *machine, struct weir__http_span *span,
                       const char *at, size_t size)
{
    if (span->size == 0)
        span->at = offset_of(message_of(machine), at);
    span->size += (uint32_t)size;
    return 0;
}

static int on_url(llhttp_t *machine, const char *at, size_t size)
{
    return extend_span(machine, &message_of(machine)->target, at, size);
}

static int on_protocol(llhttp_t *machine, const char *at, size_t size)
{
    return extend_span(machine, &message_of(machine)->protocol, at, size);
}

static int on_version(llhttp_t *machine, const char *at, size_t size)
{
    return extend_span(machine, &message_of(machine)->version, at, size);
}

static int on_status(llhttp_t *machine, const char *at, size_t size)
{
    return extend_span(machine, &message_of(machine)->reason, at, size);
}

/* What llhttp calls the methods of message.h.  It knows others, of RTSP and
 * HTTP/2. */
static int find_method(unsigned method)
{
    static const int8_t methods[] = {
#define X(name, text) [HTTP_##name] = WEIR__HTTP_##name + 1,
#define HTTP_M_SEARCH HTTP_MSEARCH
        WEIR__HTTP_METHODS(X)
#undef HTTP_M_SEARCH
#undef X
    };

    return method < sizeof(methods) ? methods[method] - 1 : -1;
}

static int on_method_complete(llhttp_t *machine)
{
    struct weir__http_message *message = message_of(machine);
    int method = find_method(machine->method);

    if (machine->method == HTTP_PRI)
        return stop(machine, -EOPNOTSUPP, 505, "HTTP/2");
    if (method < 0)
        return stop(machine, -EOPNOTSUPP, 501, "a method of another protocol");
    message->method = (uint8_t)method;
    message->parts |= PART_METHOD;
    return 0;
}

static int on_url_complete(llhttp_t *machine)
{
    struct weir__http_message *message = message_of(machine);

    message->parts |= PART_TARGET;
    if (message->target.size > message->target_most)
        return stop(machine, WEIR_ELIMIT, 414, "the target is too long");
    return 0;
}

static struct weir__http_field *
last_field(const struct weir__http_message *message)
{
    return &message->fields[message->field_count + message->trailer_count - 1];
}

static int begin_field(llhttp_t *machine, uint32_t at)
{
    struct weir__http_message *message = message_of(machine);
    struct weir__http_field *field = weir__http_message_add(message);

    if (field == NULL)
        return stop(machine, -ENOMEM, 503, "out of memory");
    field->name = at;
    message->is_value = false;
    if ((machine->flags & F_TRAILING) != 0)
        message->trailer_count++;
    else
        message->field_count++;
    return 0;
}

/* Begin a field, or continue its name in the next piece. */
static int on_header_field(llhttp_t *machine, const char *at, size_t size)
{
    struct weir__http_message *message = message_of(machine);
    uint32_t offset = offset_of(message, at);
    bool is_new =
        message->is_value ||
        offset != last_field(message)->name + last_field(message)->name_size;

    if (is_new && begin_field(machine, offset) != 0)
        return -1;
    last_field(message)->name_size += (uint32_t)size & 0xffffff;
    return 0;
}

static int on_header_field_complete(llhttp_t *machine)
{
    struct weir__http_message *message = message_of(machine);

    if (message->field_count > message->field_most ||
        message->trailer_count > message->field_most)
        return stop(machine, WEIR_ELIMIT, 431, "too many fields");
    return 0;
}

static int on_header_value(llhttp_t *machine, const char *at, size_t size)
{
    struct weir__http_message *message = message_of(machine);
    struct weir__http_field *field = last_field(message);

    message->is_value = true;
    if (field->value_size == 0)
        field->value = offset_of(message, at);
    field->value_size += (uint32_t)size;
    return 0;
}

static int pause_machine(llhttp_t *machine)
{
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_url,
    .on_status = on_status,
    .on_protocol = on_protocol,
    .on_version = on_version,
    .on_method_complete = on_method_complete,
    .on_url_complete = on_url_complete,
    .on_header_field = on_header_field,
    .on_header_field_complete = on_header_field_complete,
    .on_header_value = on_header_value,
    .on_headers_complete = pause_machine,
    .on_chunk_header = pause_machine,
    .on_message_complete = pause_machine,
};

/* ---- running ---- */

void weir__http_machine_begin(struct weir__http_message *message,
                              bool is_request)
{
    llhttp_t *machine = machine_of(message);

    llhttp_init(machine, is_request ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
    machine->data = message;
    message->is_value = true; /* the first name begins a field */
}

enum weir__http_result
weir__http_machine_run(struct weir__http_message *message, uint32_t at,
                       weir_bytes *input, size_t size, weir_bytes *piece)
{
    llhttp_t *machine = machine_of(message);
    llhttp_errno_t err;

    message->piece = input->data;
    message->piece_at = at;
    err = llhttp_execute(machine, input->data, size);
    if (err != HPE_OK)
        size = (size_t)(machine->error_pos - (const char *)input->data);
    *piece = (weir_bytes){input->data, size};
    *input = (weir_bytes){(const char *)input->data + size, input->size - size};
    if (err == HPE_OK)
        return WEIR__HTTP_RESULT_MORE;
    if (err == HPE_INVALID_METHOD)
        return WEIR__HTTP_RESULT_METHOD;
    if (err != HPE_PAUSED)
        return WEIR__HTTP_RESULT_ERROR;
    llhttp_resume(machine);
    return WEIR__HTTP_RESULT_END;
}

uint64_t weir__http_machine_chunk(const struct weir__http_message *message)
{
    return machine_of(message)->content_length;
}

bool weir__http_machine_is_in_target(const struct weir__http_message *message)
{
    return message->parts == PART_METHOD;
}

/* ---- heads ---- */

/* Whether the version is one that is not HTTP/1.0 or HTTP/1.1, rather than
 * something that is not a version. */
static bool is_other_version(const struct weir__http_message *message)
{
    const llhttp_t *machine = machine_of(message);

    return message->version.size == 3 &&
           (machine->http_major != 1 || machine->http_minor > 1);
}

static const refusal other_version = {-EOPNOTSUPP, 505,
                                      "a version other than 1.0 and 1.1"};

struct weir__http_refusal
weir__http_machine_refusal(const struct weir__http_message *message)
{
    const llhttp_t *machine = machine_of(message);

    if (message->refusal.error != 0)
        return message->refusal;
    if (machine->error == HPE_INVALID_VERSION && is_other_version(message))
        return other_version;
    return (refusal){WEIR_EHTTP, 400, machine->reason};
}

/* RFC 9112, 3: exactly one space. */
static bool is_request_line(const struct weir__http_message *message)
{
    uint32_t method = (uint32_t)weir__http_method_name(message->method).size;

    return message->target.size > 0 && message->target.at == method + 1 &&
           message->protocol.at ==
               message->target.at + message->target.size + 1;
}

struct weir__http_refusal
weir__http_machine_read_head(struct weir__http_message *message,
                             bool *has_coding)
{
    const llhttp_t *machine = machine_of(message);

    if (is_other_version(message))
        return other_version;
    if (message->protocol.size != 4 ||
        memcmp(message->head.data + message->protocol.at, "HTTP", 4) != 0)
        return (refusal){WEIR_EHTTP, 400, "a protocol other than HTTP"};
    if (machine->type == HTTP_REQUEST && !is_request_line(message))
        return (refusal){WEIR_EHTTP, 400,
                         "more than one space in the request line"};
    message->minor = machine->http_minor;
    if (machine->type == HTTP_RESPONSE)
        message->status = machine->status_code;
    message->content_length = machine->content_length;
    if ((machine->flags & F_CONTENT_LENGTH) != 0)
        message->flags |= WEIR__HTTP_LENGTH;
    if ((machine->flags & F_CHUNKED) != 0)
        message->flags |= WEIR__HTTP_CHUNKED;
    *has_coding = (machine->flags & F_TRANSFER_ENCODING) != 0;
    return (refusal){0};
}

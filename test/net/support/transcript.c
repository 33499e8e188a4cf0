/* SPDX-License-Identifier: MIT */
#include "net/support/transcript.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/error.h"

struct run {
    struct transcript *out;
    struct weir__http_parser parser;
    char *body;
    size_t body_size, body_capacity;
    size_t fed; /* bytes of the pieces before this one */
    bool is_over;
};

/* ---- text ---- */

static void make_room(char **data, size_t *capacity, size_t size)
{
    if (size <= *capacity)
        return;
    *capacity = size * 2;
    *data = realloc(*data, *capacity);
    if (*data == NULL)
        abort();
}

static void append(struct transcript *out, const char *data, size_t size)
{
    make_room(&out->text, &out->capacity, out->size + size + 1);
    memcpy(out->text + out->size, data, size);
    out->size += size;
    out->text[out->size] = 0;
}

static void append_bytes(struct transcript *out, weir_bytes bytes)
{
    const char *data = bytes.data;
    char code[8];

    for (size_t n = 0; n < bytes.size; n++) {
        if (data[n] >= ' ' && data[n] <= '~') {
            append(out, &data[n], 1);
        } else {
            snprintf(code, sizeof(code), "\\x%02x", (unsigned char)data[n]);
            append(out, code, strlen(code));
        }
    }
}

__attribute__((format(printf, 2, 3))) static void say(struct transcript *out,
                                                      const char *format, ...)
{
    char line[512];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    append(out, line, strlen(line));
}

static void say_part(struct transcript *out, const char *name, weir_bytes part)
{
    say(out, " %s=[", name);
    append_bytes(out, part);
    say(out, "]");
}

/* ---- events ---- */

static void say_flags(struct transcript *out, unsigned flags)
{
    static const char *const names[] = {"keep-alive", "close",     "chunked",
                                        "length",     "until-end", "body",
                                        "upgrade",    "continue",  "absolute"};

    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
        if ((flags & (1u << n)) != 0)
            say(out, " %s", names[n]);
}

static void say_fields(struct transcript *out,
                       const struct weir__http_message *message, unsigned from,
                       unsigned count)
{
    for (unsigned n = from; n < from + count; n++) {
        append_bytes(out, weir__http_name(message, n));
        say(out, ": ");
        append_bytes(out, weir__http_value(message, n));
        say(out, "\n");
    }
    say(out, ".\n");
}

static void say_head(struct run *run)
{
    const struct weir__http_message *message = run->parser.message;
    struct transcript *out = run->out;

    if (message->status == 0) {
        append_bytes(out, weir__http_method_name(message->method));
        say(out, " ");
        append_bytes(out, weir__http_target(message));
        say(out, " HTTP/1.%u", message->minor);
        say_part(out, "authority", weir__http_authority(message));
        say_part(out, "path", weir__http_path(message));
    } else {
        say(out, "HTTP/1.%u %u", message->minor, message->status);
        say_part(out, "reason", weir__http_text(message, message->reason));
    }
    if ((message->flags & WEIR__HTTP_LENGTH) != 0)
        say(out, " %llu", (unsigned long long)message->content_length);
    say_flags(out, message->flags);
    say(out, "\n");
    say_fields(out, message, 0, message->field_count);
}

static void add_data(struct run *run)
{
    weir_bytes data = run->parser.data;

    make_room(&run->body, &run->body_capacity, run->body_size + data.size);
    memcpy(run->body + run->body_size, data.data, data.size);
    run->body_size += data.size;
}

static void say_body(struct run *run)
{
    if (run->body_size == 0)
        return;
    say(run->out, "body %zu [", run->body_size);
    append_bytes(run->out, (weir_bytes){run->body, run->body_size});
    say(run->out, "]\n");
    run->body_size = 0;
}

static void say_failure(struct run *run, size_t at)
{
    say_body(run);
    say(run->out, "failed %u at %zu (%s: %s)\n", run->parser.status, at,
        weir_error_name(run->parser.error), run->parser.text);
    run->out->status = run->parser.status;
    run->is_over = true;
}

static void say_complete(struct run *run, size_t at)
{
    say_body(run);
    say(run->out, "complete at %zu\n", at);
    run->out->messages++;
    if ((run->parser.message->flags & WEIR__HTTP_UPGRADE) != 0)
        run->is_over = true;
}

/* Report one event.  Returns false if there are no more for now. */
static bool handle(struct run *run, enum weir__http_event event, size_t at)
{
    struct weir__http_message *message = run->parser.message;

    switch (event) {
    case WEIR__PARSED_MORE:
        return false;
    case WEIR__PARSED_HEAD:
        say_head(run);
        return true;
    case WEIR__PARSED_DATA:
        add_data(run);
        return true;
    case WEIR__PARSED_TRAILERS:
        say_body(run);
        say(run->out, "trailers\n");
        say_fields(run->out, message, message->field_count,
                   message->trailer_count);
        return true;
    case WEIR__PARSED_COMPLETE:
        say_complete(run, at);
        return !run->is_over;
    case WEIR__PARSED_FAILED:
        say_failure(run, at);
        return false;
    }
    return false;
}

/* Feed a piece from memory of its own. */
static void feed(struct run *run, const char *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    weir_bytes input = {copy, size};
    bool goes_on = true;

    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    while (goes_on) {
        enum weir__http_event event =
            weir__http_parser_next(&run->parser, &input);

        goes_on = handle(run, event, run->fed + size - input.size);
    }
    if (run->parser.message != NULL &&
        weir__http_message_keep(run->parser.message) != 0)
        abort();
    memset(copy, 'x', size);
    free(copy);
    run->fed += size;
}

static void begin(struct run *run, struct transcript *out,
                  enum transcript_kind kind)
{
    *run = (struct run){.out = out};
    out->size = 0;
    out->status = out->messages = 0;
    append(out, "", 0);
    if (kind == TRANSCRIPT_REQUESTS)
        weir__http_parser_init_request(&run->parser, out->limits);
    else
        weir__http_parser_init_response(&run->parser, out->limits);
    if (kind == TRANSCRIPT_RESPONSE_TO_HEAD)
        weir__http_parser_expect(&run->parser, WEIR__HTTP_HEAD);
    if (kind == TRANSCRIPT_RESPONSE_TO_CONNECT)
        weir__http_parser_expect(&run->parser, WEIR__HTTP_CONNECT);
    run->parser.body_limit = out->body_limit;
}

static void finish(struct run *run)
{
    if (!run->is_over && run->out->ends)
        (void)handle(run, weir__http_parser_end(&run->parser), run->fed);
    run->out->is_inside =
        !run->is_over && !weir__http_parser_is_idle(&run->parser);
    if (run->out->is_inside) {
        say_body(run);
        say(run->out, "inside\n");
    }
    weir__http_parser_fini(&run->parser);
    free(run->body);
}

void transcript_make(struct transcript *transcript, enum transcript_kind kind,
                     const void *bytes, size_t size, const size_t *cuts,
                     size_t cut_count)
{
    struct run run;
    size_t at = 0;

    begin(&run, transcript, kind);
    for (size_t n = 0; n <= cut_count && !run.is_over; n++) {
        size_t end = n < cut_count ? cuts[n] : size;

        feed(&run, (const char *)bytes + at, end - at);
        at = end;
    }
    finish(&run);
}

void transcript_make_bytewise(struct transcript *transcript,
                              enum transcript_kind kind, const void *bytes,
                              size_t size)
{
    struct run run;

    begin(&run, transcript, kind);
    for (size_t n = 0; n < size && !run.is_over; n++)
        feed(&run, (const char *)bytes + n, 1);
    finish(&run);
}

void transcript_free(struct transcript *transcript)
{
    free(transcript->text);
    transcript->text = NULL;
    transcript->size = transcript->capacity = 0;
}

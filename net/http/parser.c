/* SPDX-License-Identifier: MIT */
/*
 * parser -- messages, section by section.
 *
 * Sections  A message is a head, a body, and perhaps trailers; a chunked body
 *           alternates between chunk lines and data.  llhttp reads heads, chunk
 *           lines and trailers, and stops exactly at their ends, because its
 *           callbacks pause there.  Each of these sections has a limit, and
 *           llhttp never gets more bytes than the limit leaves.  So a message
 *           is refused at the same byte in whatever pieces it arrives, and
 *           every limit is exact.  The data in between is only counted.
 * Copies    The bytes of a section that is not complete at the end of a piece
 *           are copied.  One that is complete in its first piece is not.
 * Checks    llhttp checks bytes (machine.c), head.c checks what the head means.
 * Memory    The message, with llhttp's state in it, exists from its first byte
 *           until the call after COMPLETE.
 * Thread    The loop's.
 *
 * Tested by  test/net/http/parser.c, requests.c, chunks.c, responses.c,
 *            limits.c, test/fuzz/http.c
 */
#include "http/parser.h"

#include <errno.h>

#include "http/class.h"
#include "http/head.h"
#include "http/machine.h"
#include "weir/error.h"

enum { REQUESTS, RESPONSES }; /* kind_ */

enum phase {
    PHASE_IDLE,
    PHASE_HEAD,
    PHASE_METHOD, /* llhttp does not know the method: where does it end? */
    PHASE_BODY,   /* the head was reported */
    PHASE_LENGTH,
    PHASE_UNTIL_END,
    PHASE_CHUNK_LINE,
    PHASE_CHUNK_DATA,
    PHASE_TRAILERS,
    PHASE_ENDED, /* COMPLETE comes next */
    PHASE_COMPLETE,
    PHASE_FAILED,
};

enum {
    CHUNK_LINE = 20,   /* bytes of a chunk line that are always allowed: the end
                          of the data before it, 16 digits, its own end */
    METHOD_LIMIT = 32, /* bytes of a method that nobody knows */
    SECTION_MOST = (1 << 24) - 1, /* the size of a name has 24 bits */
};

static const struct weir__http_limits defaults = {
    .head_bytes = 16 * 1024,
    .target_bytes = 8 * 1024,
    .fields = 200,
    .trailer_bytes = 8 * 1024,
    .chunk_bytes = 4 * 1024,
};

_Static_assert(sizeof(struct weir__http_parser) <= 128,
               "a parser between messages is small");

/* ---- failing ---- */

static enum weir__http_event fail(struct weir__http_parser *parser, int error,
                                  unsigned status, const char *text)
{
    parser->phase_ = PHASE_FAILED;
    parser->error = error;
    parser->status = parser->kind_ == REQUESTS ? (uint16_t)status : 502;
    parser->text = text;
    return WEIR__PARSED_FAILED;
}

static enum weir__http_event fail_memory(struct weir__http_parser *parser)
{
    return fail(parser, -ENOMEM, 503, "out of memory");
}

static enum weir__http_event refuse(struct weir__http_parser *parser,
                                    struct weir__http_refusal no)
{
    return fail(parser, no.error, no.status, no.text);
}

/* llhttp has refused a byte. */
static enum weir__http_event fail_machine(struct weir__http_parser *parser)
{
    return refuse(parser, weir__http_machine_refusal(parser->message));
}

/* Let llhttp read, but not beyond the limit of the section. */
static enum weir__http_result run(struct weir__http_parser *parser,
                                  weir_bytes *input, uint32_t limit,
                                  weir_bytes *piece)
{
    size_t size = input->size;
    enum weir__http_result result;

    if (size > limit - parser->section_)
        size = limit - parser->section_;
    result = weir__http_machine_run(parser->message, parser->section_, input,
                                    size, piece);
    parser->section_ += (uint32_t)piece->size;
    return result;
}

/* ---- heads ---- */

/* Take an empty line before the message: RFC 9112, 2.2, asks to ignore one.
 * Returns whether the input begins with the message. */
static bool skip_blank(struct weir__http_parser *parser, weir_bytes *input)
{
    const char *at = input->data;

    while (input->size > 0 && (*at == '\r' || *at == '\n')) {
        if (parser->kind_ != REQUESTS || *at != "\r\n"[parser->blank_ & 1] ||
            parser->blank_ >= 2) {
            fail(parser, WEIR_EHTTP, 400, "an empty line before the message");
            return false;
        }
        parser->blank_++;
        *input = (weir_bytes){++at, input->size - 1};
    }
    if (input->size > 0 && parser->blank_ == 1) {
        fail(parser, WEIR_EHTTP, 400, "a CR before the message");
        return false;
    }
    return input->size > 0;
}

static enum weir__http_event begin(struct weir__http_parser *parser)
{
    struct weir__http_message *message = weir__http_message_new();
    uint32_t most = parser->limits->fields;

    if (message == NULL)
        return fail_memory(parser);
    message->target_most = parser->limits->target_bytes;
    message->any_expect = parser->limits->any_expect;
    message->no_host = parser->limits->no_host;
    message->field_most =
        most < UINT16_MAX / 2 ? (uint16_t)most : UINT16_MAX / 2;
    weir__http_machine_begin(message, parser->kind_ == REQUESTS);
    parser->message = message;
    parser->phase_ = PHASE_HEAD;
    parser->section_ = 0;
    parser->blank_ = 0;
    return WEIR__PARSED_MORE;
}

/* Look for the end of a method that llhttp has refused.  If it is a token, it
 * is lawful, but unknown. */
static enum weir__http_event skip_method(struct weir__http_parser *parser,
                                         weir_bytes *input)
{
    while (input->size > 0) {
        const char *at = input->data;

        if (*at == ' ' && parser->section_ > 0)
            return fail(parser, -EOPNOTSUPP, 501, "an unknown method");
        if (!weir__http_is(*at, WEIR__HTTP_IN_TOKEN) ||
            parser->section_++ == METHOD_LIMIT)
            return fail(parser, WEIR_EHTTP, 400, "an invalid method");
        *input = (weir_bytes){at + 1, input->size - 1};
    }
    return WEIR__PARSED_MORE;
}

static struct weir__http_refusal check_head(struct weir__http_parser *parser)
{
    struct weir__http_message *message = parser->message;
    bool has_coding = false;
    struct weir__http_refusal no =
        weir__http_machine_read_head(message, &has_coding);

    if (no.error != 0)
        return no;
    return parser->kind_ == REQUESTS
               ? weir__http_head_check_request(message, has_coding)
               : weir__http_head_check_response(message, has_coding,
                                                parser->method_);
}

static enum weir__http_event finish_head(struct weir__http_parser *parser,
                                         weir_bytes piece)
{
    struct weir__http_message *message = parser->message;
    struct weir__http_refusal no;

    if (weir__http_block_set(&message->head, piece.data, piece.size) != 0)
        return fail_memory(parser);
    no = check_head(parser);
    if (no.error != 0)
        return refuse(parser, no);
    parser->phase_ = PHASE_BODY;
    return WEIR__PARSED_HEAD;
}

/* The head may not grow any more. */
static enum weir__http_event fail_head(struct weir__http_parser *parser)
{
    if (weir__http_machine_is_in_target(parser->message))
        return fail(parser, WEIR_ELIMIT, 414, "the target is too long");
    return fail(parser, WEIR_ELIMIT, 431, "the head is too long");
}

static enum weir__http_event parse_head(struct weir__http_parser *parser,
                                        weir_bytes *input)
{
    struct weir__http_message *message = parser->message;
    weir_bytes piece;

    switch (run(parser, input, parser->limits->head_bytes, &piece)) {
    case WEIR__HTTP_RESULT_END:
        return finish_head(parser, piece);
    case WEIR__HTTP_RESULT_ERROR:
        return fail_machine(parser);
    case WEIR__HTTP_RESULT_METHOD:
        parser->phase_ = PHASE_METHOD;
        return skip_method(parser, input);
    case WEIR__HTTP_RESULT_MORE:
        break;
    }
    if (weir__http_block_append(&message->head, piece.data, piece.size) != 0)
        return fail_memory(parser);
    if (parser->section_ == parser->limits->head_bytes)
        return fail_head(parser);
    return WEIR__PARSED_MORE;
}

/* ---- bodies ---- */

/* Give the caller a piece of the body. */
static enum weir__http_event give(struct weir__http_parser *parser,
                                  weir_bytes *input, size_t size)
{
    parser->data = (weir_bytes){input->data, size};
    parser->message->body_bytes += size;
    *input = (weir_bytes){(const char *)input->data + size, input->size - size};
    return WEIR__PARSED_DATA;
}

static bool is_beyond_limit(const struct weir__http_parser *parser,
                            uint64_t more)
{
    uint64_t seen = parser->message->body_bytes;

    return parser->body_limit > 0 &&
           (more > parser->body_limit || seen > parser->body_limit - more);
}

static enum weir__http_event fail_body(struct weir__http_parser *parser)
{
    return fail(parser, WEIR_ELIMIT, 413, "the body is too long");
}

/* The caller has seen the head. */
static void begin_body(struct weir__http_parser *parser)
{
    struct weir__http_message *message = parser->message;

    parser->section_ = 0;
    parser->spare_ = parser->limits->chunk_bytes;
    if ((message->flags & WEIR__HTTP_BODY) == 0) {
        parser->phase_ = PHASE_ENDED;
    } else if ((message->flags & WEIR__HTTP_UNTIL_END) != 0) {
        parser->phase_ = PHASE_UNTIL_END;
    } else if ((message->flags & WEIR__HTTP_CHUNKED) != 0) {
        parser->phase_ = PHASE_CHUNK_LINE;
    } else {
        parser->phase_ = PHASE_LENGTH;
        parser->left_ = message->content_length;
        if (is_beyond_limit(parser, parser->left_))
            fail_body(parser);
    }
}

static enum weir__http_event read_length(struct weir__http_parser *parser,
                                         weir_bytes *input)
{
    size_t size = input->size;

    if (size >= parser->left_) {
        size = (size_t)parser->left_;
        parser->phase_ = PHASE_ENDED;
    }
    parser->left_ -= size;
    return give(parser, input, size);
}

static enum weir__http_event read_until_end(struct weir__http_parser *parser,
                                            weir_bytes *input)
{
    size_t size = input->size;

    if (is_beyond_limit(parser, size)) {
        size = (size_t)(parser->body_limit - parser->message->body_bytes);
        if (size == 0)
            return fail_body(parser);
    }
    return give(parser, input, size);
}

/* ---- chunks ---- */

/* The line before the data, and the end of the data before it. */
static enum weir__http_event read_chunk_line(struct weir__http_parser *parser,
                                             weir_bytes *input)
{
    weir_bytes piece;

    switch (run(parser, input, CHUNK_LINE + parser->spare_, &piece)) {
    case WEIR__HTTP_RESULT_METHOD: /* of a head only */
    case WEIR__HTTP_RESULT_ERROR:
        return fail_machine(parser);
    case WEIR__HTTP_RESULT_MORE:
        if (parser->section_ == CHUNK_LINE + parser->spare_)
            return fail(parser, WEIR_ELIMIT, 400, "chunk extensions too long");
        return WEIR__PARSED_MORE;
    case WEIR__HTTP_RESULT_END:
        break;
    }
    if (parser->section_ > CHUNK_LINE)
        parser->spare_ -= parser->section_ - CHUNK_LINE;
    parser->section_ = 0;
    parser->left_ = weir__http_machine_chunk(parser->message);
    parser->phase_ = parser->left_ > 0 ? PHASE_CHUNK_DATA : PHASE_TRAILERS;
    if (is_beyond_limit(parser, parser->left_))
        return fail_body(parser);
    return WEIR__PARSED_MORE;
}

static enum weir__http_event read_chunk_data(struct weir__http_parser *parser,
                                             weir_bytes *input)
{
    size_t size = input->size;
    weir_bytes rest = *input;
    weir_bytes piece;

    if (size >= parser->left_) {
        size = (size_t)parser->left_;
        parser->phase_ = PHASE_CHUNK_LINE;
    }
    parser->left_ -= size;
    if (weir__http_machine_run(parser->message, 0, &rest, size, &piece) !=
        WEIR__HTTP_RESULT_MORE)
        return fail_machine(parser);
    return give(parser, input, size);
}

static enum weir__http_event finish_trailers(struct weir__http_parser *parser,
                                             weir_bytes piece)
{
    struct weir__http_message *message = parser->message;
    struct weir__http_refusal no;

    parser->phase_ = PHASE_ENDED;
    if (message->trailer_count == 0)
        return WEIR__PARSED_MORE;
    if (weir__http_block_set(&message->trailer, piece.data, piece.size) != 0)
        return fail_memory(parser);
    no = weir__http_head_check_trailers(message);
    return no.error != 0 ? refuse(parser, no) : WEIR__PARSED_TRAILERS;
}

static enum weir__http_event read_trailers(struct weir__http_parser *parser,
                                           weir_bytes *input)
{
    weir_bytes piece;

    switch (run(parser, input, parser->limits->trailer_bytes, &piece)) {
    case WEIR__HTTP_RESULT_END:
        return finish_trailers(parser, piece);
    case WEIR__HTTP_RESULT_METHOD:
    case WEIR__HTTP_RESULT_ERROR:
        return fail_machine(parser);
    case WEIR__HTTP_RESULT_MORE:
        break;
    }
    if (weir__http_block_append(&parser->message->trailer, piece.data,
                                piece.size) != 0)
        return fail_memory(parser);
    if (parser->section_ == parser->limits->trailer_bytes)
        return fail(parser, WEIR_ELIMIT, 431, "the trailers are too long");
    return WEIR__PARSED_MORE;
}

/* ---- the parser ---- */

void weir__http_limits_fill(struct weir__http_limits *limits)
{
    if (limits->head_bytes == 0)
        limits->head_bytes = defaults.head_bytes;
    if (limits->target_bytes == 0)
        limits->target_bytes = defaults.target_bytes;
    if (limits->fields == 0)
        limits->fields = defaults.fields;
    if (limits->trailer_bytes == 0)
        limits->trailer_bytes = defaults.trailer_bytes;
    if (limits->chunk_bytes == 0)
        limits->chunk_bytes = defaults.chunk_bytes;
    if (limits->head_bytes > SECTION_MOST)
        limits->head_bytes = SECTION_MOST;
    if (limits->trailer_bytes > SECTION_MOST)
        limits->trailer_bytes = SECTION_MOST;
    if (limits->chunk_bytes > SECTION_MOST)
        limits->chunk_bytes = SECTION_MOST;
}

static void init(struct weir__http_parser *parser,
                 const struct weir__http_limits *limits, uint8_t kind)
{
    *parser = (struct weir__http_parser){
        .limits = limits != NULL ? limits : &defaults,
        .kind_ = kind,
        .phase_ = PHASE_IDLE,
        .method_ = WEIR__HTTP_GET,
    };
}

void weir__http_parser_init_request(struct weir__http_parser *parser,
                                    const struct weir__http_limits *limits)
{
    init(parser, limits, REQUESTS);
}

void weir__http_parser_init_response(struct weir__http_parser *parser,
                                     const struct weir__http_limits *limits)
{
    init(parser, limits, RESPONSES);
}

void weir__http_parser_expect(struct weir__http_parser *parser,
                              enum weir__http_method method)
{
    parser->method_ = (uint8_t)method;
}

static bool needs_input(const struct weir__http_parser *parser)
{
    return parser->phase_ != PHASE_COMPLETE && parser->phase_ != PHASE_BODY &&
           parser->phase_ != PHASE_ENDED && parser->phase_ != PHASE_FAILED;
}

/* Take one step.  MORE means that no event has come of it; the phase or the
 * input has changed unless more input is needed. */
static enum weir__http_event step(struct weir__http_parser *parser,
                                  weir_bytes *input)
{
    if (input->size == 0 && needs_input(parser))
        return WEIR__PARSED_MORE;
    switch ((enum phase)parser->phase_) {
    case PHASE_COMPLETE:
        weir__http_parser_release(parser);
        return WEIR__PARSED_MORE;
    case PHASE_IDLE:
        return skip_blank(parser, input) ? begin(parser) : WEIR__PARSED_MORE;
    case PHASE_HEAD:
        return parse_head(parser, input);
    case PHASE_METHOD:
        return skip_method(parser, input);
    case PHASE_BODY:
        begin_body(parser);
        return WEIR__PARSED_MORE;
    case PHASE_LENGTH:
        return read_length(parser, input);
    case PHASE_UNTIL_END:
        return read_until_end(parser, input);
    case PHASE_CHUNK_LINE:
        return read_chunk_line(parser, input);
    case PHASE_CHUNK_DATA:
        return read_chunk_data(parser, input);
    case PHASE_TRAILERS:
        return read_trailers(parser, input);
    case PHASE_ENDED:
        parser->phase_ = PHASE_COMPLETE;
        return WEIR__PARSED_COMPLETE;
    case PHASE_FAILED:
        break;
    }
    return WEIR__PARSED_FAILED;
}

enum weir__http_event weir__http_parser_next(struct weir__http_parser *parser,
                                             weir_bytes *input)
{
    for (;;) {
        uint8_t phase = parser->phase_;
        enum weir__http_event event = step(parser, input);

        if (event != WEIR__PARSED_MORE || phase == parser->phase_)
            return event;
    }
}

enum weir__http_event weir__http_parser_end(struct weir__http_parser *parser)
{
    if (parser->phase_ == PHASE_BODY)
        begin_body(parser);
    switch ((enum phase)parser->phase_) {
    case PHASE_IDLE:
    case PHASE_COMPLETE:
        return WEIR__PARSED_MORE;
    case PHASE_ENDED:
    case PHASE_UNTIL_END:
        parser->phase_ = PHASE_COMPLETE;
        return WEIR__PARSED_COMPLETE;
    case PHASE_FAILED:
        return WEIR__PARSED_FAILED;
    default:
        return fail(parser, WEIR_ETRUNCATED, 400,
                    "the connection has ended inside a message");
    }
}

bool weir__http_parser_is_idle(const struct weir__http_parser *parser)
{
    return parser->phase_ == PHASE_IDLE || parser->phase_ == PHASE_COMPLETE;
}

bool weir__http_parser_is_complete(const struct weir__http_parser *parser)
{
    return parser->phase_ == PHASE_COMPLETE;
}

struct weir__http_message *
weir__http_parser_take(struct weir__http_parser *parser)
{
    struct weir__http_message *message = parser->message;

    parser->message = NULL;
    return message;
}

void weir__http_parser_release(struct weir__http_parser *parser)
{
    weir__http_message_free(parser->message);
    parser->message = NULL;
    parser->phase_ = PHASE_IDLE;
}

void weir__http_parser_fini(struct weir__http_parser *parser)
{
    weir__http_message_free(parser->message);
    parser->message = NULL;
}

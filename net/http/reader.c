/* SPDX-License-Identifier: MIT */
/*
 * reader -- the parser of responses for a host (weir/host/parser.h).
 *
 * The host's memory may move after each event, so heads are copied at once.
 *
 * Tested by  test/net/http/reader.c
 */
#include <errno.h>
#include <string.h>

#include "http/parser.h"
#include "weir/host/memory.h"
#include "weir/host/parser.h"
#include "weir/host/sized.h"

enum { MOST = 16 << 20 }; /* of each limit */

struct weir_http_parser {
    struct weir__http_parser parser;
    struct weir__http_limits limits;
};

int weir_http_parser_new(weir_http_parser **made,
                         const weir_http_parser_options *given)
{
    weir_http_parser_options options = {.size = sizeof(options)};
    weir_http_parser *parser;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (made == NULL || options.head_bytes > MOST || options.fields > MOST)
        return -EINVAL;
    parser = weir_memory_alloc(sizeof(*parser));
    if (parser == NULL)
        return -ENOMEM;
    memset(parser, 0, sizeof(*parser));
    parser->limits.head_bytes = options.head_bytes;
    parser->limits.fields = options.fields;
    weir__http_limits_fill(&parser->limits);
    weir__http_parser_init_response(&parser->parser, &parser->limits);
    *made = parser;
    return 0;
}

void weir_http_parser_free(weir_http_parser *parser)
{
    if (parser == NULL)
        return;
    weir__http_parser_fini(&parser->parser);
    weir_memory_free(parser, sizeof(*parser));
}

int weir_http_parser_expect(weir_http_parser *parser, const char *name)
{
    int method;

    if (parser == NULL || name == NULL)
        return -EINVAL;
    method = weir__http_method_find((weir_bytes){name, strlen(name)});
    if (method < 0)
        return method;
    weir__http_parser_expect(&parser->parser, (enum weir__http_method)method);
    return 0;
}

weir_http_event weir_http_parser_next(weir_http_parser *parser,
                                      weir_bytes *input, weir_bytes *data)
{
    enum weir__http_event event =
        weir__http_parser_next(&parser->parser, input);

    *data = (weir_bytes){NULL, 0};
    switch (event) {
    case WEIR__PARSED_HEAD:
    case WEIR__PARSED_TRAILERS:
        if (weir__http_message_keep(parser->parser.message) != 0) {
            parser->parser.error = -ENOMEM;
            parser->parser.text = "out of memory";
            return WEIR_HTTP_FAILED;
        }
        return event == WEIR__PARSED_HEAD ? WEIR_HTTP_HEAD : WEIR_HTTP_TRAILERS;
    case WEIR__PARSED_DATA:
        *data = parser->parser.data;
        return WEIR_HTTP_DATA;
    case WEIR__PARSED_COMPLETE:
        return WEIR_HTTP_COMPLETE;
    case WEIR__PARSED_FAILED:
        return WEIR_HTTP_FAILED;
    case WEIR__PARSED_MORE:
        break;
    }
    return WEIR_HTTP_MORE;
}

weir_http_event weir_http_parser_end(weir_http_parser *parser)
{
    switch (weir__http_parser_end(&parser->parser)) {
    case WEIR__PARSED_COMPLETE:
        return WEIR_HTTP_COMPLETE;
    case WEIR__PARSED_FAILED:
        return WEIR_HTTP_FAILED;
    default:
        return WEIR_HTTP_MORE;
    }
}

unsigned weir_http_parser_status(const weir_http_parser *parser)
{
    return parser->parser.message->status;
}

unsigned weir_http_parser_version(const weir_http_parser *parser)
{
    return 10u + parser->parser.message->minor;
}

weir_bytes weir_http_parser_reason(const weir_http_parser *parser)
{
    return weir__http_text(parser->parser.message,
                           parser->parser.message->reason);
}

bool weir_http_parser_keeps_alive(const weir_http_parser *parser)
{
    uint16_t flags = parser->parser.message->flags;

    return flags & WEIR__HTTP_KEEP_ALIVE && !(flags & WEIR__HTTP_UNTIL_END);
}

bool weir_http_parser_is_upgrade(const weir_http_parser *parser)
{
    return parser->parser.message->flags & WEIR__HTTP_UPGRADE;
}

bool weir_http_parser_field_at(const weir_http_parser *parser, size_t index,
                               weir_http_field *field)
{
    const struct weir__http_message *message = parser->parser.message;

    if (index >= message->field_count)
        return false;
    field->name = weir__http_name(message, index);
    field->value = weir__http_value(message, index);
    return true;
}

bool weir_http_parser_trailer_at(const weir_http_parser *parser, size_t index,
                                 weir_http_field *field)
{
    const struct weir__http_message *message = parser->parser.message;

    if (index >= message->trailer_count)
        return false;
    field->name = weir__http_name(message, message->field_count + index);
    field->value = weir__http_value(message, message->field_count + index);
    return true;
}

weir_http_refusal weir_http_parser_refusal(const weir_http_parser *parser)
{
    return (weir_http_refusal){parser->parser.error, parser->parser.status,
                               parser->parser.text, false};
}

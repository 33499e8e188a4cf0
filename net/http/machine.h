/* SPDX-License-Identifier: MIT */
/*
 * machine -- llhttp, which parses the heads, chunk lines and trailers of a
 * message.
 *
 * Its state is part of the message.  It stops exactly at the end of a head, of
 * a chunk line, and of a message, because its callbacks pause there.
 */
#ifndef WEIR_NET_HTTP_MACHINE_H
#define WEIR_NET_HTTP_MACHINE_H

#include "http/message.h"

enum weir__http_result {
    WEIR__HTTP_RESULT_MORE,   /* all was read */
    WEIR__HTTP_RESULT_END,    /* the section is complete */
    WEIR__HTTP_RESULT_METHOD, /* a byte of the method was refused */
    WEIR__HTTP_RESULT_ERROR,  /* weir__http_machine_refusal says why */
};

/* Set up a message whose target_most and field_most are set. */
void weir__http_machine_begin(struct weir__http_message *message,
                              bool is_request);

/* Read at most `size` bytes, which begin at offset `at` of their section.
 * Takes what was read off the front of input; *piece is that. */
enum weir__http_result
weir__http_machine_run(struct weir__http_message *message, uint32_t at,
                       weir_bytes *input, size_t size, weir_bytes *piece);

/* The size of the chunk whose line has ended. */
uint64_t weir__http_machine_chunk(const struct weir__http_message *message);

/* Whether the method is complete, but not the target. */
bool weir__http_machine_is_in_target(const struct weir__http_message *message);

/* Why a byte was refused. */
struct weir__http_refusal
weir__http_machine_refusal(const struct weir__http_message *message);

/* Check the start line of a head that is complete, and say what llhttp has
 * found in it: version, status, length, flags. */
struct weir__http_refusal
weir__http_machine_read_head(struct weir__http_message *message,
                             bool *has_coding);

#endif /* WEIR_NET_HTTP_MACHINE_H */

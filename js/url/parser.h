/* SPDX-License-Identifier: MIT */
/*
 * parser -- the basic URL parser of the URL Standard, without state overrides
 * (change.h has what needs them).
 *
 * The states of the standard read one character at a time.  Here each function is
 * a state, or several in a row, that knows where its part of the input ends.
 */
#ifndef WEIR_JS_URL_PARSER_H
#define WEIR_JS_URL_PARSER_H

#include "url/host.h"
#include "url/record.h"

/* Without white space and controls at both ends. */
struct weir__js_piece weir__js_parser_trim(struct weir__js_piece input);

/* Whether an input may contain lone surrogates, or tabs or line ends. */
bool weir__js_parser_is_unclean(struct weir__js_piece input);

/* Copy an input without tabs and line ends, unless `keeps_white`, and with U+FFFD
 * for lone surrogates, which the engine's UTF-8 may contain.  Returns the copy,
 * which is not longer. */
struct weir__js_piece
weir__js_parser_clean(char *to, struct weir__js_piece input, bool keeps_white);

/* The room that a URL needs, unless weir__js_idna makes its host long. */
size_t weir__js_parser_most(size_t input_length,
                            const struct weir__js_record *base);

/* Parse an input that is trimmed and clean, relative to a base or NULL.  The
 * result is written to `to`, and the record is set to it. */
enum weir__js_url_status weir__js_parser_run(struct weir__js_record *url,
                                             char *to, size_t room,
                                             struct weir__js_piece input,
                                             const struct weir__js_record *base,
                                             const struct weir__js_idna *idna);

/* The parts of these states that setters need, too: */

/* Append the scheme at the start of an input in lower case.  Returns where it
 * ends, which is at ":" or the end of the input, or NULL if there is none. */
const char *weir__js_parser_scheme(char **to, struct weir__js_piece input);

/* Where an authority ends. */
const char *weir__js_parser_authority_end(struct weir__js_piece input,
                                          bool is_special);

/* The ":" between a host and its port, or the end. */
const char *weir__js_parser_host_end(struct weir__js_piece authority);

/* The number at the start of a text; more than 65535 if it is too large. */
unsigned weir__js_parser_port(struct weir__js_piece text, const char **end);

/* Append a decimal number. */
char *weir__js_parser_print_port(char *to, unsigned port);

/* Append an opaque path, up to its end: a query, a fragment or the end of the
 * input.  If `is_whole`, only the latter. */
const char *weir__js_parser_opaque(char **to, struct weir__js_piece input,
                                   bool is_whole);

#endif /* WEIR_JS_URL_PARSER_H */

/* SPDX-License-Identifier: MIT */
/*
 * head -- interprets a complete head, and checks whether it is valid.
 *
 * llhttp has checked the bytes one by one.  This checks what RFC 9110 and 9112
 * require of the whole head: the form of the target, Host, the framing.  It can
 * only refuse a head; it never changes the framing that llhttp has found.
 */
#ifndef WEIR_NET_HTTP_HEAD_H
#define WEIR_NET_HTTP_HEAD_H

#include "http/message.h"

/* Check a head whose fields are complete, except that the values may end with
 * whitespace, which is taken off.  The flags LENGTH and CHUNKED say what llhttp
 * has found, and has_coding whether there was a Transfer-Encoding.  Sets the
 * other flags and spans. */
struct weir__http_refusal
weir__http_head_check_request(struct weir__http_message *message,
                              bool has_coding);

/* The same for a response to this method. */
struct weir__http_refusal
weir__http_head_check_response(struct weir__http_message *message,
                               bool has_coding, enum weir__http_method method);

/* Check trailers: fields that would change what the message is are refused. */
struct weir__http_refusal
weir__http_head_check_trailers(struct weir__http_message *message);

#endif /* WEIR_NET_HTTP_HEAD_H */

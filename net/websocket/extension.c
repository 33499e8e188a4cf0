/* SPDX-License-Identifier: MIT */
/*
 * extension -- see extension.h.
 *
 * A parameter that is unknown, appears twice or has a bad value makes an offer
 * unacceptable, and an answer wrong.  Extensions other than permessage-deflate
 * are skipped in offers.
 */
#include "websocket/extension.h"

#include <stdio.h>
#include <string.h>

#include "websocket/list.h"
#include "weir/error.h"

#define NAME "permessage-deflate"

enum { SMALLEST = 8, LARGEST = 15 };

/* One element of the header. */
struct extension {
    bool is_deflate;
    bool is_valid; /* its parameters are known, and appear once */
    bool has_client_bits;
    weir_websocket_deflate given; /* 0 bits: not given */
};

struct parameter {
    weir_bytes name;
    weir_bytes value;
    bool has_value;
};

/* ---- reading ---- */

static bool set_flag(bool *flag, const struct parameter *parameter)
{
    if (*flag || parameter->has_value)
        return false;
    *flag = true;
    return true;
}

static bool set_bits(uint8_t *bits, const struct parameter *parameter)
{
    const char *digits = parameter->value.data;
    size_t size = parameter->value.size;
    int number = 0;

    if (*bits != 0 || !parameter->has_value || size == 0 || size > 2 ||
        digits[0] == '0')
        return false;
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        number = number * 10 + (digits[i] - '0');
    }
    *bits = (uint8_t)number;
    return number >= SMALLEST && number <= LARGEST;
}

static bool set_parameter(struct extension *extension,
                          const struct parameter *parameter)
{
    weir_websocket_deflate *given = &extension->given;

    if (weir__list_equals_nocase(parameter->name, "server_no_context_takeover"))
        return set_flag(&given->server_no_context_takeover, parameter);
    if (weir__list_equals_nocase(parameter->name, "client_no_context_takeover"))
        return set_flag(&given->client_no_context_takeover, parameter);
    if (weir__list_equals_nocase(parameter->name, "server_max_window_bits"))
        return set_bits(&given->server_max_window_bits, parameter);
    if (!weir__list_equals_nocase(parameter->name, "client_max_window_bits") ||
        extension->has_client_bits)
        return false;
    extension->has_client_bits = true; /* in an offer it may have no value */
    return !parameter->has_value ||
           set_bits(&given->client_max_window_bits, parameter);
}

/* "; name", "; name=token" or "; name="token"".  Returns false if it is none of
 * them. */
static bool take_parameter(weir_bytes *rest, struct parameter *parameter)
{
    bool is_quoted;

    memset(parameter, 0, sizeof(*parameter));
    weir__list_take_space(rest);
    if (!weir__list_take_token(rest, &parameter->name))
        return false;
    weir__list_take_space(rest);
    if (!weir__list_take(rest, '='))
        return true;
    weir__list_take_space(rest);
    parameter->has_value = true;
    is_quoted = weir__list_take(rest, '"');
    if (!weir__list_take_token(rest, &parameter->value))
        return false;
    if (is_quoted && !weir__list_take(rest, '"'))
        return false;
    weir__list_take_space(rest);
    return true;
}

/* Take one element of the header.  Returns 1, 0 at the end, or
 * WEIR_EWEBSOCKET. */
static int take_extension(weir_bytes *rest, struct extension *extension)
{
    struct parameter parameter;
    weir_bytes name;

    memset(extension, 0, sizeof(*extension));
    do
        weir__list_take_space(rest);
    while (weir__list_take(rest, ','));
    if (rest->size == 0)
        return 0;
    if (!weir__list_take_token(rest, &name))
        return WEIR_EWEBSOCKET;
    extension->is_deflate = weir__list_equals_nocase(name, NAME);
    extension->is_valid = true;
    extension->given.is_on = true;
    weir__list_take_space(rest);
    while (weir__list_take(rest, ';')) {
        if (!take_parameter(rest, &parameter))
            return WEIR_EWEBSOCKET;
        if (extension->is_deflate)
            extension->is_valid &= set_parameter(extension, &parameter);
    }
    return rest->size == 0 || weir__list_take(rest, ',') ? 1 : WEIR_EWEBSOCKET;
}

/* ---- the server ---- */

/* 0 is no limit. */
static uint8_t smaller(uint8_t one, uint8_t other)
{
    if (one == 0 || other == 0)
        return one + other;
    return one < other ? one : other;
}

/* The answer restricts the server as the offer and the server want, and the
 * client as far as it has said that it can be.  zlib cannot compress with a
 * window of 8 bits. */
static bool accept_offer(const weir_websocket_deflate *wanted,
                         const struct extension *offer,
                         weir_websocket_deflate *agreed)
{
    const weir_websocket_deflate *given = &offer->given;
    weir_websocket_deflate answer = *given;

    if (!offer->is_deflate || !offer->is_valid)
        return false;
    if (given->server_max_window_bits == SMALLEST)
        return false;
    answer.server_max_window_bits =
        smaller(given->server_max_window_bits, wanted->server_max_window_bits);
    if (offer->has_client_bits)
        answer.client_max_window_bits = smaller(given->client_max_window_bits,
                                                wanted->client_max_window_bits);
    answer.server_no_context_takeover |= wanted->server_no_context_takeover;
    answer.client_no_context_takeover |= wanted->client_no_context_takeover;
    *agreed = answer;
    return true;
}

int weir__extension_accept(const weir_websocket_deflate *wanted,
                           weir_bytes header, weir_websocket_deflate *agreed)
{
    struct extension offer;
    int result;

    while ((result = take_extension(&header, &offer)) == 1) {
        if (wanted->is_on && !agreed->is_on)
            (void)accept_offer(wanted, &offer, agreed);
    }
    return result;
}

/* ---- the client ---- */

/* The server may restrict itself more than it was asked to, not less. */
static bool check_answer(const weir_websocket_deflate *wanted,
                         const struct extension *answer)
{
    const weir_websocket_deflate *given = &answer->given;
    uint8_t limit = wanted->server_max_window_bits;

    if (!answer->is_deflate || !answer->is_valid || !wanted->is_on)
        return false;
    if (answer->has_client_bits && given->client_max_window_bits == 0)
        return false; /* only an offer may leave the value open */
    if (wanted->server_no_context_takeover &&
        !given->server_no_context_takeover)
        return false;
    return limit == 0 || (given->server_max_window_bits != 0 &&
                          given->server_max_window_bits <= limit);
}

int weir__extension_check(const weir_websocket_deflate *wanted,
                          weir_bytes header, weir_websocket_deflate *agreed)
{
    struct extension answer;
    int result;

    while ((result = take_extension(&header, &answer)) == 1) {
        if (agreed->is_on || !check_answer(wanted, &answer))
            return WEIR_EWEBSOCKET;
        *agreed = answer.given;
        agreed->client_max_window_bits = smaller(
            agreed->client_max_window_bits, wanted->client_max_window_bits);
        agreed->client_no_context_takeover |=
            wanted->client_no_context_takeover;
    }
    return result;
}

/* ---- writing ---- */

static void write_flags(const weir_websocket_deflate *deflate, char *text,
                        size_t size)
{
    snprintf(
        text, size, "%s%s%s", NAME,
        deflate->server_no_context_takeover ? "; server_no_context_takeover"
                                            : "",
        deflate->client_no_context_takeover ? "; client_no_context_takeover"
                                            : "");
}

static void add_bits(const char *name, uint8_t bits, char *text, size_t size)
{
    size_t length = strlen(text);

    if (bits != 0)
        snprintf(text + length, size - length, "; %s=%u", name, bits);
}

/* client_max_window_bits tells that the client can be restricted. */
void weir__extension_offer(const weir_websocket_deflate *wanted, char *text,
                           size_t size)
{
    size_t length;

    text[0] = '\0';
    if (!wanted->is_on)
        return;
    write_flags(wanted, text, size);
    add_bits("server_max_window_bits", wanted->server_max_window_bits, text,
             size);
    length = strlen(text);
    if (wanted->client_max_window_bits == 0)
        snprintf(text + length, size - length, "; client_max_window_bits");
    else
        snprintf(text + length, size - length, "; client_max_window_bits=%u",
                 wanted->client_max_window_bits);
}

void weir__extension_answer(const weir_websocket_deflate *agreed, char *text,
                            size_t size)
{
    text[0] = '\0';
    if (!agreed->is_on)
        return;
    write_flags(agreed, text, size);
    add_bits("server_max_window_bits", agreed->server_max_window_bits, text,
             size);
    add_bits("client_max_window_bits", agreed->client_max_window_bits, text,
             size);
}

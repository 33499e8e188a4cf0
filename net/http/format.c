/* SPDX-License-Identifier: MIT */
/*
 * format -- see format.h.  No state, no memory: the caller's buffer is large
 * enough because the functions that measure and those that write go through
 * the same parts.
 *
 * Tested by  test/net/http/format.c
 */
#include "http/format.h"

#include <errno.h>
#include <string.h>

#include "http/class.h"
#include "http/header.h"

#define CRLF "\r\n"

/* ---- pieces ---- */

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

static inline char *put(char *to, const void *data, size_t size)
{
    memcpy(to, data, size);
    return to + size;
}

static inline char *put_bytes(char *to, weir_bytes bytes)
{
    if (bytes.size == 0) /* data may be NULL */
        return to;
    return put(to, bytes.data, bytes.size);
}

static const char digits[] = "00010203040506070809"
                             "10111213141516171819"
                             "20212223242526272829"
                             "30313233343536373839"
                             "40414243444546474849"
                             "50515253545556575859"
                             "60616263646566676869"
                             "70717273747576777879"
                             "80818283848586878889"
                             "90919293949596979899";

char *weir__http_number_write(char *to, uint64_t number)
{
    char text[WEIR__HTTP_NUMBER_SIZE];
    char *at = text + sizeof(text);

    while (number >= 100) {
        at -= 2;
        memcpy(at, &digits[number % 100 * 2], 2);
        number /= 100;
    }
    if (number >= 10) {
        at -= 2;
        memcpy(at, &digits[number * 2], 2);
    } else {
        *--at = (char)('0' + number);
    }
    return put(to, at, (size_t)(text + sizeof(text) - at));
}

/* ---- what may be sent ---- */

static bool is_value(weir_bytes value)
{
    const char *data = value.data;

    if (value.size == 0)
        return true;
    if (data == NULL)
        return false;
    if (data[0] == ' ' || data[0] == '\t' || data[value.size - 1] == ' ' ||
        data[value.size - 1] == '\t')
        return false;
    return weir__http_is_made_of(data, value.size, WEIR__HTTP_IN_VALUE);
}

int weir__http_fields_check(const weir_http_field *fields, size_t count)
{
    static const int bits[] = {
        [WEIR__HTTP_NAME_CONTENT_LENGTH] = WEIR__HTTP_HAS_LENGTH,
        [WEIR__HTTP_NAME_TRANSFER_ENCODING] = WEIR__HTTP_HAS_CODING,
        [WEIR__HTTP_NAME_CONNECTION] = WEIR__HTTP_HAS_CONNECTION,
        [WEIR__HTTP_NAME_DATE] = WEIR__HTTP_HAS_DATE,
        [WEIR__HTTP_NAME_HOST] = WEIR__HTTP_HAS_HOST,
        [WEIR__HTTP_NAME_UPGRADE] = WEIR__HTTP_HAS_UPGRADE,
        [WEIR__HTTP_NAME_EXPECT] = WEIR__HTTP_HAS_EXPECT,
        [WEIR__HTTP_NAME_TRAILER] = WEIR__HTTP_HAS_TRAILER,
        [WEIR__HTTP_NAME_CONTENT_TYPE] = WEIR__HTTP_HAS_TYPE,
    };
    int found = 0;

    for (size_t n = 0; n < count; n++) {
        if (!weir__http_is_token(fields[n].name) || !is_value(fields[n].value))
            return -EINVAL;
        found |=
            bits[weir__http_name_id(fields[n].name.data, fields[n].name.size)];
    }
    return found;
}

int weir__http_method_check(weir_bytes method)
{
    return weir__http_is_token(method) ? 0 : -EINVAL;
}

int weir__http_target_check(weir_bytes target)
{
    return target.size > 0 && weir__http_is_made_of(target.data, target.size,
                                                    WEIR__HTTP_IN_QUERY)
               ? 0
               : -EINVAL;
}

int weir__http_reason_check(weir_bytes reason)
{
    return weir__http_is_made_of(reason.data, reason.size, WEIR__HTTP_IN_VALUE)
               ? 0
               : -EINVAL;
}

/* ---- fields ---- */

static size_t fields_size(const weir_http_field *fields, size_t count)
{
    size_t size = count * (sizeof(": " CRLF) - 1);

    for (size_t n = 0; n < count; n++)
        size += fields[n].name.size + fields[n].value.size;
    return size;
}

static char *put_fields(char *to, const weir_http_field *fields, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        to = put_bytes(to, fields[n].name);
        to = PUT(to, ": ");
        to = put_bytes(to, fields[n].value);
        to = PUT(to, CRLF);
    }
    return to;
}

enum {
    /* What put_framing and put_connection write at most. */
    FRAMING_SIZE = sizeof("Content-Length: " CRLF) - 1 + WEIR__HTTP_NUMBER_SIZE,
    CONNECTION_SIZE = sizeof("Connection: keep-alive" CRLF) - 1,
};

_Static_assert((int)FRAMING_SIZE >=
                   (int)sizeof("Transfer-Encoding: chunked" CRLF) - 1,
               "the longer of both");

static char *put_framing(char *to, enum weir__http_framing framing,
                         uint64_t length)
{
    switch (framing) {
    case WEIR__HTTP_FRAME_NONE:
        break;
    case WEIR__HTTP_FRAME_LENGTH:
        to = PUT(to, "Content-Length: ");
        to = weir__http_number_write(to, length);
        return PUT(to, CRLF);
    case WEIR__HTTP_FRAME_CHUNKED:
        return PUT(to, "Transfer-Encoding: chunked" CRLF);
    }
    return to;
}

static char *put_connection(char *to, enum weir__http_connection connection)
{
    switch (connection) {
    case WEIR__HTTP_CONNECTION_NONE:
        break;
    case WEIR__HTTP_CONNECTION_CLOSE:
        return PUT(to, "Connection: close" CRLF);
    case WEIR__HTTP_CONNECTION_KEEP_ALIVE:
        return PUT(to, "Connection: keep-alive" CRLF);
    case WEIR__HTTP_CONNECTION_UPGRADE:
        return PUT(to, "Connection: upgrade" CRLF);
    }
    return to;
}

/* ---- status lines ---- */

#define REASONS(X)                                                             \
    X(100, "Continue")                                                         \
    X(101, "Switching Protocols")                                              \
    X(102, "Processing")                                                       \
    X(103, "Early Hints")                                                      \
    X(200, "OK")                                                               \
    X(201, "Created")                                                          \
    X(202, "Accepted")                                                         \
    X(203, "Non-Authoritative Information")                                    \
    X(204, "No Content")                                                       \
    X(205, "Reset Content")                                                    \
    X(206, "Partial Content")                                                  \
    X(207, "Multi-Status")                                                     \
    X(208, "Already Reported")                                                 \
    X(226, "IM Used")                                                          \
    X(300, "Multiple Choices")                                                 \
    X(301, "Moved Permanently")                                                \
    X(302, "Found")                                                            \
    X(303, "See Other")                                                        \
    X(304, "Not Modified")                                                     \
    X(305, "Use Proxy")                                                        \
    X(307, "Temporary Redirect")                                               \
    X(308, "Permanent Redirect")                                               \
    X(400, "Bad Request")                                                      \
    X(401, "Unauthorized")                                                     \
    X(402, "Payment Required")                                                 \
    X(403, "Forbidden")                                                        \
    X(404, "Not Found")                                                        \
    X(405, "Method Not Allowed")                                               \
    X(406, "Not Acceptable")                                                   \
    X(407, "Proxy Authentication Required")                                    \
    X(408, "Request Timeout")                                                  \
    X(409, "Conflict")                                                         \
    X(410, "Gone")                                                             \
    X(411, "Length Required")                                                  \
    X(412, "Precondition Failed")                                              \
    X(413, "Content Too Large")                                                \
    X(414, "URI Too Long")                                                     \
    X(415, "Unsupported Media Type")                                           \
    X(416, "Range Not Satisfiable")                                            \
    X(417, "Expectation Failed")                                               \
    X(421, "Misdirected Request")                                              \
    X(422, "Unprocessable Content")                                            \
    X(423, "Locked")                                                           \
    X(424, "Failed Dependency")                                                \
    X(425, "Too Early")                                                        \
    X(426, "Upgrade Required")                                                 \
    X(428, "Precondition Required")                                            \
    X(429, "Too Many Requests")                                                \
    X(431, "Request Header Fields Too Large")                                  \
    X(451, "Unavailable For Legal Reasons")                                    \
    X(500, "Internal Server Error")                                            \
    X(501, "Not Implemented")                                                  \
    X(502, "Bad Gateway")                                                      \
    X(503, "Service Unavailable")                                              \
    X(504, "Gateway Timeout")                                                  \
    X(505, "HTTP Version Not Supported")                                       \
    X(506, "Variant Also Negotiates")                                          \
    X(507, "Insufficient Storage")                                             \
    X(508, "Loop Detected")                                                    \
    X(511, "Network Authentication Required")

weir_bytes weir__http_reason(unsigned status)
{
    switch (status) {
#define X(number, text)                                                        \
    case number:                                                               \
        return (weir_bytes)WEIR_BYTES_OF(text);
        REASONS(X)
#undef X
    }
    return (weir_bytes)WEIR_BYTES_OF("");
}

static weir_bytes reason_of(const struct weir__http_response *response)
{
    return response->reason.data != NULL ? response->reason
                                         : weir__http_reason(response->status);
}

enum { DATE_SIZE = sizeof("Date: " CRLF) - 1 + WEIR__HTTP_DATE_SIZE };

size_t weir__http_response_size(const struct weir__http_response *response)
{
    return sizeof("HTTP/1.1 200 " CRLF CRLF) - 1 + reason_of(response).size +
           fields_size(response->fields, response->field_count) + DATE_SIZE +
           FRAMING_SIZE + CONNECTION_SIZE;
}

static char *put_status(char *to, const struct weir__http_response *response)
{
    unsigned status = response->status;

    if (status == 200 && response->reason.data == NULL)
        return PUT(to, "HTTP/1.1 200 OK" CRLF);
    to = PUT(to, "HTTP/1.1 ");
    *to++ = (char)('0' + status / 100 % 10);
    *to++ = (char)('0' + status / 10 % 10);
    *to++ = (char)('0' + status % 10);
    *to++ = ' ';
    to = put_bytes(to, reason_of(response));
    return PUT(to, CRLF);
}

char *weir__http_response_write(const struct weir__http_response *response,
                                char *to)
{
    to = put_status(to, response);
    if (response->date != NULL) {
        to = PUT(to, "Date: ");
        to = put(to, response->date, WEIR__HTTP_DATE_SIZE);
        to = PUT(to, CRLF);
    }
    to = put_fields(to, response->fields, response->field_count);
    to = put_connection(to, response->connection);
    to = put_framing(to, response->framing, response->length);
    return PUT(to, CRLF);
}

/* ---- requests ---- */

size_t weir__http_request_size(const struct weir__http_request *request)
{
    return request->method.size + request->target.size +
           sizeof("  HTTP/1.1" CRLF "Host: " CRLF CRLF) - 1 +
           request->host.size +
           fields_size(request->fields, request->field_count) + FRAMING_SIZE +
           CONNECTION_SIZE;
}

char *weir__http_request_write(const struct weir__http_request *request,
                               char *to)
{
    to = put_bytes(to, request->method);
    *to++ = ' ';
    to = put_bytes(to, request->target);
    to = PUT(to, " HTTP/1.1" CRLF);
    if (request->host.data != NULL) { /* RFC 9110, 7.2: it comes first */
        to = PUT(to, "Host: ");
        to = put_bytes(to, request->host);
        to = PUT(to, CRLF);
    }
    to = put_fields(to, request->fields, request->field_count);
    to = put_connection(to, request->connection);
    to = put_framing(to, request->framing, request->length);
    return PUT(to, CRLF);
}

/* ---- decisions ---- */

enum weir__http_connection
weir__http_connection_for(const struct weir__http_message *request, bool keep)
{
    if (!keep || request == NULL ||
        (request->flags & WEIR__HTTP_KEEP_ALIVE) == 0)
        return WEIR__HTTP_CONNECTION_CLOSE;
    /* HTTP/1.0 closes unless it is told otherwise. */
    return request->minor == 0 ? WEIR__HTTP_CONNECTION_KEEP_ALIVE
                               : WEIR__HTTP_CONNECTION_NONE;
}

bool weir__http_has_body(enum weir__http_method method, unsigned status)
{
    return method != WEIR__HTTP_HEAD && status >= 200 && status != 204 &&
           status != 304 && !(method == WEIR__HTTP_CONNECT && status < 300);
}

/* ---- chunks ---- */

char *weir__http_chunk_write(char *to, uint64_t size)
{
    static const char hex[] = "0123456789abcdef";
    int shift = 0;

    while (shift < 60 && size >> (shift + 4) != 0)
        shift += 4;
    for (; shift >= 0; shift -= 4)
        *to++ = hex[size >> shift & 15];
    return PUT(to, CRLF);
}

size_t weir__http_last_size(const weir_http_field *trailers, size_t count)
{
    return sizeof("0" CRLF CRLF) - 1 + fields_size(trailers, count);
}

char *weir__http_last_write(const weir_http_field *trailers, size_t count,
                            char *to)
{
    to = PUT(to, "0" CRLF);
    to = put_fields(to, trailers, count);
    return PUT(to, CRLF);
}

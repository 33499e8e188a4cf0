/* SPDX-License-Identifier: MIT */
/*
 * reason -- see reason.h.
 *
 * The queue belongs to the thread, not to a connection.  What one connection
 * left there would be taken for the failure of the next, so every caller clears
 * it before and after using OpenSSL.
 */
#include "tls/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

int weir__tls_reason_set(struct weir__tls_reason reason, int status,
                         const char *format, ...)
{
    va_list arguments;

    if (reason.size == 0)
        return status;
    va_start(arguments, format);
    vsnprintf(reason.text, reason.size, format, arguments);
    va_end(arguments);
    return status;
}

void weir__tls_reason_clear(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

static bool is_out_of_memory(unsigned long code)
{
    return ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE ||
           (ERR_SYSTEM_ERROR(code) && ERR_GET_REASON(code) == ENOMEM);
}

/* "sslv3 alert handshake failure" is nothing of SSL 3: OpenSSL names the alerts
 * by the version that introduced them. */
static const char *alert_name(unsigned long code)
{
    int reason = ERR_GET_REASON(code);
    const char *text = ERR_reason_error_string(code), *name;

    if (ERR_GET_LIB(code) != ERR_LIB_SSL || reason < SSL_AD_REASON_OFFSET)
        return NULL;
    name = text != NULL ? strstr(text, " alert ") : NULL;
    if (name != NULL)
        return name + strlen(" alert ");
    return SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET);
}

static void describe(struct weir__tls_reason reason, unsigned long code,
                     const char *data, const char *what)
{
    const char *text = ERR_reason_error_string(code);
    const char *alert = alert_name(code);
    const char *colon = what != NULL ? ": " : "";

    if (what == NULL)
        what = "";
    if (alert != NULL)
        (void)weir__tls_reason_set(reason, 0, "%s%sthe peer sent the alert: %s",
                                   what, colon, alert);
    else if (text == NULL)
        (void)weir__tls_reason_set(reason, 0, "%s%serror %08lx of OpenSSL",
                                   what, colon, code);
    else
        (void)weir__tls_reason_set(reason, 0, "%s%s%s%s%s", what, colon, text,
                                   data[0] != '\0' ? ": " : "", data);
}

int weir__tls_reason_take(struct weir__tls_reason reason, int status,
                          const char *what)
{
    const char *data;
    int flags;
    unsigned long first = ERR_peek_error_data(&data, &flags);

    /* Later errors are consequences, some of them with a wrong name. */
    if (is_out_of_memory(first))
        status = weir__tls_reason_set(reason, -ENOMEM, "out of memory");
    else
        describe(reason, first, flags & ERR_TXT_STRING ? data : "", what);
    ERR_clear_error();
    return status;
}

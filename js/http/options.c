/* SPDX-License-Identifier: MIT */
/*
 * options -- see options.h.
 *
 * Tested by  test/js/http/serve-options.mjs
 */
#include "http/options.h"

#include "bytes/bytes.h"
#include "core/error.h"

int weir__js_option_number(JSContext *context, JSValueConst options,
                           const char *name, int64_t *number)
{
    JSValue value = JS_GetPropertyStr(context, options, name);
    int status = JS_IsException(value) ? -1 : 0;

    if (status == 0 && !JS_IsUndefined(value))
        status = JS_ToInt64(context, number, value);
    JS_FreeValue(context, value);
    return status;
}

/* Each number as its own type; times are in milliseconds. */
int weir__js_server_options(JSContext *context, JSValueConst given,
                            weir_http_server_options *options)
{
    const struct {
        const char *name;
        int64_t *ns;
    } times[] = {{"headerTimeout", &options->header_ns},
                 {"requestTimeout", &options->request_ns},
                 {"keepAliveTimeout", &options->keep_alive_ns},
                 {"writeTimeout", &options->write_ns},
                 {"drainDelay", &options->drain_delay_ns},
                 {"drainDeadline", &options->drain_deadline_ns},
                 {"drainIdle", &options->drain_idle_ns},
                 {"drainLinger", &options->drain_linger_ns}};
    const struct {
        const char *name;
        uint32_t *number;
    } limits[] = {
        {"maxHeaderSize", &options->head_bytes},
        {"maxTargetSize", &options->target_bytes},
        {"maxHeaders", &options->fields},
        {"maxConnections", &options->connections},
        {"maxConnectionsPerAddress", &options->connections_per_address},
        {"maxRequestsPerConnection", &options->requests_per_connection}};
    int64_t number, health = 0, half_open = 0;

    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        number = 0;
        if (weir__js_option_number(context, given, times[i].name, &number) < 0)
            return -1;
        *times[i].ns = number > INT64_MAX / 1000000 ? -1 : number * 1000000;
    }
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
        number = 0;
        if (weir__js_option_number(context, given, limits[i].name, &number) < 0)
            return -1;
        *limits[i].number = (uint32_t)number;
    }
    if (weir__js_option_number(context, given, "health", &health) < 0 ||
        weir__js_option_number(context, given, "allowHalfOpen", &half_open) < 0)
        return -1;
    options->has_health = health != 0;
    options->half_close_aborts = half_open == 0;
    return weir__js_option_number(context, given, "maxBodySize",
                                  &options->body_bytes);
}

/* Get bytes of an options object; none if there are none. */
static int read_bytes(JSContext *context, JSValueConst options,
                      const char *name, weir_bytes *bytes)
{
    JSValue value = JS_GetPropertyStr(context, options, name);
    struct weir__js_bytes found = {.size = 0};
    int status = JS_IsException(value) ? -1 : 0;

    if (status == 0 && !JS_IsUndefined(value))
        status = weir__js_bytes(context, value, &found);
    *bytes = (weir_bytes){found.size > 0 ? found.data : NULL, found.size};
    JS_FreeValue(context, value); /* the options hold it */
    return status;
}

int weir__js_server_tls(JSContext *context, JSValueConst given, weir_tls **tls)
{
    weir_tls_certificate pair = {.size = sizeof(pair)};
    weir_tls_options options = {
        .size = sizeof(options), .certificate = &pair, .alpn = "http/1.1"};
    int64_t clients = 0;
    char reason[256] = "";
    int err;

    *tls = NULL;
    if (read_bytes(context, given, "cert", &pair.chain) < 0 ||
        read_bytes(context, given, "key", &pair.key) < 0 ||
        read_bytes(context, given, "ca", &options.ca) < 0 ||
        weir__js_option_number(context, given, "clients", &clients) < 0)
        return -1;
    if (pair.chain.data == NULL)
        return 0;
    options.clients = (weir_tls_clients)clients;
    err = weir_tls_new(tls, WEIR_TLS_SERVER, &options, reason, sizeof(reason));
    if (err == 0)
        return 0;
    weir__js_throw_status_as(context, err, reason[0] != '\0' ? reason : NULL);
    return -1;
}

int weir__js_listener_options(JSContext *context, JSValueConst given,
                              weir_listener_options *options)
{
    int64_t only = 0, mode = 0, backlog = 0, reuse = 0, fd = -1;

    if (weir__js_option_number(context, given, "ipv6Only", &only) < 0 ||
        weir__js_option_number(context, given, "mode", &mode) < 0 ||
        weir__js_option_number(context, given, "backlog", &backlog) < 0 ||
        weir__js_option_number(context, given, "reusePort", &reuse) < 0 ||
        weir__js_option_number(context, given, "fd", &fd) < 0)
        return -1;
    options->is_ipv6_only = only != 0;
    options->unix_mode = (int)mode;
    options->backlog = (int)backlog;
    options->reuse_port = reuse != 0;
    options->has_fd = fd >= 0;
    options->fd = (int)fd;
    return 0;
}

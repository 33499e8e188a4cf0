/* SPDX-License-Identifier: MIT */
/*
 * address -- see address.h.
 *
 * Tested by  test/js/net/net-*.js
 */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "core/builtin.h"
#include "core/permission.h"
#include "core/property.h"
#include "system/syserror.h"

enum { NODE_EOF = 4095 }; /* -UV_EOF */

/* weir_address_parse also takes "1.2.3.4:80" and paths. */
static bool is_ip(const char *text)
{
    struct in6_addr address;
    const char *scope = strchr(text, '%');
    char plain[INET6_ADDRSTRLEN];

    if (scope == NULL)
        return inet_pton(AF_INET, text, &address) == 1 ||
               inet_pton(AF_INET6, text, &address) == 1;
    if ((size_t)(scope - text) >= sizeof(plain))
        return false;
    memcpy(plain, text, (size_t)(scope - text));
    plain[scope - text] = '\0';
    return inet_pton(AF_INET6, plain, &address) == 1;
}

int weir__js_address_read(JSContext *context, JSValueConst text,
                          JSValueConst port, weir_address *address)
{
    uint32_t number = 0;
    const char *chars;
    int err;

    if (JS_ToUint32(context, &number, port) < 0)
        return -1;
    chars = JS_ToCString(context, text);
    if (chars == NULL)
        return -1;
    err = is_ip(chars) ? weir_address_parse(address, chars, (uint16_t)number)
                       : -EINVAL;
    JS_FreeCString(context, chars);
    return err;
}

int weir__js_address_read_path(JSContext *context, JSValueConst path,
                               weir_address *address)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    size_t size;
    const char *chars = JS_ToCStringLen(context, &size, path);
    bool is_abstract;
    int err;

    if (chars == NULL)
        return -1;
    is_abstract = size > 0 && chars[0] == '\0';
    if (size >= sizeof(name.sun_path)) {
        err = -ENAMETOOLONG;
    } else {
        memcpy(name.sun_path, chars, size);
        err = weir_address_from(address, &name,
                                offsetof(struct sockaddr_un, sun_path) + size +
                                    !is_abstract);
    }
    JS_FreeCString(context, chars);
    return err;
}

bool weir__js_address_check(JSContext *context, int wanted,
                            const weir_address *address)
{
    const struct sockaddr_un *name;
    char text[WEIR_ADDRESS_TEXT];
    size_t size;

    if (!weir__js_is_confined)
        return true;
    name = weir_address_sockaddr(address, &size);
    weir_address_format(address, text, sizeof(text));
    /* The text of an abstract name looks like a file whose name begins with
     * "@". */
    if (weir_address_family_of(address) == WEIR_ADDRESS_UNIX &&
        size > offsetof(struct sockaddr_un, sun_path) &&
        name->sun_path[0] != '\0')
        return weir__js_check_path(context, wanted, text);
    return weir__js_check_may(context, WEIR__JS_MAY_NET);
}

bool weir__js_address_check_text(JSContext *context, const char *text)
{
    weir_address address;

    if (!weir__js_is_confined)
        return true;
    return text != NULL && weir_address_parse(&address, text, 0) == 0
               ? weir__js_address_check(context, WEIR__JS_MAY_WRITE, &address)
               : weir__js_check_may(context, WEIR__JS_MAY_NET);
}

JSValue weir__js_address_text(JSContext *context, const weir_address *address)
{
    char text[WEIR_ADDRESS_TEXT];

    weir_address_format_host(address, text, sizeof(text));
    return JS_NewString(context, text);
}

JSValue weir__js_address_object(JSContext *context, const weir_address *address)
{
    weir_address_family family = weir_address_family_of(address);
    JSValue object = JS_NewObject(context);

    if (JS_IsException(object) ||
        (family != WEIR_ADDRESS_IPV4 && family != WEIR_ADDRESS_IPV6))
        return object;
    if (weir__js_set_property(context, object, "address",
                              weir__js_address_text(context, address)) >= 0 &&
        weir__js_set_property(context, object, "family",
                              JS_NewString(context, family == WEIR_ADDRESS_IPV4
                                                        ? "IPv4"
                                                        : "IPv6")) >= 0 &&
        weir__js_set_property(
            context, object, "port",
            JS_NewInt32(context, weir_address_port(address))) >= 0)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* parseIp(text): its bytes as an array, or undefined.  A zone, as in
 * "fe80::1%eth0", is accepted and dropped. */
static JSValue parse_ip(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    unsigned char bytes[16];
    size_t size;
    const char *text = JS_ToCStringLen(context, &size, argv[0]);
    JSValue values[16];
    int count = 0;

    if (text == NULL)
        return JS_EXCEPTION;
    if (strlen(text) != size)
        count = 0;
    else if (inet_pton(AF_INET, text, bytes) == 1)
        count = 4;
    else if (inet_pton(AF_INET6, text, bytes) == 1)
        count = 16;
    JS_FreeCString(context, text);
    if (count == 0)
        return JS_UNDEFINED;
    for (int i = 0; i < count; i++)
        values[i] = JS_NewInt32(context, bytes[i]);
    return weir__js_new_array(context, count, values);
}

/* errorName(errno): [name, text], or undefined */
static JSValue error_name(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    static const struct weir__js_syserror end = {NODE_EOF, "EOF", "end of file",
                                                 false};
    const struct weir__js_syserror *known;
    JSValue values[2];
    int32_t number;

    if (JS_ToInt32(context, &number, argv[0]) < 0)
        return JS_EXCEPTION;
    known = number == NODE_EOF ? &end : weir__js_syserror_find(number);
    if (known == NULL)
        return JS_UNDEFINED;
    values[0] = JS_NewString(context, known->name);
    values[1] =
        JS_NewString(context, known->text != NULL ? known->text : known->name);
    return weir__js_new_array(context, 2, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("parseIp", 1, parse_ip),
    JS_CFUNC_DEF("errorName", 1, error_name),
};

const struct weir__js_builtin weir__js_address_builtin = {
    WEIR__JS_LIBS("net/address", "net/errors"),
    WEIR__JS_NATIVES(natives),
};

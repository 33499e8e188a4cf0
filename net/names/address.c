/* SPDX-License-Identifier: MIT */
/*
 * address -- a struct sockaddr_storage that can be copied, parsed and printed.
 *
 * An abstract name begins with a NUL byte in the kernel and with "@" in text.
 * The scope of a link-local address is the interface's name in text and its
 * index in the kernel.
 */
#include "weir/net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

_Static_assert(sizeof(((weir_address *)0)->bytes_) >=
                   sizeof(struct sockaddr_storage),
               "every address fits");

/* The bytes are declared as integers, so that the public header needs no system
 * header.  An access through a union that has them as a member may alias. */
union name {
    uint64_t bytes[sizeof(((weir_address *)0)->bytes_) / sizeof(uint64_t)];
    struct sockaddr any;
    struct sockaddr_in ipv4;
    struct sockaddr_in6 ipv6;
    struct sockaddr_un path;
};

enum { PATH_OFFSET = offsetof(struct sockaddr_un, sun_path) };

static union name *name_of(const weir_address *address)
{
    return (union name *)address->bytes_;
}

/* ---- from text ---- */

static int parse_path(weir_address *address, const char *text)
{
    size_t length = strlen(text);
    bool is_abstract = text[0] == '@';
    struct sockaddr_un *name = &name_of(address)->path;

    if (length + !is_abstract > sizeof(name->sun_path))
        return -ENAMETOOLONG;
    name->sun_family = AF_UNIX;
    memcpy(name->sun_path, text, length);
    if (is_abstract)
        name->sun_path[0] = '\0';
    /* A path is counted with its NUL, an abstract name without. */
    address->size_ = (uint32_t)(PATH_OFFSET + length + !is_abstract);
    return 0;
}

static int parse_port(const char *text, uint16_t *port)
{
    unsigned long number = 0;

    if (*text == '\0' || strlen(text) > 5)
        return -EINVAL;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        number = number * 10 + (unsigned long)(*text - '0');
    }
    if (number > UINT16_MAX)
        return -EINVAL;
    *port = (uint16_t)number;
    return 0;
}

static int parse_scope(struct sockaddr_in6 *name, const char *scope)
{
    char *end;
    unsigned long number;

    if (*scope == '\0')
        return -EINVAL;
    name->sin6_scope_id = if_nametoindex(scope);
    if (name->sin6_scope_id != 0)
        return 0;
    errno = 0;
    number = strtoul(scope, &end, 10);
    if (*scope < '0' || *scope > '9' || *end != '\0' || errno != 0 ||
        number == 0 || number > UINT32_MAX)
        return -ENODEV;
    name->sin6_scope_id = (uint32_t)number;
    return 0;
}

static int parse_ipv6(weir_address *address, char *host)
{
    struct sockaddr_in6 *name = &name_of(address)->ipv6;
    char *scope = strchr(host, '%');

    if (scope != NULL)
        *scope++ = '\0';
    name->sin6_family = AF_INET6;
    address->size_ = sizeof(*name);
    if (inet_pton(AF_INET6, host, &name->sin6_addr) != 1)
        return -EINVAL;
    return scope == NULL ? 0 : parse_scope(name, scope);
}

static int parse_ipv4(weir_address *address, const char *host)
{
    struct sockaddr_in *name = &name_of(address)->ipv4;

    name->sin_family = AF_INET;
    address->size_ = sizeof(*name);
    return inet_pton(AF_INET, host, &name->sin_addr) == 1 ? 0 : -EINVAL;
}

/* Split "[host]:port", "[host]", "host:port" or "host" in place.  A host with
 * two colons is an IPv6 address without a port. */
static int split_port(char *text, char **host, uint16_t *port)
{
    char *colon, *end;

    *host = text;
    if (text[0] == '[') {
        *host = text + 1;
        end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':') ||
            strchr(*host, ':') == NULL)
            return -EINVAL;
        *end = '\0';
        return end[1] == ':' ? parse_port(end + 2, port) : 0;
    }
    colon = strchr(text, ':');
    if (colon == NULL || strchr(colon + 1, ':') != NULL)
        return 0;
    *colon = '\0';
    return parse_port(colon + 1, port);
}

int weir_address_parse(weir_address *address, const char *text, uint16_t port)
{
    weir_address made = {0};
    char copy[WEIR_ADDRESS_TEXT], *host;
    int err;

    if (address == NULL || text == NULL)
        return -EINVAL;
    if (text[0] == '/' || text[0] == '.' || text[0] == '@') {
        err = parse_path(&made, text);
        if (err == 0)
            *address = made;
        return err;
    }
    if (strlen(text) >= sizeof(copy))
        return -EINVAL;
    strcpy(copy, text);
    err = split_port(copy, &host, &port);
    if (err == 0)
        err = strchr(host, ':') != NULL ? parse_ipv6(&made, host)
                                        : parse_ipv4(&made, host);
    if (err != 0)
        return err;
    weir_address_set_port(&made, port);
    *address = made;
    return 0;
}

/* ---- from and to the kernel ---- */

int weir_address_from(weir_address *address, const void *sockaddr, size_t size)
{
    const struct sockaddr *from = sockaddr;

    if (address == NULL || from == NULL || size < sizeof(from->sa_family) ||
        size > sizeof(address->bytes_))
        return -EINVAL;
    switch (from->sa_family) {
    case AF_INET:
        size =
            size < sizeof(struct sockaddr_in) ? 0 : sizeof(struct sockaddr_in);
        break;
    case AF_INET6:
        size = size < sizeof(struct sockaddr_in6) ? 0
                                                  : sizeof(struct sockaddr_in6);
        break;
    case AF_UNIX:
        size = size > sizeof(struct sockaddr_un) ? 0 : size;
        break;
    default:
        return -EAFNOSUPPORT;
    }
    if (size == 0)
        return -EINVAL;
    memset(address, 0, sizeof(*address));
    memcpy(address->bytes_, from, size);
    address->size_ = (uint32_t)size;
    return 0;
}

const void *weir_address_sockaddr(const weir_address *address, size_t *size)
{
    *size = address->size_;
    return address->bytes_;
}

/* ---- to text ---- */

static size_t format_ipv6(const weir_address *address, char *text, size_t size)
{
    const struct sockaddr_in6 *name = &name_of(address)->ipv6;
    char host[INET6_ADDRSTRLEN], scope[IF_NAMESIZE + 1] = "";

    inet_ntop(AF_INET6, &name->sin6_addr, host, sizeof(host));
    if (name->sin6_scope_id != 0) {
        scope[0] = '%';
        if (if_indextoname(name->sin6_scope_id, scope + 1) == NULL)
            snprintf(scope + 1, sizeof(scope) - 1, "%u", name->sin6_scope_id);
    }
    return (size_t)snprintf(text, size, "[%s%s]:%u", host, scope,
                            ntohs(name->sin6_port));
}

static size_t format_unix(const weir_address *address, char *text, size_t size)
{
    const struct sockaddr_un *name = &name_of(address)->path;
    size_t length = address->size_ - PATH_OFFSET;

    if (length > 0 && name->sun_path[0] == '\0')
        return (size_t)snprintf(text, size, "@%.*s", (int)(length - 1),
                                name->sun_path + 1);
    return (size_t)snprintf(text, size, "%.*s", (int)length, name->sun_path);
}

size_t weir_address_format(const weir_address *address, char *text, size_t size)
{
    char host[INET_ADDRSTRLEN];

    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        inet_ntop(AF_INET, &name_of(address)->ipv4.sin_addr, host,
                  sizeof(host));
        return (size_t)snprintf(text, size, "%s:%u", host,
                                weir_address_port(address));
    case WEIR_ADDRESS_IPV6:
        return format_ipv6(address, text, size);
    case WEIR_ADDRESS_UNIX:
        return format_unix(address, text, size);
    case WEIR_ADDRESS_NONE:
        break;
    }
    return (size_t)snprintf(text, size, "%s", "");
}

/* ---- its parts ---- */

weir_address_family weir_address_family_of(const weir_address *address)
{
    if (address == NULL || address->size_ == 0)
        return WEIR_ADDRESS_NONE;
    switch (name_of(address)->any.sa_family) {
    case AF_INET:
        return WEIR_ADDRESS_IPV4;
    case AF_INET6:
        return WEIR_ADDRESS_IPV6;
    case AF_UNIX:
        return WEIR_ADDRESS_UNIX;
    default:
        return WEIR_ADDRESS_NONE;
    }
}

uint16_t weir_address_port(const weir_address *address)
{
    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        return ntohs(name_of(address)->ipv4.sin_port);
    case WEIR_ADDRESS_IPV6:
        return ntohs(name_of(address)->ipv6.sin6_port);
    default:
        return 0;
    }
}

void weir_address_set_port(weir_address *address, uint16_t port)
{
    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        name_of(address)->ipv4.sin_port = htons(port);
        break;
    case WEIR_ADDRESS_IPV6:
        name_of(address)->ipv6.sin6_port = htons(port);
        break;
    default:
        break;
    }
}

bool weir_address_is_equal(const weir_address *one, const weir_address *other)
{
    return one->size_ == other->size_ &&
           memcmp(one->bytes_, other->bytes_, one->size_) == 0;
}

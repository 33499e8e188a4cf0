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
        if (end == NULL || (end[1] != '\0' && end[1] != ':'))
            return -EINVAL;
        *end = '\0';
        if (strchr(*host, ':') == NULL)
            return -EINVAL;
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

/* The size of a Unix address as the kernel counts it: a path ends with its NUL,
 * which the kernel counts even if a path of 108 bytes leaves no room for it. */
static size_t measure_path(const struct sockaddr_un *name, size_t size)
{
    size_t length;

    if (size <= PATH_OFFSET || name->sun_path[0] == '\0')
        return size <= sizeof(*name) ? size : 0;
    length = strnlen(name->sun_path, size - PATH_OFFSET);
    if (length > sizeof(name->sun_path))
        return 0;
    return length < sizeof(name->sun_path) ? PATH_OFFSET + length + 1
                                           : sizeof(*name);
}

/* The size that the name has in its canonical form, or 0: the given one does
 * not fit the family. */
static size_t measure(union name *name, size_t size)
{
    switch (name->any.sa_family) {
    case AF_INET:
        memset(name->ipv4.sin_zero, 0, sizeof(name->ipv4.sin_zero));
        return size < sizeof(name->ipv4) ? 0 : sizeof(name->ipv4);
    case AF_INET6:
        return size < sizeof(name->ipv6) ? 0 : sizeof(name->ipv6);
    default:
        return measure_path(&name->path, size);
    }
}

int weir_address_from(weir_address *address, const void *sockaddr, size_t size)
{
    weir_address made = {0};
    union name *name = name_of(&made);

    if (address == NULL || sockaddr == NULL ||
        size < sizeof(name->any.sa_family) || size > sizeof(made.bytes_))
        return -EINVAL;
    memcpy(name, sockaddr, size);
    if (name->any.sa_family != AF_INET && name->any.sa_family != AF_INET6 &&
        name->any.sa_family != AF_UNIX)
        return -EAFNOSUPPORT;
    made.size_ = (uint32_t)measure(name, size);
    if (made.size_ == 0)
        return -EINVAL;
    memset((char *)name + made.size_, 0, sizeof(made.bytes_) - made.size_);
    *address = made;
    return 0;
}

const void *weir_address_sockaddr(const weir_address *address, size_t *size)
{
    *size = address->size_;
    return address->bytes_;
}

/* ---- to text ---- */

/* The host with its scope, for example "fe80::1%eth0".  A scope whose interface
 * is gone is a number. */
static void format_ipv6(const weir_address *address, char *host, size_t size)
{
    const struct sockaddr_in6 *name = &name_of(address)->ipv6;
    char scope[IF_NAMESIZE];
    size_t length;

    inet_ntop(AF_INET6, &name->sin6_addr, host, (socklen_t)size);
    if (name->sin6_scope_id == 0)
        return;
    length = strlen(host);
    if (if_indextoname(name->sin6_scope_id, scope) != NULL)
        snprintf(host + length, size - length, "%%%s", scope);
    else
        snprintf(host + length, size - length, "%%%u", name->sin6_scope_id);
}

/* NULs are shown as "@", as /proc/net/unix shows them. */
static void format_path(const weir_address *address, char *host)
{
    const struct sockaddr_un *name = &name_of(address)->path;
    size_t length = address->size_ - PATH_OFFSET;
    bool is_abstract = length > 0 && name->sun_path[0] == '\0';

    if (!is_abstract)
        length = strnlen(name->sun_path, length);
    for (size_t i = 0; i < length; i++)
        host[i] = name->sun_path[i] == '\0' ? '@' : name->sun_path[i];
    host[length] = '\0';
}

static void format_host(const weir_address *address,
                        char host[WEIR_ADDRESS_TEXT])
{
    host[0] = '\0';
    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        inet_ntop(AF_INET, &name_of(address)->ipv4.sin_addr, host,
                  WEIR_ADDRESS_TEXT);
        break;
    case WEIR_ADDRESS_IPV6:
        format_ipv6(address, host, WEIR_ADDRESS_TEXT);
        break;
    case WEIR_ADDRESS_UNIX:
        format_path(address, host);
        break;
    case WEIR_ADDRESS_NONE:
        break;
    }
}

size_t weir_address_format(const weir_address *address, char *text, size_t size)
{
    char host[WEIR_ADDRESS_TEXT];

    format_host(address, host);
    switch (weir_address_family_of(address)) {
    case WEIR_ADDRESS_IPV4:
        return (size_t)snprintf(text, size, "%s:%u", host,
                                weir_address_port(address));
    case WEIR_ADDRESS_IPV6:
        return (size_t)snprintf(text, size, "[%s]:%u", host,
                                weir_address_port(address));
    default:
        return (size_t)snprintf(text, size, "%s", host);
    }
}

size_t weir_address_format_host(const weir_address *address, char *text,
                                size_t size)
{
    char host[WEIR_ADDRESS_TEXT];

    format_host(address, host);
    return (size_t)snprintf(text, size, "%s", host);
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

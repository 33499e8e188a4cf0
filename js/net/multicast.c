/* SPDX-License-Identifier: MIT */
/*
 * multicast -- groups and options of a UDP socket.
 *
 * Tested by  test/js/net/dgram-*.js
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "core/builtin.h"
#include "net/address.h"
#include "net/datagram.h"
#include "net/handle.h"

/* Find the socket behind a value.  Returns 0, -EBADF (closed), or -1 with an
 * exception. */
static int find(JSContext *context, JSValueConst value, weir_datagram **socket,
                bool *is_ipv6)
{
    struct weir__js_datagram *datagram = weir__js_datagram_of(context, value);

    if (datagram == NULL)
        return -1;
    *socket = datagram->socket;
    *is_ipv6 = datagram->family == WEIR_ADDRESS_IPV6;
    return datagram->socket != NULL ? 0 : -EBADF;
}

enum setting { BROADCAST, TTL, MULTICAST_TTL, MULTICAST_LOOPBACK };

/* The level and option of a setting for IPv4 and IPv6. */
static const struct {
    int level[2], option[2];
} table[] = {
    [BROADCAST] = {{SOL_SOCKET, SOL_SOCKET}, {SO_BROADCAST, SO_BROADCAST}},
    [TTL] = {{IPPROTO_IP, IPPROTO_IPV6}, {IP_TTL, IPV6_UNICAST_HOPS}},
    [MULTICAST_TTL] = {{IPPROTO_IP, IPPROTO_IPV6},
                       {IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS}},
    [MULTICAST_LOOPBACK] = {{IPPROTO_IP, IPPROTO_IPV6},
                            {IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP}},
};

static bool is_valid(enum setting setting, int32_t value, bool is_ipv6)
{
    if (setting == TTL)
        return value >= 1 && value <= 255;
    if (setting == MULTICAST_TTL)
        return value >= (is_ipv6 ? -1 : 0) && value <= 255;
    return true;
}

/* setBroadcast(n), setTTL(n), ...: 0 or -errno */
static JSValue set_number(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    weir_datagram *socket;
    bool is_ipv6;
    int32_t value;
    int err = find(context, this_value, &socket, &is_ipv6);

    if (err == -1 || JS_ToInt32(context, &value, argv[0]) < 0)
        return JS_EXCEPTION;
    if (err == 0 && !is_valid((enum setting)magic, value, is_ipv6))
        err = -EINVAL;
    if (err == 0 &&
        setsockopt(weir_datagram_fd(socket), table[magic].level[is_ipv6],
                   table[magic].option[is_ipv6], &value, sizeof(value)) != 0)
        err = -errno;
    return JS_NewInt32(context, err);
}

/* ---- interfaces ---- */

/* The index of the interface that has an IPv4 address; 0: any. */
static int find_interface(const weir_address *address, uint32_t *index)
{
    size_t size;
    const struct sockaddr_in *wanted = weir_address_sockaddr(address, &size);
    struct ifaddrs *list;

    *index = 0;
    if (wanted->sin_addr.s_addr == INADDR_ANY)
        return 0;
    if (getifaddrs(&list) != 0)
        return -errno;
    for (struct ifaddrs *at = list; at != NULL && *index == 0;
         at = at->ifa_next)
        if (at->ifa_addr != NULL && at->ifa_addr->sa_family == AF_INET &&
            ((struct sockaddr_in *)at->ifa_addr)->sin_addr.s_addr ==
                wanted->sin_addr.s_addr)
            *index = if_nametoindex(at->ifa_name);
    freeifaddrs(list);
    return *index != 0 ? 0 : -ENODEV;
}

/* Read an interface: the address that it has, or "::%name" for IPv6. */
static int read_interface(JSContext *context, JSValueConst value,
                          uint32_t *index)
{
    weir_address address;
    JSValue zero = JS_NewInt32(context, 0);
    size_t size;
    int err;

    *index = 0;
    if (JS_IsUndefined(value) || JS_IsNull(value))
        return 0;
    err = weir__js_address_read(context, value, zero, &address);
    if (err != 0)
        return err;
    if (weir_address_family_of(&address) == WEIR_ADDRESS_IPV4)
        return find_interface(&address, index);
    *index =
        ((const struct sockaddr_in6 *)weir_address_sockaddr(&address, &size))
            ->sin6_scope_id;
    return 0;
}

/* setMulticastInterface(interface): 0 or -errno */
static JSValue set_interface(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    weir_datagram *socket;
    bool is_ipv6;
    uint32_t index;
    struct ip_mreqn request = {0};
    int err = find(context, this_value, &socket, &is_ipv6), result = 0;

    if (err == 0)
        err = read_interface(context, argv[0], &index);
    if (err == -1)
        return JS_EXCEPTION;
    if (err != 0)
        return JS_NewInt32(context, err);
    request.imr_ifindex = (int)index;
    result = is_ipv6 ? setsockopt(weir_datagram_fd(socket), IPPROTO_IPV6,
                                  IPV6_MULTICAST_IF, &index, sizeof(index))
                     : setsockopt(weir_datagram_fd(socket), IPPROTO_IP,
                                  IP_MULTICAST_IF, &request, sizeof(request));
    return JS_NewInt32(context, result == 0 ? 0 : -errno);
}

enum { JOIN, LEAVE };

/* join(group, interface, source or undefined), leave(...): 0 or -errno */
static JSValue change_membership(JSContext *context, JSValueConst this_value,
                                 int argc, JSValueConst *argv, int magic)
{
    weir_datagram *socket;
    bool is_ipv6, has_source = !JS_IsUndefined(argv[2]);
    weir_address group, source;
    uint32_t index;
    JSValue zero = JS_NewInt32(context, 0);
    int err = find(context, this_value, &socket, &is_ipv6);

    if (err == 0)
        err = weir__js_address_read(context, argv[0], zero, &group);
    if (err == 0)
        err = read_interface(context, argv[1], &index);
    if (err == 0 && has_source)
        err = weir__js_address_read(context, argv[2], zero, &source);
    if (err == -1)
        return JS_EXCEPTION;
    if (err == 0)
        err = (magic == JOIN ? weir_datagram_join : weir_datagram_leave)(
            socket, &group, has_source ? &source : NULL, index);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* ---- buffers ---- */

/* bufferSize(size or 0, isReceive): the size, or -errno.  As in Node, the size
 * is set if it is not 0; Linux doubles it. */
static JSValue buffer_size(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_datagram *socket;
    bool is_ipv6;
    int option = JS_ToBool(context, argv[1]) > 0 ? SO_RCVBUF : SO_SNDBUF;
    int32_t size;
    int value;
    socklen_t length = sizeof(value);
    int err = find(context, this_value, &socket, &is_ipv6);

    if (err == -1 || JS_ToInt32(context, &size, argv[0]) < 0)
        return JS_EXCEPTION;
    if (err != 0)
        return JS_NewInt32(context, err);
    if (size != 0 && setsockopt(weir_datagram_fd(socket), SOL_SOCKET, option,
                                &size, sizeof(size)) != 0)
        return JS_NewInt32(context, -errno);
    if (getsockopt(weir_datagram_fd(socket), SOL_SOCKET, option, &value,
                   &length) != 0)
        return JS_NewInt32(context, -errno);
    return JS_NewInt32(context, size != 0 ? size : value);
}

const JSCFunctionListEntry weir__js_datagram_settings[] = {
    JS_CFUNC_MAGIC_DEF("setBroadcast", 1, set_number, BROADCAST),
    JS_CFUNC_MAGIC_DEF("setTTL", 1, set_number, TTL),
    JS_CFUNC_MAGIC_DEF("setMulticastTTL", 1, set_number, MULTICAST_TTL),
    JS_CFUNC_MAGIC_DEF("setMulticastLoopback", 1, set_number,
                       MULTICAST_LOOPBACK),
    JS_CFUNC_DEF("setMulticastInterface", 1, set_interface),
    JS_CFUNC_MAGIC_DEF("join", 3, change_membership, JOIN),
    JS_CFUNC_MAGIC_DEF("leave", 3, change_membership, LEAVE),
    JS_CFUNC_DEF("bufferSize", 2, buffer_size),
};
const int weir__js_datagram_settings_count =
    sizeof(weir__js_datagram_settings) / sizeof(*weir__js_datagram_settings);

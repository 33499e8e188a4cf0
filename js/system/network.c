/* SPDX-License-Identifier: MIT */
/*
 * network -- os.networkInterfaces: the network addresses of this machine.
 *
 * Tested by  test/js/system/os-basics.js
 */
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <string.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"

static const void *address_in(const struct sockaddr *address)
{
    return address->sa_family == AF_INET
               ? (const void *)&((const struct sockaddr_in *)address)->sin_addr
               : (const void *)&((const struct sockaddr_in6 *)address)
                     ->sin6_addr;
}

static JSValue as_text(JSContext *context, const struct sockaddr *address,
                       int family)
{
    char text[INET6_ADDRSTRLEN] = "";

    if (address != NULL)
        inet_ntop(family, address_in(address), text, sizeof(text));
    return JS_NewString(context, text);
}

/* The prefix length of an address. */
static int count_bits(const struct sockaddr *mask, int family)
{
    const unsigned char *bytes = mask != NULL ? address_in(mask) : NULL;
    int count = 0;

    for (int i = 0; bytes != NULL && i < (family == AF_INET ? 4 : 16); i++)
        count += __builtin_popcount(bytes[i]);
    return count;
}

/* Find the hardware address, which is in another entry of the list. */
static void find_hardware(const struct ifaddrs *list, const char *name,
                          char text[18])
{
    static const unsigned char none[6];
    const unsigned char *bytes = none;

    for (; list != NULL; list = list->ifa_next)
        if (list->ifa_addr != NULL && list->ifa_addr->sa_family == AF_PACKET &&
            strcmp(list->ifa_name, name) == 0)
            bytes = ((const struct sockaddr_ll *)list->ifa_addr)->sll_addr;
    snprintf(text, 18, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1],
             bytes[2], bytes[3], bytes[4], bytes[5]);
}

/* [name, address, netmask, family, mac, internal, bits, scope] */
static JSValue new_entry(JSContext *context, const struct ifaddrs *list,
                         const struct ifaddrs *one)
{
    int family = one->ifa_addr->sa_family;
    char hardware[18];
    JSValue values[8];

    find_hardware(list, one->ifa_name, hardware);
    values[0] = JS_NewString(context, one->ifa_name);
    values[1] = as_text(context, one->ifa_addr, family);
    values[2] = as_text(context, one->ifa_netmask, family);
    values[3] = JS_NewString(context, family == AF_INET ? "IPv4" : "IPv6");
    values[4] = JS_NewString(context, hardware);
    values[5] = JS_NewBool(context, (one->ifa_flags & IFF_LOOPBACK) != 0);
    values[6] = JS_NewInt32(context, count_bits(one->ifa_netmask, family));
    values[7] =
        family == AF_INET
            ? JS_UNDEFINED
            : JS_NewUint32(
                  context,
                  ((const struct sockaddr_in6 *)one->ifa_addr)->sin6_scope_id);
    return weir__js_new_array(context, 8, values);
}

static bool is_shown(const struct ifaddrs *one)
{
    return (one->ifa_flags & IFF_UP) != 0 &&
           (one->ifa_flags & IFF_RUNNING) != 0 && one->ifa_addr != NULL &&
           (one->ifa_addr->sa_family == AF_INET ||
            one->ifa_addr->sa_family == AF_INET6);
}

/* interfaces() */
static JSValue list_interfaces(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    JSValue entries;
    struct ifaddrs *list;
    uint32_t count = 0;

    if (getifaddrs(&list) != 0)
        return weir__js_throw_system(context, -errno, "uv_interface_addresses",
                                     NULL, NULL);
    entries = JS_NewArray(context);
    for (const struct ifaddrs *one = list; one != NULL; one = one->ifa_next)
        if (is_shown(one) &&
            weir__js_set_element(context, entries, count++,
                                 new_entry(context, list, one)) < 0) {
            JS_FreeValue(context, entries);
            entries = JS_EXCEPTION;
            break;
        }
    freeifaddrs(list);
    return entries;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("interfaces", 0, list_interfaces),
};

const struct weir__js_builtin weir__js_network_builtin = {
    WEIR__JS_LIBS("system/os"),
    WEIR__JS_NATIVES(natives),
};

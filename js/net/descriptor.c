/* SPDX-License-Identifier: MIT */
/*
 * descriptor -- see descriptor.h.
 *
 * Tested by  test/js/process/handle-*, cluster-*
 */
#include "net/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/permission.h"
#include "core/property.h"
#include "net/address.h"

struct descriptor {
    int fd; /* -1: closed or taken */
};

/* ---- the object ---- */

static void close_fd(struct descriptor *descriptor)
{
    if (descriptor->fd >= 0)
        (void)close(descriptor->fd);
    descriptor->fd = -1;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct descriptor *descriptor =
        weir__js_opaque(js, value, WEIR__JS_DESCRIPTOR);

    if (descriptor == NULL)
        return;
    close_fd(descriptor);
    free(descriptor);
}

static const JSClassDef descriptor_class = {.class_name = "Descriptor",
                                            .finalizer = finalize};

JSValue weir__js_descriptor_new(JSContext *context, int fd)
{
    weir_js *js = weir__js_of(context);
    JSValue object =
        JS_NewObjectClass(context, js->classes[WEIR__JS_DESCRIPTOR]);
    struct descriptor *descriptor =
        JS_IsException(object) ? NULL : malloc(sizeof(*descriptor));

    if (descriptor != NULL) {
        descriptor->fd = fd;
        JS_SetOpaque(object, descriptor);
        return object;
    }
    (void)close(fd);
    if (JS_IsException(object))
        return object;
    JS_FreeValue(context, object);
    return JS_ThrowOutOfMemory(context);
}

static struct descriptor *descriptor_of(JSContext *context, JSValueConst value)
{
    struct descriptor *descriptor =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_DESCRIPTOR);

    if (descriptor == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return descriptor;
}

int weir__js_descriptor_fd(JSContext *context, JSValueConst value)
{
    struct descriptor *descriptor = descriptor_of(context, value);

    if (descriptor == NULL)
        return -1;
    if (descriptor->fd < 0)
        JS_ThrowTypeError(context, "the descriptor is closed");
    return descriptor->fd;
}

void weir__js_descriptor_forget(JSContext *context, JSValueConst value)
{
    struct descriptor *descriptor = descriptor_of(context, value);

    if (descriptor != NULL)
        descriptor->fd = -1;
}

enum { CLOSE, FORGET };

/* close(): has no effect if it was closed or taken.  forget(): somebody else
 * owns the number now. */
static JSValue end(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct descriptor *descriptor = descriptor_of(context, this_value);

    if (descriptor == NULL)
        return JS_EXCEPTION;
    if (magic == CLOSE)
        close_fd(descriptor);
    descriptor->fd = -1;
    return JS_UNDEFINED;
}

static JSValue get_fd(JSContext *context, JSValueConst this_value)
{
    struct descriptor *descriptor = descriptor_of(context, this_value);

    return descriptor == NULL ? JS_EXCEPTION
                              : JS_NewInt32(context, descriptor->fd);
}

/* listen(backlog): 0 or -errno */
static JSValue start_listening(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    int fd = weir__js_descriptor_fd(context, this_value);
    int32_t backlog;

    if (fd < 0 || JS_ToInt32(context, &backlog, argv[0]) < 0)
        return JS_EXCEPTION;
    return JS_NewInt32(context, listen(fd, backlog) == 0 ? 0 : -errno);
}

/* isConnection(): whether it is one end of a connection: neither does it
 * listen, nor is it bound for that */
static JSValue is_connection(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    int fd = weir__js_descriptor_fd(context, this_value);
    struct sockaddr_storage name;
    socklen_t size = sizeof(int);
    int type = 0, listens = 0;

    if (fd < 0)
        return JS_EXCEPTION;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
        return JS_TRUE; /* a pipe */
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0)
        listens = 0;
    size = sizeof(name);
    return JS_NewBool(
        context, type == SOCK_STREAM && !listens &&
                     getpeername(fd, (struct sockaddr *)&name, &size) == 0);
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_MAGIC_DEF("close", 0, end, CLOSE),
    JS_CFUNC_MAGIC_DEF("forget", 0, end, FORGET),
    JS_CFUNC_DEF("listen", 1, start_listening),
    JS_CFUNC_DEF("isConnection", 0, is_connection),
    JS_CGETSET_DEF("fd", get_fd, NULL),
};

/* ---- binding ---- */

static int fail(int fd)
{
    int err = -errno;

    (void)close(fd);
    return err;
}

static int set_on(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value));
}

static int bind_socket(const weir_address *address, int type, bool is_reuse,
                       bool is_ipv6_only)
{
    size_t size;
    const struct sockaddr *name = weir_address_sockaddr(address, &size);
    int fd = socket(name->sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -errno;
    if (name->sa_family != AF_UNIX && is_reuse &&
        set_on(fd, SOL_SOCKET, SO_REUSEADDR, 1) != 0)
        return fail(fd);
    if (name->sa_family == AF_INET6 &&
        set_on(fd, IPPROTO_IPV6, IPV6_V6ONLY, is_ipv6_only) != 0)
        return fail(fd);
    return bind(fd, name, (socklen_t)size) == 0 ? fd : fail(fd);
}

int weir__js_descriptor_bind(const weir_address *address, bool is_ipv6_only)
{
    return bind_socket(address, SOCK_STREAM, true, is_ipv6_only);
}

int weir__js_descriptor_set_mode(const weir_address *address, unsigned mode)
{
    char text[WEIR_ADDRESS_TEXT];
    struct stat file;

    weir_address_format(address, text, sizeof(text));
    if (text[0] == '@' || (stat(text, &file) == 0 &&
                           chmod(text, (file.st_mode & 07777) | mode) == 0))
        return 0;
    (void)unlink(text);
    return -1;
}

static JSValue describe(JSContext *context, int fd)
{
    return fd < 0 ? JS_NewInt32(context, fd)
                  : weir__js_descriptor_new(context, fd);
}

enum { TCP, UDP };

/* bindTcp(address, port, isIpv6Only), bindUdp(address, port, isIpv6Only,
 * isReuse): a descriptor, or -errno */
static JSValue bind_ip(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    weir_address address;
    int err = weir__js_address_read(context, argv[0], argv[1], &address);

    if (err == -1 ||
        (err == 0 && !weir__js_address_check(context, 0, &address)))
        return JS_EXCEPTION;
    if (err == 0)
        err = bind_socket(&address, magic == TCP ? SOCK_STREAM : SOCK_DGRAM,
                          magic == TCP || JS_ToBool(context, argv[3]) > 0,
                          JS_ToBool(context, argv[2]) > 0);
    return describe(context, err);
}

/* bindPath(path, mode): a descriptor, or -errno */
static JSValue bind_path(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_address address;
    int32_t mode;
    int fd = weir__js_address_read_path(context, argv[0], &address);

    if (fd == -1 || JS_ToInt32(context, &mode, argv[1]) < 0 ||
        (fd == 0 &&
         !weir__js_address_check(context, WEIR__JS_MAY_WRITE, &address)))
        return JS_EXCEPTION;
    if (fd == 0)
        fd = weir__js_descriptor_bind(&address, false);
    if (fd >= 0 && mode != 0 &&
        weir__js_descriptor_set_mode(&address, (unsigned)mode) != 0)
        fd = fail(fd);
    return describe(context, fd);
}

/* duplicate(fd): a descriptor, or -errno */
static JSValue duplicate(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    int32_t fd;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET) ||
        JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return describe(context, fd < 0 ? -errno : fd);
}

/* ---- the host ---- */

/* The prototype, and as `prototype` for the library. */
static int add_prototype(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue prototype = JS_NewObject(context);

    if (JS_IsException(prototype) ||
        WEIR__JS_SET_FUNCTIONS(context, prototype, methods) < 0) {
        JS_FreeValue(context, prototype);
        return -1;
    }
    JS_SetClassProto(context, js->classes[WEIR__JS_DESCRIPTOR],
                     JS_DupValue(context, prototype));
    return weir__js_set_property(context, native, "prototype", prototype);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("bindTcp", 3, bind_ip, TCP),
    JS_CFUNC_MAGIC_DEF("bindUdp", 4, bind_ip, UDP),
    JS_CFUNC_DEF("bindPath", 2, bind_path),
    JS_CFUNC_DEF("duplicate", 1, duplicate),
};

const struct weir__js_builtin weir__js_descriptor_builtin = {
    WEIR__JS_LIBS("net/descriptor"),
    WEIR__JS_NATIVES(natives),
    .add = add_prototype,
    .class_definition = &descriptor_class,
};

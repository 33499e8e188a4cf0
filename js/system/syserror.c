/* SPDX-License-Identifier: MIT */
/*
 * syserror -- system errors with Node's names and texts.
 *
 * Tested by  test/js/fs/fs-errors.js, test/js/system/os-basics.js
 */
#include "system/syserror.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/property.h"

/* Number, text (NULL: Node has none and says "unknown error"), and whether
 * os.constants.errno lists it. */
static const struct weir__js_syserror table[] = {
#define ROW(name, text, is_public)                                             \
    {                                                                          \
        name, #name, text, is_public                                           \
    }
    ROW(E2BIG, "argument list too long", true),
    ROW(EACCES, "permission denied", true),
    ROW(EADDRINUSE, "address already in use", true),
    ROW(EADDRNOTAVAIL, "address not available", true),
    ROW(EAFNOSUPPORT, "address family not supported", true),
    ROW(EAGAIN, "resource temporarily unavailable", true),
    ROW(EALREADY, "connection already in progress", true),
    ROW(EBADF, "bad file descriptor", true),
    ROW(EBADMSG, NULL, true),
    ROW(EBUSY, "resource busy or locked", true),
    ROW(ECANCELED, "operation canceled", true),
    ROW(ECHILD, NULL, true),
    ROW(ECONNABORTED, "software caused connection abort", true),
    ROW(ECONNREFUSED, "connection refused", true),
    ROW(ECONNRESET, "connection reset by peer", true),
    ROW(EDEADLK, NULL, true),
    ROW(EDESTADDRREQ, "destination address required", true),
    ROW(EDOM, NULL, true),
    ROW(EDQUOT, NULL, true),
    ROW(EEXIST, "file already exists", true),
    ROW(EFAULT, "bad address in system call argument", true),
    ROW(EFBIG, "file too large", true),
    ROW(EHOSTDOWN, "host is down", false),
    ROW(EHOSTUNREACH, "host is unreachable", true),
    ROW(EIDRM, NULL, true),
    ROW(EILSEQ, "illegal byte sequence", true),
    ROW(EINPROGRESS, NULL, true),
    ROW(EINTR, "interrupted system call", true),
    ROW(EINVAL, "invalid argument", true),
    ROW(EIO, "i/o error", true),
    ROW(EISCONN, "socket is already connected", true),
    ROW(EISDIR, "illegal operation on a directory", true),
    ROW(ELOOP, "too many symbolic links encountered", true),
    ROW(EMFILE, "too many open files", true),
    ROW(EMLINK, "too many links", true),
    ROW(EMSGSIZE, "message too long", true),
    ROW(EMULTIHOP, NULL, true),
    ROW(ENAMETOOLONG, "name too long", true),
    ROW(ENETDOWN, "network is down", true),
    ROW(ENETRESET, NULL, true),
    ROW(ENETUNREACH, "network is unreachable", true),
    ROW(ENFILE, "file table overflow", true),
    ROW(ENOBUFS, "no buffer space available", true),
    ROW(ENODATA, "no data available", true),
    ROW(ENODEV, "no such device", true),
    ROW(ENOENT, "no such file or directory", true),
    ROW(ENOEXEC, NULL, true),
    ROW(ENOLCK, NULL, true),
    ROW(ENOLINK, NULL, true),
    ROW(ENOMEM, "not enough memory", true),
    ROW(ENOMSG, NULL, true),
    ROW(ENONET, "machine is not on the network", false),
    ROW(ENOPROTOOPT, "protocol not available", true),
    ROW(ENOSPC, "no space left on device", true),
    ROW(ENOSR, NULL, true),
    ROW(ENOSTR, NULL, true),
    ROW(ENOSYS, "function not implemented", true),
    ROW(ENOTCONN, "socket is not connected", true),
    ROW(ENOTDIR, "not a directory", true),
    ROW(ENOTEMPTY, "directory not empty", true),
    ROW(ENOTSOCK, "socket operation on non-socket", true),
    ROW(ENOTSUP, "operation not supported on socket", true),
    ROW(ENOTTY, "inappropriate ioctl for device", true),
    ROW(ENXIO, "no such device or address", true),
    ROW(EOPNOTSUPP, NULL, true),
    ROW(EOVERFLOW, "value too large for defined data type", true),
    ROW(EPERM, "operation not permitted", true),
    ROW(EPIPE, "broken pipe", true),
    ROW(EPROTO, "protocol error", true),
    ROW(EPROTONOSUPPORT, "protocol not supported", true),
    ROW(EPROTOTYPE, "protocol wrong type for socket", true),
    ROW(ERANGE, "result too large", true),
    ROW(EREMOTEIO, "remote I/O error", false),
    ROW(EROFS, "read-only file system", true),
    ROW(ESHUTDOWN, "cannot send after transport endpoint shutdown", false),
    ROW(ESOCKTNOSUPPORT, "socket type not supported", false),
    ROW(ESPIPE, "invalid seek", true),
    ROW(ESRCH, "no such process", true),
    ROW(ESTALE, NULL, true),
    ROW(ETIME, NULL, true),
    ROW(ETIMEDOUT, "connection timed out", true),
    ROW(ETXTBSY, "text file is busy", true),
    ROW(EUNATCH, "protocol driver not attached", false),
    ROW(EWOULDBLOCK, NULL, true),
    ROW(EXDEV, "cross-device link not permitted", true),
#undef ROW
};

enum { COUNT = sizeof(table) / sizeof(*table) };

const struct weir__js_syserror *weir__js_syserror_at(int index)
{
    return index < COUNT ? &table[index] : NULL;
}

const struct weir__js_syserror *weir__js_syserror_find(int number)
{
    for (int i = 0; i < COUNT; i++)
        if (table[i].number == number && table[i].text != NULL)
            return &table[i];
    for (int i = 0; i < COUNT; i++)
        if (table[i].number == number)
            return &table[i];
    return NULL;
}

/* Takes the message, which may be an exception. */
static int set_message(JSContext *context, JSValueConst error, JSValue message)
{
    return JS_IsException(message)
               ? -1
               : JS_DefinePropertyValueStr(context, error, "message", message,
                                           JS_PROP_CONFIGURABLE |
                                               JS_PROP_WRITABLE);
}

/* "ENOENT: no such file or directory, open 'path' -> 'dest'"; for free(). */
static char *describe(const struct weir__js_syserror *known,
                      const char *syscall, const char *path, const char *dest)
{
    char *text;
    int size = asprintf(
        &text, "%s: %s, %s%s%s%s%s%s%s",
        known != NULL ? known->name : "UNKNOWN",
        known != NULL && known->text != NULL ? known->text : "unknown error",
        syscall, path != NULL ? " '" : "", path != NULL ? path : "",
        path != NULL ? "'" : "", dest != NULL ? " -> '" : "",
        dest != NULL ? dest : "", dest != NULL ? "'" : "");

    return size >= 0 ? text : NULL;
}

/* Define own data properties: an inherited setter would run user code. */
static bool fill(JSContext *context, JSValueConst error, int err,
                 const struct weir__js_syserror *known, const char *message)
{
    return set_message(context, error, JS_NewString(context, message)) >= 0 &&
           weir__js_set_property(context, error, "errno",
                                 JS_NewInt32(context, err)) >= 0 &&
           weir__js_set_property(context, error, "code",
                                 JS_NewString(context, known != NULL
                                                           ? known->name
                                                           : "UNKNOWN")) >= 0;
}

JSValue weir__js_throw_system(JSContext *context, int err, const char *syscall,
                              const char *path, const char *dest)
{
    const struct weir__js_syserror *known = weir__js_syserror_find(-err);
    char *message = describe(known, syscall, path, dest);
    JSValue error = message != NULL ? JS_NewPlainError(context, "%s", "")
                                    : JS_ThrowOutOfMemory(context);
    bool failed = JS_IsException(error) ||
                  !fill(context, error, err, known, message) ||
                  weir__js_set_property(context, error, "syscall",
                                        JS_NewString(context, syscall)) < 0 ||
                  (path != NULL &&
                   weir__js_set_property(context, error, "path",
                                         JS_NewString(context, path)) < 0) ||
                  (dest != NULL &&
                   weir__js_set_property(context, error, "dest",
                                         JS_NewString(context, dest)) < 0);

    free(message);
    if (!failed)
        return JS_Throw(context, error);
    JS_FreeValue(context, error);
    return JS_EXCEPTION;
}

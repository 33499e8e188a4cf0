/* SPDX-License-Identifier: MIT */
/*
 * random -- bytes from the kernel's random number generator.
 *
 * Tested by  test/js/crypto/crypto-random.js
 */
#include <errno.h>
#include <sys/random.h>

#include "bytes/bytes.h"
#include "core/builtin.h"
#include "core/error.h"

/* The kernel returns up to 256 bytes at once; a signal may cut longer requests
 * short. */
static int fill(uint8_t *to, size_t size)
{
    while (size > 0) {
        ssize_t got = getrandom(to, size, 0);

        if (got >= 0) {
            to += got;
            size -= (size_t)got;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

/* fill(bytes, start, end) */
static JSValue random_fill(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    size_t start, end;
    int status;

    if (weir__js_writable_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    end = weir__js_offset(argv[2], bytes.size, bytes.size);
    start = weir__js_offset(argv[1], end, 0);
    status = fill(bytes.data + start, end - start);
    return status == 0 ? JS_UNDEFINED : weir__js_throw_status(context, status);
}

/* isEqual(a, b): constant-time comparison of equal sizes */
static JSValue is_equal(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct weir__js_bytes a, b;
    volatile uint8_t difference = 0;

    if (weir__js_bytes(context, argv[0], &a) < 0 ||
        weir__js_bytes(context, argv[1], &b) < 0)
        return JS_EXCEPTION;
    for (size_t i = 0; i < a.size && i < b.size; i++)
        difference = (uint8_t)(difference | (a.data[i] ^ b.data[i]));
    return JS_NewBool(context, difference == 0 && a.size == b.size);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("fill", 3, random_fill),
    JS_CFUNC_DEF("isEqual", 2, is_equal),
};

const struct weir__js_builtin weir__js_random_builtin = {
    WEIR__JS_LIBS("crypto/crypto"),
    WEIR__JS_NATIVES(natives),
};

/* SPDX-License-Identifier: MIT */
/*
 * buffer -- the byte operations of Buffer.
 *
 * JavaScript checks the arguments and throws; here, numbers are numbers.
 *
 * Tested by  test/js/bytes/buffer-*.js
 */
#include <string.h>

#include "bytes/bytes.h"
#include "core/builtin.h"

/* ---- numbers ------------------------------------------------------------- */

/* The same values as in js/lib/bytes/numeric.js. */
enum { BIGENDIAN = 1, SIGNED = 2, FLOAT = 4, BIGINT = 8 };

/* Whether value is an integer offset with `width` bytes behind it. */
static bool find_place(JSValueConst value, const struct weir__js_bytes *bytes,
                       size_t width, size_t *place)
{
    double number = -1;

    if (JS_VALUE_GET_TAG(value) == JS_TAG_INT)
        number = JS_VALUE_GET_INT(value);
    else if (JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(value)))
        number = JS_VALUE_GET_FLOAT64(value);
    if (!(number >= 0) || width > bytes->size ||
        number > (double)(bytes->size - width))
        return false;
    *place = (size_t)number;
    return (double)*place == number;
}

static uint64_t load(const uint8_t *from, unsigned width, bool is_big)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < width; i++)
        bits = bits << 8 | from[is_big ? i : width - 1 - i];
    return bits;
}

static void store(uint8_t *to, unsigned width, bool is_big, uint64_t bits)
{
    for (unsigned i = 0; i < width; i++, bits >>= 8)
        to[is_big ? width - 1 - i : i] = (uint8_t)bits;
}

static JSValue from_bits(JSContext *context, uint64_t bits, unsigned width,
                         int flags)
{
    unsigned unused = 64 - 8 * width;
    float single;
    double number;
    uint32_t half = (uint32_t)bits;

    if ((flags & FLOAT) != 0 && width == sizeof(single)) {
        memcpy(&single, &half, sizeof(single));
        return JS_NewFloat64(context, (double)single);
    }
    if ((flags & FLOAT) != 0) {
        memcpy(&number, &bits, sizeof(number));
        return JS_NewFloat64(context, number);
    }
    if ((flags & SIGNED) != 0) /* extend the sign by shifting up and down */
        bits = (uint64_t)((int64_t)(bits << unused) >> unused);
    if ((flags & BIGINT) == 0)
        return JS_NewInt64(context, (int64_t)bits);
    return (flags & SIGNED) != 0 ? JS_NewBigInt64(context, (int64_t)bits)
                                 : JS_NewBigUint64(context, bits);
}

/* readNumber(bytes, offset, width, flags): undefined if it is out of range */
static JSValue read_number(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    uint32_t width;
    int32_t flags;
    size_t place;

    if (JS_ToUint32(context, &width, argv[2]) < 0 ||
        JS_ToInt32(context, &flags, argv[3]) < 0 ||
        weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    if (width > 8 || !find_place(argv[1], &bytes, width, &place))
        return JS_UNDEFINED;
    return from_bits(context,
                     load(bytes.data + place, width, (flags & BIGENDIAN) != 0),
                     width, flags);
}

static int to_bits(JSContext *context, JSValueConst value, unsigned width,
                   int flags, uint64_t *bits)
{
    double number;
    float single;
    uint32_t half;

    if ((flags & BIGINT) != 0)
        return JS_ToBigInt64(context, (int64_t *)bits, value);
    if ((flags & FLOAT) == 0)
        return JS_ToInt64(context, (int64_t *)bits, value);
    if (JS_ToFloat64(context, &number, value) < 0)
        return -1;
    if (width == sizeof(single)) {
        single = (float)number;
        memcpy(&half, &single, sizeof(half));
        *bits = half;
    } else {
        memcpy(bits, &number, sizeof(number));
    }
    return 0;
}

/* writeNumber(bytes, value, offset, width, flags): the offset behind it, or
 * undefined */
static JSValue write_number(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    uint32_t width;
    int32_t flags;
    uint64_t bits;
    size_t place;

    if (JS_ToUint32(context, &width, argv[3]) < 0 ||
        JS_ToInt32(context, &flags, argv[4]) < 0 ||
        to_bits(context, argv[1], width, flags, &bits) < 0 ||
        weir__js_writable_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    if (width > 8 || !find_place(argv[2], &bytes, width, &place))
        return JS_UNDEFINED;
    store(bytes.data + place, width, (flags & BIGENDIAN) != 0, bits);
    return JS_NewInt64(context, (int64_t)(place + width));
}

/* ---- ranges -------------------------------------------------------------- */

/* compare(a, aStart, aEnd, b, bStart, bEnd): -1, 0, 1 */
static JSValue compare(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct weir__js_bytes a, b;
    size_t start_a, start_b, size_a, size_b;
    int order;

    if (weir__js_bytes(context, argv[0], &a) < 0 ||
        weir__js_bytes(context, argv[3], &b) < 0)
        return JS_EXCEPTION;
    size_a = weir__js_offset(argv[2], a.size, a.size);
    start_a = weir__js_offset(argv[1], size_a, 0);
    size_b = weir__js_offset(argv[5], b.size, b.size);
    start_b = weir__js_offset(argv[4], size_b, 0);
    size_a -= start_a;
    size_b -= start_b;
    order = memcmp(a.data + start_a, b.data + start_b,
                   size_a < size_b ? size_a : size_b);
    if (order == 0)
        order = (size_a > size_b) - (size_a < size_b);
    return JS_NewInt32(context, (order > 0) - (order < 0));
}

/* copy(target, targetStart, source, sourceStart, sourceEnd): how many bytes */
static JSValue copy(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_bytes target, source;
    size_t to, from, end;

    if (weir__js_writable_bytes(context, argv[0], &target) < 0 ||
        weir__js_bytes(context, argv[2], &source) < 0)
        return JS_EXCEPTION;
    to = weir__js_offset(argv[1], target.size, 0);
    end = weir__js_offset(argv[4], source.size, source.size);
    from = weir__js_offset(argv[3], end, 0);
    if (end - from > target.size - to)
        end = from + (target.size - to);
    memmove(target.data + to, source.data + from, end - from);
    return JS_NewInt64(context, (int64_t)(end - from));
}

/* fill(bytes, pattern, start, end); false: the pattern is empty */
static JSValue fill(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_bytes bytes, pattern;
    size_t start, end, done;

    if (weir__js_writable_bytes(context, argv[0], &bytes) < 0 ||
        weir__js_bytes(context, argv[1], &pattern) < 0)
        return JS_EXCEPTION;
    end = weir__js_offset(argv[3], bytes.size, bytes.size);
    start = weir__js_offset(argv[2], end, 0);
    if (pattern.size == 0)
        return JS_FALSE;
    done = pattern.size < end - start ? pattern.size : end - start;
    memmove(bytes.data + start, pattern.data, done);
    while (start + done < end) { /* double what is there */
        size_t more = done < end - start - done ? done : end - start - done;

        memcpy(bytes.data + start + done, bytes.data + start, more);
        done += more;
    }
    return JS_TRUE;
}

static void swap_one(uint8_t *bytes, size_t width)
{
    for (size_t i = 0; i < width / 2; i++) {
        uint8_t byte = bytes[i];

        bytes[i] = bytes[width - 1 - i];
        bytes[width - 1 - i] = byte;
    }
}

/* swap(bytes, width) */
static JSValue swap(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    uint32_t width;

    if (JS_ToUint32(context, &width, argv[1]) < 0 ||
        weir__js_writable_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    for (size_t at = 0; width > 0 && bytes.size - at >= width; at += width)
        swap_one(bytes.data + at, width);
    return JS_UNDEFINED;
}

/* ---- searching ----------------------------------------------------------- */

/* The first match at or after `at`, in steps; haystack.size if there is
 * none. */
static size_t search_up(const struct weir__js_bytes *haystack,
                        const struct weir__js_bytes *needle, size_t at,
                        size_t step)
{
    while (at + needle->size <= haystack->size) {
        const uint8_t *found = memmem(haystack->data + at, haystack->size - at,
                                      needle->data, needle->size);

        if (found == NULL)
            break;
        at = (size_t)(found - haystack->data);
        if (at % step == 0)
            return at;
        at++;
    }
    return haystack->size;
}

static size_t search_down(const struct weir__js_bytes *haystack,
                          const struct weir__js_bytes *needle, size_t at,
                          size_t step)
{
    if (at > haystack->size - needle->size)
        at = haystack->size - needle->size;
    for (at -= at % step;; at -= step) {
        if (memcmp(haystack->data + at, needle->data, needle->size) == 0)
            return at;
        if (at == 0)
            return haystack->size;
    }
}

/* The offset to start at, as Node counts; negative if there is none. */
static int64_t first_place(double offset, size_t size, size_t needle,
                           bool is_up)
{
    double length = (double)size;

    if (offset < 0) {
        if (offset + length >= 0)
            return (int64_t)(offset + length);
        return is_up || needle == 0 ? 0 : -1;
    }
    if (offset + (double)needle <= length)
        return (int64_t)offset;
    if (needle == 0)
        return (int64_t)size;
    return is_up ? -1 : (int64_t)size - 1;
}

/* search(haystack, needle, offset, isUp, step): an offset, or -1 */
static JSValue search(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_bytes haystack, needle;
    double offset;
    uint32_t step;
    bool is_up = JS_ToBool(context, argv[3]) == 1;
    int64_t at;
    size_t found;

    if (JS_ToFloat64(context, &offset, argv[2]) < 0 ||
        JS_ToUint32(context, &step, argv[4]) < 0 ||
        weir__js_bytes(context, argv[0], &haystack) < 0 ||
        weir__js_bytes(context, argv[1], &needle) < 0)
        return JS_EXCEPTION;
    at = first_place(offset, haystack.size, needle.size, is_up);
    if (needle.size == 0)
        return JS_NewInt64(context, at);
    if (at < 0 || needle.size > haystack.size || needle.size < step ||
        step == 0 || (is_up && (size_t)at + needle.size > haystack.size))
        return JS_NewInt32(context, -1);
    haystack.size -= haystack.size % step; /* ignore half a unit at the end */
    needle.size -= needle.size % step;
    found = (is_up ? search_up : search_down)(
        &haystack, &needle, (size_t)at - (size_t)at % step, step);
    return found == haystack.size ? JS_NewInt32(context, -1)
                                  : JS_NewInt64(context, (int64_t)found);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("readNumber", 4, read_number),
    JS_CFUNC_DEF("writeNumber", 5, write_number),
    JS_CFUNC_DEF("compare", 6, compare),
    JS_CFUNC_DEF("copy", 5, copy),
    JS_CFUNC_DEF("fill", 4, fill),
    JS_CFUNC_DEF("swap", 2, swap),
    JS_CFUNC_DEF("search", 5, search),
};

const struct weir__js_builtin weir__js_buffer_builtin = {
    WEIR__JS_LIBS("bytes/buffer", "bytes/numeric"),
    WEIR__JS_NATIVES(natives),
};

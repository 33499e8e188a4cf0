/* SPDX-License-Identifier: MIT */
/*
 * segmenter -- boundaries in texts, for Intl.Segmenter.
 *
 * Tested by  test/js/intl/intl-segmenter.js
 */
#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>

#include "core/builtin.h"
#include "core/property.h"
#include "intl/object.h"
#include "intl/text.h"

struct segments {
    UBreakIterator *iterator; /* reads the text */
    int32_t length;
    UChar text[];
};

static void close_rules(void *rules)
{
    ubrk_close(rules);
}

static void close_segments(void *object)
{
    struct segments *segments = object;

    ubrk_close(segments->iterator);
    free(segments);
}

static const struct weir__js_icu_kind rules_kind = {close_rules};
static const struct weir__js_icu_kind segments_kind = {close_segments};

/* newRules(locale, granularity) */
static JSValue new_rules(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    static const UBreakIteratorType types[] = {UBRK_CHARACTER, UBRK_WORD,
                                               UBRK_SENTENCE};
    struct weir__js_locale locale;
    UErrorCode code = U_ZERO_ERROR;
    UBreakIterator *iterator;
    uint32_t type;

    if (JS_ToUint32(context, &type, argv[1]) < 0 ||
        !weir__js_locale_read(context, &locale, argv[0]))
        return JS_EXCEPTION;
    iterator = ubrk_open(types[type % 3], locale.id, NULL, 0, &code);
    return weir__js_icu_wrap(context, &rules_kind, iterator, code);
}

/* newSegments(rules, text) */
static JSValue new_segments(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    UBreakIterator *rules = weir__js_icu_unwrap(context, argv[0], &rules_kind);
    UErrorCode code = U_ZERO_ERROR;
    struct weir__js_utf16 text;
    struct segments *segments;

    if (rules == NULL || !weir__js_utf16_read(context, &text, argv[1]))
        return JS_EXCEPTION;
    segments = malloc(sizeof(*segments) +
                      ((size_t)text.length + 1) * sizeof(*segments->text));
    if (segments == NULL) {
        weir__js_utf16_free(context, &text);
        return JS_ThrowOutOfMemory(context);
    }
    memcpy(segments->text, text.units,
           (size_t)text.length * sizeof(*segments->text));
    segments->length = text.length;
    weir__js_utf16_free(context, &text);
    segments->iterator = ubrk_clone(rules, &code);
    if (U_SUCCESS(code))
        ubrk_setText(segments->iterator, segments->text, segments->length,
                     &code);
    return weir__js_icu_wrap(context, &segments_kind, segments, code);
}

/* following(segments, index): the boundary after it; -1: none */
static JSValue following(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct segments *segments =
        weir__js_icu_unwrap(context, argv[0], &segments_kind);
    int32_t index;

    if (segments == NULL || JS_ToInt32(context, &index, argv[1]) < 0)
        return JS_EXCEPTION;
    return JS_NewInt32(context, ubrk_following(segments->iterator, index));
}

/* beginning(segments, index): the boundary before following(segments, index).
 * The index may be in the middle of a character. */
static JSValue beginning(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct segments *segments =
        weir__js_icu_unwrap(context, argv[0], &segments_kind);
    int32_t index;

    if (segments == NULL || JS_ToInt32(context, &index, argv[1]) < 0)
        return JS_EXCEPTION;
    (void)ubrk_following(segments->iterator, index);
    return JS_NewInt32(context, ubrk_previous(segments->iterator));
}

/* Whether the segment that ends at the boundary last found is like a word. */
static JSValue is_word(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct segments *segments =
        weir__js_icu_unwrap(context, argv[0], &segments_kind);

    if (segments == NULL)
        return JS_EXCEPTION;
    return JS_NewBool(context,
                      ubrk_getRuleStatus(segments->iterator) != UBRK_WORD_NONE);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newRules", 2, new_rules),
    JS_CFUNC_DEF("newSegments", 2, new_segments),
    JS_CFUNC_DEF("following", 2, following),
    JS_CFUNC_DEF("beginning", 2, beginning),
    JS_CFUNC_DEF("isWord", 1, is_word),
};

const struct weir__js_builtin weir__js_intl_segmenter_builtin = {
    WEIR__JS_LIBS("intl/segmenter"),
    WEIR__JS_NATIVES(natives),
};

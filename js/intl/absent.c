/* SPDX-License-Identifier: MIT */
/*
 * absent -- instead of the other files of js/intl, in a build without ICU.
 * There is no Intl then, and toLocaleString knows one locale.
 */
#include "core/builtin.h"

const struct weir__js_builtin weir__js_intl_object_builtin = {0};
const struct weir__js_builtin weir__js_intl_functions_builtin = {0};
const struct weir__js_builtin weir__js_intl_casing_builtin = {0};
const struct weir__js_builtin weir__js_intl_locale_builtin = {0};
const struct weir__js_builtin weir__js_intl_values_builtin = {0};
const struct weir__js_builtin weir__js_intl_segmenter_builtin = {0};
const struct weir__js_builtin weir__js_intl_collator_builtin = {0};
const struct weir__js_builtin weir__js_intl_number_builtin = {0};
const struct weir__js_builtin weir__js_intl_plural_builtin = {0};
const struct weir__js_builtin weir__js_intl_date_builtin = {0};
const struct weir__js_builtin weir__js_intl_interval_builtin = {0};
const struct weir__js_builtin weir__js_intl_pattern_builtin = {0};
const struct weir__js_builtin weir__js_intl_zone_builtin = {0};
const struct weir__js_builtin weir__js_intl_list_builtin = {0};
const struct weir__js_builtin weir__js_intl_relative_builtin = {0};

/* SPDX-License-Identifier: MIT */
/*
 * errors -- the table in weir/error.h is ABI: append, never renumber.
 */
#include <string.h>

#include "support/suite.h"
#include "weir.h"

struct error {
    const char *constant;
    int value;
    const char *text;
};

static const struct error table[] = {
#define X(constant, value, text) {#constant, value, text},
    WEIR_ERRORS(X)
#undef X
};

enum { COUNT = sizeof(table) / sizeof(*table) };

/* What programs were compiled with.  A new error adds a line at the end. */
static const struct error released[] = {
    {"WEIR_ECLOSED", -4096, NULL},     {"WEIR_ECANCELED", -4097, NULL},
    {"WEIR_EREENTRANT", -4098, NULL},  {"WEIR_ENOFDS", -4099, NULL},
    {"WEIR_ENOTSTARTED", -4100, NULL}, {"WEIR_EABANDONED", -4101, NULL},
    {"WEIR_ESELF", -4102, NULL},       {"WEIR_ENONE", -4103, NULL},
    {"WEIR_EFORCED", -4104, NULL},     {"WEIR_ETHROWN", -4110, NULL},
    {"WEIR_EFORKED", -4105, NULL},     {"WEIR_EEOF", -4111, NULL},
    {"WEIR_ETRUNCATED", -4112, NULL},  {"WEIR_ELIMIT", -4113, NULL},
    {"WEIR_ENAME", -4114, NULL},       {"WEIR_ETLS", -4115, NULL},
    {"WEIR_ECERT", -4116, NULL},       {"WEIR_EHTTP", -4117, NULL},
    {"WEIR_EWEBSOCKET", -4118, NULL},  {"WEIR_ELEASE", -4119, NULL},
    {"WEIR_ESCHEMA", -4120, NULL},     {"WEIR_ESTORE", -4121, NULL}};

CASE(errors_keep_their_places_and_values)
{
    expect_int(COUNT, sizeof(released) / sizeof(*released));
    for (int i = 0; i < COUNT; i++) {
        expect_string(table[i].constant, released[i].constant);
        expect_int(table[i].value, released[i].value);
    }
}

CASE(errors_lie_below_those_of_the_system)
{
    for (int i = 0; i < COUNT; i++)
        expect(table[i].value <= -4096);
}

CASE(errors_have_a_value_each)
{
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++)
            expect(table[i].value != table[j].value);
}

CASE(errors_have_a_name_each)
{
    for (int i = 0; i < COUNT; i++)
        expect_string(weir_error_name(table[i].value),
                      table[i].constant + strlen("WEIR_"));
}

CASE(errors_have_a_text_each)
{
    for (int i = 0; i < COUNT; i++) {
        expect_string(weir_error_text(table[i].value), table[i].text);
        for (int j = 0; j < i; j++)
            expect(strcmp(table[i].text, table[j].text) != 0);
    }
}

CASE(errors_are_told_in_a_sentence_without_full_stop)
{
    for (int i = 0; i < COUNT; i++) {
        size_t length = strlen(table[i].text);

        expect(length > 0);
        expect(table[i].text[length - 1] != '.');
    }
}

CASE(errors_leave_zero_to_success)
{
    expect_int(WEIR_OK, 0);
}

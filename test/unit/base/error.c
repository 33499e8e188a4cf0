/* SPDX-License-Identifier: MIT */
/*
 * error -- names and texts.  The table itself is pinned by test/api/errors.c.
 */
#include "weir/error.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "support/suite.h"

CASE(error_name_of_success_is_OK)
{
    expect_string(weir_error_name(0), "OK");
}

CASE(error_name_of_weir_error_has_no_prefix)
{
    expect_string(weir_error_name(WEIR_ECLOSED), "ECLOSED");
}

CASE(error_name_of_system_error_is_that_of_errno)
{
    expect_string(weir_error_name(-ENOENT), "ENOENT");
}

CASE(error_name_of_what_is_no_error_is_EUNKNOWN)
{
    static const int strangers[] = {1, ENOENT, -4095, -5000, INT_MIN, INT_MAX};

    for (unsigned i = 0; i < sizeof(strangers) / sizeof(*strangers); i++)
        expect_string(weir_error_name(strangers[i]), "EUNKNOWN");
}

CASE(error_text_of_success_is_success)
{
    expect_string(weir_error_text(0), "success");
}

CASE(error_text_of_weir_error_is_the_one_of_the_table)
{
    expect_string(weir_error_text(WEIR_ECLOSED),
                  "closed: no longer admits work");
}

CASE(error_text_of_system_error_is_that_of_the_C_library)
{
    expect_string(weir_error_text(-ENOENT), strerror(ENOENT));
}

CASE(error_text_of_what_is_no_error_says_so)
{
    static const int strangers[] = {1, ENOENT, -4095, -5000, INT_MIN, INT_MAX};

    for (unsigned i = 0; i < sizeof(strangers) / sizeof(*strangers); i++)
        expect_string(weir_error_text(strangers[i]),
                      "not an error of weir or of the system");
}

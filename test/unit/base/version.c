/* SPDX-License-Identifier: MIT */
/*
 * version -- the library and its headers are of one build.
 */
#include "weir/version.h"

#include <stdio.h>

#include "support/suite.h"

CASE(version_of_library_is_that_of_header)
{
    expect_string(weir_version(), WEIR_VERSION);
}

CASE(version_is_three_numbers)
{
    unsigned major, minor, patch;
    char again[64];

    expect_int(sscanf(weir_version(), "%u.%u.%u", &major, &minor, &patch), 3);
    snprintf(again, sizeof(again), "%u.%u.%u", major, minor, patch);
    expect_string(weir_version(), again);
}

/* SPDX-License-Identifier: MIT */
/*
 * routes.h -- the function that every request is given to.
 */
#ifndef WEIR_TEST_TARGET_ROUTES_H
#define WEIR_TEST_TARGET_ROUTES_H

#include "target.h"

void routes_on_request(void *arg, weir_http_request *request);

#endif

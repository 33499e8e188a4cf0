/* SPDX-License-Identifier: MIT */
/*
 * stream -- writing to a descriptor.
 */
#ifndef WEIR_JS_STREAM_H
#define WEIR_JS_STREAM_H

#include "core/host.h"

/* write(fd, string): 0 or -errno */
JSValue weir__js_write_text(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv);

#endif /* WEIR_JS_STREAM_H */

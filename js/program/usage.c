/* SPDX-License-Identifier: MIT */
/*
 * usage -- what the process has used: processor time, page faults, the heap.
 *
 * Tested by  test/js/program/process-usage.js, test/js/v8/v8-heap.js
 */
#include "program/usage.h"

#include <string.h>
#include <sys/resource.h>

#include "core/builtin.h"
#include "core/property.h"

static int64_t microseconds(struct timeval time)
{
    return time.tv_sec * INT64_C(1000000) + time.tv_usec;
}

/* resources(): the figures of getrusage, in the order of js/lib/program/usage.js */
static JSValue list_resources(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    enum { COUNT = 16 };
    struct rusage used;
    JSValue values[COUNT];

    getrusage(RUSAGE_SELF, &used);
    {
        const int64_t figures[COUNT] = {
            microseconds(used.ru_utime),
            microseconds(used.ru_stime),
            used.ru_maxrss,
            used.ru_ixrss,
            used.ru_idrss,
            used.ru_isrss,
            used.ru_minflt,
            used.ru_majflt,
            used.ru_nswap,
            used.ru_inblock,
            used.ru_oublock,
            used.ru_msgsnd,
            used.ru_msgrcv,
            used.ru_nsignals,
            used.ru_nvcsw,
            used.ru_nivcsw,
        };

        for (int i = 0; i < COUNT; i++)
            values[i] = JS_NewInt64(context, figures[i]);
    }
    return weir__js_new_array(context, COUNT, values);
}

/* ---- the heap ---- */

struct buffers {
    JSClassID plain, shared;
    int64_t bytes;
};

#ifdef JS_HAS_VISIT_OBJECTS
enum { MOST_CLASSES = 256 }; /* the engine's own come first */

static JSClassID find_class(JSContext *context, const char *name)
{
    JSClassID found = 0;

    for (JSClassID class = 1; found == 0 && class < MOST_CLASSES; class ++) {
        JSAtom atom = JS_GetClassName(JS_GetRuntime(context), class);
        const char *text =
            atom == JS_ATOM_NULL ? NULL : JS_AtomToCString(context, atom);

        if (text != NULL && strcmp(text, name) == 0)
            found = class;
        JS_FreeCString(context, text);
        JS_FreeAtom(context, atom);
    }
    return found;
}

static void add(void *arg, JSClassID class, JSValueConst proto, size_t size)
{
    struct buffers *buffers = arg;

    if (class == buffers->plain || class == buffers->shared)
        buffers->bytes += (int64_t)size;
}
#endif

int64_t weir__js_buffer_bytes(JSContext *context)
{
    struct buffers buffers = {0};

#ifdef JS_HAS_VISIT_OBJECTS
    buffers.plain = find_class(context, "ArrayBuffer");
    buffers.shared = find_class(context, "SharedArrayBuffer");
    JS_VisitObjects(JS_GetRuntime(context), add, &buffers);
#endif
    return buffers.bytes;
}

/* heap(): the figures of this thread's engine, in the order of js/lib/v8/v8.js.
 * It looks at every object. */
static JSValue list_heap(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    enum { COUNT = 12 };
    const weir_js *js = weir__js_of(context);
    JSMemoryUsage used;
    JSValue values[COUNT];

    JS_ComputeMemoryUsage(JS_GetRuntime(context), &used);
    {
        const int64_t figures[COUNT] = {
            used.malloc_size,
            used.memory_used_size,
            weir__js_buffer_bytes(context),
            used.obj_size + used.prop_size,
            used.str_size,
            used.atom_size,
            used.shape_size,
            used.js_func_size,
            used.js_func_code_size,
            used.js_func_pc2line_size,
            (int64_t)js->options.memory_limit_bytes,
            (int64_t)js->heap.limit_bytes,
        };

        for (int i = 0; i < COUNT; i++)
            values[i] = JS_NewInt64(context, figures[i]);
    }
    return weir__js_new_array(context, COUNT, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("resources", 0, list_resources),
    JS_CFUNC_DEF("heap", 0, list_heap),
};

const struct weir__js_builtin weir__js_usage_builtin = {
    WEIR__JS_LIBS("program/usage"),
    WEIR__JS_NATIVES(natives),
};

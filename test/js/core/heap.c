/* SPDX-License-Identifier: MIT */
/*
 * heap -- the engine's pages of small blocks do not come and go forever.
 * (The limit of a heap: test/js/core/limits.c.)
 */
#include "core/heap.h"

#include "core/host.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"

enum { KEPT = 70, MANY = 5000 };

/* A page holds some dozens of these objects, and of what they consist of.  At
 * some count of them, all pages are full, and the next one needs a new page.
 * (AddressSanitizer's engine has no pages.) */
CASE(heap_page_that_comes_and_goes_soon_stays)
{
    size_t before;

    js_make(NULL);
    js_eval("const kept = [];"
            "function churn(count) { while (count--) ({a: count}); }");
    for (int i = 0; i < KEPT; i++) {
        js_eval("kept.push({a: 1}); churn(15000)");
        before = js->heap.dropped;
        js_eval("churn(5000)");
        expect(js->heap.dropped - before < MANY / 10);
    }
    js_end();
}

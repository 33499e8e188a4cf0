/* SPDX-License-Identifier: MIT */
/*
 * grammar -- see grammar.h.
 *
 * Nothing here reaches the machine outside of the process: no fs, no signals to
 * others; program.c takes process.kill and the like away.
 */
#include "grammar.h"

#include <string.h>

enum {
    DEPTH_MAX = 6,
    STATEMENTS_MAX = 24,
    ROOM = 512 /* for what is still open */
};

static const char *const statements[] = {
    ";",
    "$e;",
    "$e;",
    "var $v = $e;",
    "$v = $e;",
    "$s $s",
    "if ($e) { $s } else { $s }",
    "for (let i = 0; i < $n; i++) { $s if (i > 9) break; }",
    "for (const x of $e) { $s }",
    "for (const x in $e) { $v = x; $s }",
    "try { $s } catch (x) { $v = x; $s } finally { $s }",
    "throw $e;",
    "do { $s } while (!1);",
    "switch ($e) { case $e: $s break; default: $s }",
    ("{ class C extends Object { constructor() { super(); $s } #p = $e; "
     "get x() { $s } static y = $e; $m() { return this.#p; } } $v = new C; }"),
    "[$v, ...$v] = $e;",
    "({ $k: $v, ...$v } = $e);",
    "$p",
    "$p",
    "$p",
};

/* What reaches the loop: our builtins, as they are meant to be used. */
static const char *const purposes[] = {
    ";",
    "$v = setTimeout($f, $n, $e);",
    "$v = setInterval($f, $n); ",
    "$v = setImmediate($f, $e);",
    "clearTimeout($v); clearInterval($v); clearImmediate($v);",
    "$v.refresh(); $v.unref(); $v.ref(); $v.hasRef(); +$v; $v.close();",
    "queueMicrotask($f);",
    "process.nextTick($f, $e);",
    "Promise.resolve($e).then($f, $f).catch($f).finally($f);",
    "Promise.reject($e);",
    "$v = new Promise((yes, no) => { $v = yes; $v = no; $s });",
    "(async () => { $s await $e; $s for await (const x of $e) { $s } })();",
    "(async () => { for (let i = 0; i < 5; i++) await $e; $s })();",
    "process.on($w, $f);",
    "process.once($w, $f);",
    "process.removeAllListeners($w);",
    "process.emit($w, $e, $e);",
    "process.exitCode = $e;",
    "process.exit($e);",
    "process.emitWarning($e, $e);",
    "console.log($e, $e);",
    "console.error($t, $e);",
    "console.table($e, $e);",
    "console.dir($e, $e);",
    "console.group($e); console.count($e); console.groupEnd();",
    "console.time($e); console.timeEnd($e); console.assert($e, $e);",
    "$v = new AbortController; $v.signal.addEventListener('abort', $f);",
    "$v.abort($e);",
    "$v = AbortSignal.timeout($n); $v = AbortSignal.any([$v, $v]);",
    "$v = new EventTarget; $v.addEventListener($w, $f, $e);",
    "$v.dispatchEvent(new Event($w, $e)); $v.removeEventListener($w, $f);",
    "$v = new (require('events')); $v.on($w, $f); $v.once($w, $f);",
    "$v.emit($w, $e); $v.off($w, $f);",
    "$v = structuredClone($e, $e);",
    "require('timers/promises').setTimeout($n, $e, $e).then($f, $f);",
    "$v = require('util').inspect($e, $e);",
    "$v = require('util').format($t, $e, $e);",
    "$v = require('util').promisify($f)($e);",
    "import($t).then($f, $f);",
    ("$v = new globalThis.MessageChannel; $v.port1.onmessage = $f; "
     "$v.port2.postMessage($e, $e); $v.port1.close();"),
    ("Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(16)), $n, 0, $n)"
     ".value.then($f);"),
    "$v = new Int32Array(new SharedArrayBuffer(16)); Atomics.notify($v, $n);",
    "$v = new ArrayBuffer($n); structuredClone($v, { transfer: [$v] });",
    "new FinalizationRegistry($f).register($e, $e);",
    ("$v = new (require('worker_threads').Worker)($t, { eval: true, "
     "workerData: $e }); $v.on($w, $f); $v.on('error', $f);"),
    "$v.postMessage($e, $e);",
    "$v.terminate().then($f);",
    ("($v = new (require('weir:pool').Pool)($f, { size: 2, priorities: [$t] }))"
     ".run($e, $e).then($f, $f);"),
    ("{ const x = new (require('weir:pool').Pool)($f, { size: 1 }), "
     "y = new AbortController; for (let i = 0; i < 9; i++) "
     "x.run($e, { signal: y.signal, name: $t }).then($f, $f); $s y.abort($e); "
     "}"),
    "$v.run($e, $e).then($f, $f);",
    "$v.drain({ deadline: $n }).then($f, $f); $v.stats;",
    "(async () => { await using x = $v; using y = $v; $s })();",
    ("{ const x = new (require('weir:service').Service)($e); x.start(); "
     "x.run($f, $t).then($f, $f); x.closed.then($f); $v = x; $s x.drain(); }"),
    "$v = $v.tryEnter($e); $v.exit($e);",
    "$v = require('weir:service').Service.from($e); $v.report();",
    "$v = new globalThis.BroadcastChannel($t); $v.onmessage = $f; $v.close();",
    "$v = Buffer.from($t, $t); $v.write($t, $n); $v.toString($t, $n, $n);",
    "require('assert').deepStrictEqual($e, $e);",
    "process.stdout.write($t, $f);",
    "$v = globalThis.crypto.getRandomValues(new Uint8Array($n));",
    "globalThis.performance.mark($t); globalThis.performance.measure($t, $t);",
    "$v = new globalThis.URL($t, $t); $v.searchParams.append($t, $e);",
    "$v = new globalThis.URLPattern({ pathname: $t, search: $e }); "
    "$v.exec($e);",
    "new globalThis.TextDecoder($t).decode($e);",
    "globalThis.atob($t); globalThis.btoa($t);",
    "$v = new globalThis.Intl.NumberFormat($t, $e).formatToParts($e);",
    "$v = new globalThis.Intl.DateTimeFormat($t, $e).formatRange($n, $n);",
    "$v = [...new globalThis.Intl.Segmenter($t, $e).segment($t)];",
    "$v = $e.toLocaleString($t, $e); $t.localeCompare($t, $t, $e);",
    "Object.defineProperty($v, $t, { get: $f, set: $f, configurable: $e });",
    /* Not an object: quickjs-ng 0.17.0 does not free the one before. */
    "Error.prepareStackTrace = $f; Error.stackTraceLimit = 2;",
};

static const char *const expressions[] = {
    "1",
    "$v",
    "$v",
    "$n",
    "$t",
    "$o",
    "$f",
    "($e).$k",
    "$v[$e]",
    "($e)?.[$e]",
    "($e)($e)",
    "$o($e, $e)",
    "new $o($e)",
    "new $o($e, $e)",
    "($e).$m($e)",
    "$v.$m($f)",
    "[$e, $e, ...$v]",
    "({ $k: $e, $k: $e })",
    "({ __proto__: $e, get $k() { $s return $e; }, set $k(x) { $s } })",
    "({ [Symbol.toPrimitive]: $f, [Symbol.iterator]: $f, then: $f })",
    "new Proxy($e, { get: $f, has: $f, ownKeys: $f, getPrototypeOf: $f })",
    "($e) + ($e)",
    "($e) < ($e)",
    "($e) instanceof Object",
    "($e, $e)",
    "($e ? $e : $e)",
    "(typeof $e)",
    "(delete $v.$k)",
    "($v = $e)",
    "($v ?\?= $e)",
    "`a${$e}b`",
    "(function* () { $s yield $e; })()",
    "(async function* () { $s yield $e; })()",
    "new (class extends Array { get $k() { $s } })",
    "Object.assign($e, $e)",
    "Object.create($e)",
    "Object.freeze($e)",
    "Reflect.construct($o, [$e], $o)",
    "new Error($e, { cause: $e })",
    "new AggregateError([$e, $e], $t)",
    "$t.repeat($n)",
    "new Array($n).fill($e)",
    "/(a|b)+$/y.exec($e)",
    "new Map([[$e, $e]])",
    "new Set([$e, $e])",
    "JSON.parse($t)",
    "JSON.stringify($e, $f, $e)",
    "eval($t)",
    "new Function('a', 'return a')($e)",
    "globalThis",
    "process",
    "console",
};

static const char *const functions[] = {
    "(() => {})",
    "(() => { $s })",
    "((x, ...y) => { $v = x; $s return $e; })",
    "(function () { $s return this; })",
    "(async (x) => { $s return await $e; })",
    "(async () => { $s await null; $s throw $e; })",
    "(() => { throw $e; })",
    "(function f(n) { if (n > 0) f(n - 1); $s })",
    "$v",
    "$o",
    "$f.bind($e, $e)",
};

static const char *const objects[] = {
    "Object",
    "Array",
    "Map",
    "Set",
    "WeakMap",
    "WeakRef",
    "Promise",
    "Promise.all",
    "Promise.any",
    "Promise.race",
    "Promise.reject",
    "Promise.withResolvers",
    "Error",
    "TypeError",
    "RangeError",
    "Date",
    "RegExp",
    "Symbol",
    "BigInt",
    "Number",
    "String",
    "Boolean",
    "ArrayBuffer",
    "SharedArrayBuffer",
    "Uint8Array",
    "Int32Array",
    "Float64Array",
    "DataView",
    "Atomics.load",
    "Atomics.wait",
    "Atomics.notify",
    "Atomics.waitAsync",
    "Reflect.apply",
    "Reflect.ownKeys",
    "Object.keys",
    "Object.fromEntries",
    "Object.groupBy",
    "Object.setPrototypeOf",
    "setTimeout",
    "setInterval",
    "setImmediate",
    "clearTimeout",
    "clearInterval",
    "clearImmediate",
    "queueMicrotask",
    "structuredClone",
    "process.nextTick",
    "process.on",
    "process.hrtime",
    "process.memoryUsage",
    "process.uptime",
    "process.cwd",
    "process.argv",
    "process.env",
    "process.stdout",
    "process.emitWarning",
    "console.log",
    "console.trace",
    "console.warn",
    "Event",
    "CustomEvent",
    "EventTarget",
    "AbortController",
    "AbortSignal",
    "AbortSignal.abort",
    "globalThis.DOMException",
    "globalThis.MessageChannel",
    "globalThis.BroadcastChannel",
    "globalThis.TextEncoder",
    "globalThis.URLSearchParams",
    "globalThis.URLPattern",
    "globalThis.Intl",
    "globalThis.Intl.Collator",
    "globalThis.Intl.ListFormat",
    "globalThis.Intl.RelativeTimeFormat",
    "globalThis.Intl.getCanonicalLocales",
    "globalThis.ErrorEvent",
    "globalThis.CloseEvent",
    "globalThis.performance.now",
    "globalThis.crypto",
    "require",
    "require.resolve",
    "require('util').types",
    "require('path').resolve",
    "Error.captureStackTrace",
};

static const char *const variables[] = {"a", "b", "c", "d"};

static const char *const keys[] = {
    "x",      "y",           "length",    "name", "message",  "stack",
    "cause",  "constructor", "prototype", "then", "value",    "size",
    "buffer", "detail",      "signal",    "code", "toString",
};

static const char *const methods[] = {
    "toString", "valueOf", "then", "catch",   "map",    "forEach",  "slice",
    "push",     "splice",  "sort", "concat",  "join",   "call",     "apply",
    "bind",     "get",     "set",  "has",     "add",    "next",     "return",
    "throw",    "on",      "emit", "abort",   "resize", "transfer", "replace",
    "split",    "at",      "flat", "refresh", "unref",  "close",    "test",
};

static const char *const numbers[] = {
    "1",  "0",          "-1",   "2",        "7",          "0.5",
    "64", "1000",       "NaN",  "Infinity", "2147483648", "1e6",
    "-0", "4294967295", "1e21", "'0x10'",   "10n",        "1e9",
};

static const char *const texts[] = {
    "''",
    "'a'",
    "'%s %d %o %j %%'",
    "'\\u{1f600}'",
    "'\\ud800'",
    "'[1,{\"a\":2}]'",
    "'a.b'",
    "'events'",
    "'node:util'",
    "'weir:service:1'",
    "'./none.js'",
    "'data:text/javascript,1'",
    "'__proto__'",
    "'length'",
    "'http://a:b@c.d:8/e?f=g#h'",
    "'a = 1; b'",
    "'throw a'",
    "'utf-16le'",
    "'aGk='",
    "'\\0'",
    "'(a)'",
    "'let c'",
    "'async()=>{'",
};

static const char *const events[] = {
    "'x'",
    "'exit'",
    "'beforeExit'",
    "'uncaughtException'",
    "'warning'",
    "'error'",
    "'unhandledRejection'",
    "'rejectionHandled'",
    "'abort'",
    "'SIGUSR2'",
    "'newListener'",
    "'uncaughtExceptionMonitor'",
};

#define KIND(letter, list)                                                     \
    {                                                                          \
        letter, list, sizeof(list) / sizeof(*(list))                           \
    }

static const struct kind {
    char letter;
    const char *const *sentences;
    size_t count;
} kinds[] = {
    KIND('s', statements), KIND('p', purposes), KIND('e', expressions),
    KIND('f', functions),  KIND('o', objects),  KIND('v', variables),
    KIND('k', keys),       KIND('m', methods),  KIND('n', numbers),
    KIND('t', texts),      KIND('w', events),
};

struct writer {
    const uint8_t *bytes;
    size_t left;
    char *text;
    size_t length;
    int depth;
};

static void put(struct writer *writer, const char *text, size_t length)
{
    if (writer->length + length >= GRAMMAR_TEXT_MAX)
        return;
    memcpy(writer->text + writer->length, text, length);
    writer->length += length;
}

static const char *choose(struct writer *writer, const struct kind *kind)
{
    if (writer->left == 0 || writer->depth > DEPTH_MAX ||
        writer->length > GRAMMAR_TEXT_MAX - GRAMMAR_TEXT_MAX / 4)
        return kind->sentences[0];
    writer->left--;
    return kind->sentences[*writer->bytes++ % kind->count];
}

static void write_kind(struct writer *writer, char letter);

static void write_sentence(struct writer *writer, const char *sentence)
{
    while (*sentence != '\0') {
        size_t plain = strcspn(sentence, "$");

        put(writer, sentence, plain);
        sentence += plain;
        if (*sentence == '\0')
            break;
        if (sentence[1] == '{' || sentence[1] == '/') { /* JavaScript's own */
            put(writer, sentence, 1);
            sentence++;
            continue;
        }
        write_kind(writer, sentence[1]);
        sentence += 2;
    }
}

static void write_kind(struct writer *writer, char letter)
{
    size_t i = 0;

    while (kinds[i].letter != letter)
        i++;
    writer->depth++;
    write_sentence(writer, choose(writer, &kinds[i]));
    writer->depth--;
}

/* Each statement fails alone. */
size_t grammar_write(const uint8_t *bytes, size_t count,
                     char text[GRAMMAR_TEXT_MAX])
{
    struct writer writer = {.bytes = bytes, .left = count, .text = text};

    for (int i = 0; i < STATEMENTS_MAX && writer.left > 0 &&
                    writer.length < GRAMMAR_TEXT_MAX - 2 * ROOM;
         i++)
        write_sentence(&writer, "try { $s } catch (x) { a = x; }\n");
    text[writer.length] = '\0';
    return writer.length;
}

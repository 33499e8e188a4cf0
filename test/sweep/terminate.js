// terminate() at random moments, in fifty kinds of busy workers.
//
//     weir test/sweep/terminate.js [--rounds 2000] [--seed N] [--kind NAME] [--at-once 4]
//
// The seed is printed; the same seed gives the same kinds and moments.  A worker
// that is terminated has to end, in a minute, with code 1 or as it would have ended by
// itself, and without an error event; the process lives on.  In the end a new worker
// has to answer.  Prints TAP, and how many of each kind were terminated while they ran.
'use strict';
const { Worker } = require('worker_threads');
const { parseArgs } = require('util');
const { Random } = require('../js/support/random.cjs');

const KINDS = {
    // code
    eval: 'const t = "1+".repeat(1000) + "1"; BEGIN while (1) eval(t)',
    evalFunctions: 'const t = "x => { let y = [x]; switch (x) { case 1: for (const z of y) ; default: } },".repeat(40) + 0; BEGIN while (1) eval(t)',
    evalClasses: 'const t = "(class { #p = 1; static s = this; get x() { return this.#p } }),".repeat(40) + 0; BEGIN while (1) try { eval(t) } catch {}',
    evalAsync: 'const t = "async function* f() { for await (const x of f()) yield* [x, await 1]; try { return x } finally { await 2 } }\\n".repeat(30); BEGIN while (1) eval(t)',
    evalDestructuring: 'const t = "({ a, b: { c = 1, ...d }, e: [f, , ...g] } = { b: {}, e: [] });".repeat(60); BEGIN while (1) (0, eval)("var a, c, d, f, g;" + t)',
    evalTemplates: 'const t = "`a${1}b${`c${2}`}`+".repeat(300) + "0"; BEGIN while (1) eval(t)',
    evalStrings: 'const t = "[" + Array.from({ length: 500 }, (_, i) => `"text ${i}"`) + "]"; BEGIN while (1) eval(t)',
    evalObject: 'const t = "({" + Array.from({ length: 500 }, (_, i) => `k${i}: { a: ${i} }`) + "})"; BEGIN while (1) eval(t)',
    evalNested: 'const t = "(() => ".repeat(60) + "1" + ")".repeat(60); BEGIN while (1) eval(t)',
    evalVariables: 'const t = Array.from({ length: 300 }, (_, i) => `let v${i} = ${i};`).join("") + "() => v0 + v299"; BEGIN while (1) eval(`{ ${t} }`)',
    evalErrors: 'const t = "f(".repeat(200); BEGIN while (1) try { eval(t) } catch (e) { e.stack }',
    evalCaught: 'const t = "1+".repeat(1000) + "1"; BEGIN for (;;) try { for (;;) eval(t) } catch {} finally { continue }',
    function: 'const t = "return " + "a+".repeat(2000) + "a"; BEGIN while (1) new Function("a", t)',
    functionSmall: 'BEGIN while (1) new Function("a", "b", "return a + b")',
    generatorFunction: 'const G = (function* () {}).constructor; BEGIN while (1) [...new G("n", "for (let i = 0; i < n; i++) yield i")(3)]',
    regexps: 'const t = "(a|b[c-f]*)+?".repeat(100); BEGIN while (1) try { new RegExp(t, "u") } catch {}',
    regexpProperties: 'BEGIN while (1) try { new RegExp("\\\\p{Script=Greek}\\\\p{Lu}[\\\\p{L}--[a-z]]", "v") } catch {}',
    regexpSlow: 'BEGIN /^(a+)+$/.test("a".repeat(100) + "b")',
    regexpReplace: 'const t = "ab1".repeat(3000); BEGIN while (1) t.replace(/(\\w)(\\d)/g, (m, a, b) => b + a)',
    modules: 'BEGIN (async () => { for (let i = 0; ; i++) await import(`node:path?${i}`).catch(() => 0) })()',
    requires: 'BEGIN for (const name of ["util", "events", "fs", "url", "assert", "buffer", "stream", "timers/promises"]) try { require(name) } catch {} for (;;);',
    // values
    loop: 'BEGIN for (;;);',
    catching: 'BEGIN for (;;) try { for (;;); } catch {} finally { continue; }',
    recursion: 'BEGIN (function f() { for (;;) try { f() } catch {} })()',
    objects: 'const all = []; BEGIN for (let i = 0; ; i++) all[i % 10000] = { i, list: [i, `${i}`] }',
    strings: 'let t = ""; BEGIN for (;;) t = t.length > 1e5 ? "" : t + "x".repeat(100)',
    sorts: 'const all = Array.from({ length: 20000 }, (_, i) => i % 7); BEGIN for (;;) try { all.sort() } catch {}',
    sortsCalling: 'const all = Array.from({ length: 5000 }, (_, i) => i * 7919 % 1009); BEGIN for (;;) all.toSorted((a, b) => a - b)',
    json: 'const all = Array.from({ length: 20000 }, () => 1); BEGIN for (;;) try { JSON.stringify(all) } catch {}',
    parses: 'const t = `[${"1,".repeat(20000)}1]`; BEGIN for (;;) try { JSON.parse(t) } catch {}',
    maps: 'BEGIN for (;;) { const m = new Map(); for (let i = 0; i < 5000; i++) m.set(`k${i}`, new Set([i])) }',
    proxies: 'BEGIN for (;;) Object.keys(new Proxy({ a: 1, b: 2 }, { ownKeys: (t) => Reflect.ownKeys(t) }))',
    bigints: 'let n = 3n; BEGIN for (;;) n = n ** 7n % (10n ** 900n)',
    buffers: 'BEGIN for (;;) try { new Uint8Array(100000).fill(1).map((n) => n + 1) } catch {}',
    encodings: 'const b = Buffer.alloc(50000, "é"); BEGIN for (;;) try { Buffer.from(b.toString("base64"), "base64").toString("utf8") } catch {}',
    errors: 'BEGIN for (;;) try { null.x } catch (e) { e.stack }',
    traces: 'Error.prepareStackTrace = (e, frames) => frames.map(String).join(); BEGIN for (;;) new Error("e").stack',
    traceObject: 'Error.prepareStackTrace = { a: 1 }; BEGIN for (;;) try { undefined.x } catch (e) { e.stack }',
    inspects: 'const { inspect } = require("util"); BEGIN for (;;) inspect({ a: [1, { b: new Map([[1, 2]]) }] }, { depth: 9 })',
    finalizers: 'const r = new FinalizationRegistry(() => {}); BEGIN for (;;) r.register({}, 1)',
    // jobs, waits, messages, files
    jobs: 'BEGIN (function again() { Promise.resolve().then(again); })()',
    awaits: 'BEGIN (async () => { for (;;) await Promise.all([1, null, Promise.resolve(2)]) })()',
    streams: 'BEGIN (async () => { async function* g() { for (;;) yield 1 } for await (const x of g()); })()',
    ticks: 'BEGIN (function again() { process.nextTick(again); })()',
    timers: 'BEGIN setInterval(() => { for (let i = 0; i < 100; i++) setTimeout(() => {}, i) }, 1)',
    wait: 'BEGIN Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
    clones: 'const all = Array.from({ length: 3000 }, () => ({})); BEGIN for (;;) try { structuredClone(all) } catch {}',
    messages: 'const { port1, port2 } = new MessageChannel(); port2.on("message", (m) => port1.postMessage(m)); BEGIN port1.postMessage({ a: [1, "x".repeat(3000)] })',
    reads: 'const fs = require("fs"); BEGIN for (;;) try { fs.readFileSync(process.execPath) } catch {}',
    readsAsync: 'const fs = require("fs/promises"); BEGIN (async () => { for (;;) await fs.readFile("/proc/self/status").catch(() => 0) })()',
    sockets: 'const net = require("net"); const server = net.createServer((s) => s.on("error", () => {}).pipe(s)).listen(0, "127.0.0.1", () => { BEGIN (function next() { const c = net.connect(server.address().port, "127.0.0.1"); c.on("error", () => {}); c.write("x".repeat(100000)); c.on("data", () => c.destroy()); c.on("close", next); })() })',
    secureSockets: 'const tls = require("tls"), fs = require("fs"); const keys = KEYS; const options = { key: fs.readFileSync(keys + "server.key"), cert: fs.readFileSync(keys + "server.pem") }; const server = tls.createServer({ ...options, SNICallback: (name, done) => setImmediate(done, null) }, (s) => s.on("error", () => {}).pipe(s)).listen(0, "127.0.0.1", () => { BEGIN (function next() { const c = tls.connect({ port: server.address().port, host: "127.0.0.1", servername: "localhost", rejectUnauthorized: false }); c.on("error", () => {}); c.write("x".repeat(100000)); c.on("data", () => c.destroy()); c.on("close", next); })() })',
    datagrams: 'const dgram = require("dgram"); const s = dgram.createSocket("udp4"); s.bind(0, "127.0.0.1", () => { BEGIN s.on("message", (m) => s.send(m, s.address().port, "127.0.0.1", () => {})); s.send("x".repeat(1000), s.address().port, "127.0.0.1") })',
    lookups: 'const dns = require("dns"); BEGIN (function next() { dns.lookup("localhost", { all: true }, next); dns.lookupService("127.0.0.1", 22, () => {}); new dns.Resolver({ timeout: 1, tries: 1 }).resolve4("x.invalid", () => {}); })()',
    workers: 'const { Worker } = require("worker_threads"); BEGIN (function next() { new Worker("eval(\\"1+\\".repeat(500) + 1)", { eval: true }).on("exit", next) })()',
    pools: 'BEGIN import("weir:pool").then(async ({ Pool }) => { const p = new Pool((n) => n + 1, { size: 1 }); for (let i = 0; ; i++) await p.run(i) })',
};
const KEYS = JSON.stringify(require('path').join(__dirname, '../js/net/keys/'));
const LIMIT_MS = 60000, LATEST_MS = 60;

const { values: options } = parseArgs({ options: {
    rounds: { type: 'string', default: '2000' }, seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    kind: { type: 'string' }, 'at-once': { type: 'string', default: '4' },
} });
const rounds = Number(options.rounds), names = options.kind ? [options.kind] : Object.keys(KINDS);
const random = new Random(Number(options.seed));

const terminated = Object.fromEntries(names.map((name) => [name, 0]));
let begun = 0, ended = 0, hasFailed = false;

function complain(text) {
    hasFailed = true;
    console.log(`# ${text}`);
}

function finish() {
    const worker = new Worker('require("worker_threads").parentPort.postMessage("still works")', { eval: true });
    worker.on('message', (message) => {
        const never = names.filter((name) => terminated[name] === 0 && rounds >= 20 * names.length);
        if (never.length > 0)
            complain(`never terminated while it ran: ${never.join(', ')}`);
        console.log(`# ${Object.entries(terminated).map(([name, count]) => `${name} ${count}`).join(', ')}`);
        console.log(`${hasFailed ? 'not ok' : 'ok'} 1 - ${rounds} workers of ${names.length} kinds ended, and one ${message}`);
        process.exitCode = hasFailed ? 1 : 0;
    });
}

function next() {
    if (begun === rounds)
        return;
    begun++;
    const name = random.pick(names), isEarly = random.below(4) === 0, moment = random.below(LATEST_MS * 1000) / 1000;
    const worker = new Worker(KINDS[name].replace('KEYS', KEYS).replace('BEGIN', 'require("worker_threads").parentPort.postMessage(0);'), { eval: true });
    const late = setTimeout(() => {
        console.log(`not ok 1 - ${name} has not ended ${LIMIT_MS} ms after terminate() at ${moment} ms`);
        process.exit(1);
    }, LIMIT_MS + LATEST_MS + 60000); // with a minute to begin, on a busy machine
    const end = () => setTimeout(() => {
        terminated[name]++;
        worker.terminate();
    }, moment);
    worker.on('error', (error) => complain(`${name}: ${error.stack}`));
    worker.on('exit', (code) => {
        clearTimeout(late);
        if (code !== 1)
            complain(`${name}: exit code ${code}`);
        if (++ended === rounds)
            finish();
        else
            next();
    });
    if (isEarly)
        end();
    else
        worker.on('message', end);
}

console.log(`1..1\n# ${rounds} rounds, --seed ${random.seed}`);
for (let i = 0; i < Number(options['at-once']); i++)
    next();

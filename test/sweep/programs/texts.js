// Texts that have to be copied to become UTF-8: with characters above 0x7f, wide
// ones, slices and ropes of both.  Each goes through the functions that take C
// strings; the last value is read by the sweep itself.
const narrow = 'é'.repeat(20), wide = 'あ😀'.repeat(10);
const texts = [narrow, wide, narrow.slice(3, -3), wide.slice(2, -2), 'x'.repeat(99).slice(1, 9)];
const ropes = ['é'.repeat(5000) + narrow, 'あ'.repeat(5000) + wide];
const functions = [(t) => JSON.parse(`{"${t}": "${t}"}`), (t) => RegExp(t), (t) => RegExp('.', t),
    (t) => (0, eval)(`"${t}"`), (t) => (0, eval)(`"${t}" "`), parseFloat, BigInt, (t) => 'a'.normalize(t),
    (t) => Symbol(t).toString(), (t) => null[t], (t) => Uint8Array.fromHex?.(t), (t) => Uint8Array.fromBase64?.(t)];
function attempt(fn, text) {
    try {
        fn(text);
    } catch (error) {
        error.message;
    }
}
for (const text of texts)
    for (const fn of functions)
        attempt(fn, text);
for (const rope of ropes)
    attempt(JSON.parse, rope);
[...texts, ...ropes];

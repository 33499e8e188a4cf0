// atob and btoa: what they take, and in which words they refuse.
const show = (call) => {
    try {
        console.log(JSON.stringify(call()));
    } catch (error) {
        console.log(error.name, error.code, error.message, error instanceof DOMException);
    }
};
for (const text of ['', ' ', 'YQ==', 'YQ', 'Y Q\n=\t=', 'YWI=', 'YWJj', '/+8=', 'a', 'YWJjZ', 'a=', 'ab=', 'abc==', 'a===', '====', '=', 'YQ==YQ==', 'Y*', 'a*', '-_', '\u00e9', '\u0100', '\v'])
    show(() => atob(text));
for (const text of ['', 'a', 'ab', 'abc', '\0\xff', '\u0100', 'a\ud83d\ude00'])
    show(() => btoa(text));
for (const odd of [undefined, null, 5, true, 1n, {}, [], ['YQ=='], { toString: () => 'YWI=' }]) {
    show(() => atob(odd));
    show(() => btoa(odd));
}
show(() => atob());
show(() => btoa());
show(() => atob({ toString() { throw new RangeError('mine'); } }));
console.log(atob.name, atob.length, btoa.name, btoa.length, require('buffer').atob === atob, require('buffer').btoa === btoa);
console.log(Object.keys(globalThis).filter((name) => /^(atob|btoa)$/.test(name)).sort().join());
for (const name of ['atob', 'btoa']) {
    globalThis[name] = 'mine';
    console.log(globalThis[name], typeof require('buffer')[name]);
}

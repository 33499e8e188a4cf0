// The parser and each setter, at random: the sum of all results is Node's.
// Left out is where Node 20 is behind the URL Standard: "^" in paths, the rule
// for text from right to left, broken "xn--", and ".." right after a host.
let seed = 1;
const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff, (seed >> 8) % n);
const parts = ['http:', 'https:', 'file:', 'ws:', 'foo:', 'mailto:', 'data:', 'javascript:', '/', '//', '\\', '?', '#', '@', ':', 'a', 'b.c',
    'EXAMPLE', '.', '..', '%2e', '%', '%zz', '\t', '|', '{', '"', "'", '<', '\u00e9', '\u{1f600}', '.xn--bcher-kva.', '[::1]', '[1:2::3]',
    '127.1', '0x7f.1', '256', '8080', '80', '443', '99999', 'C:', 'C|', '\u0000', '\u3002', '\ufffd', '\ud800', '+', '&', '=', ';', '~',
    '_', '-', '*', '$', '\u00ad', 'fa\u00df', '\u212a'];
const bases = [undefined, 'http://h/p/q?r#s', 'file:///C:/x/y', 'https://u:p@h/'];
const keys = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];
const some = (n) => Array.from({ length: n }, () => parts[random(parts.length)]).join('');
let sum = 0, valid = 0, invalid = 0;
for (let i = 0; i < 4000; i++) {
    const input = (random(2) ? 'http://' : '') + some(1 + random(8)), base = bases[random(bases.length)];
    const key = keys[random(keys.length)], value = some(random(4));
    let result = 'invalid';
    try {
        const url = new URL(input, base);
        const first = `${url.href} ${url.origin}`;
        try {
            url[key] = value;
        } catch (error) {
            result = error.code;
        }
        result = [first, ...keys.map((one) => url[one]), [...url.searchParams].flat()].join(' ');
        valid++;
    } catch (error) {
        result = error.code;
        invalid++;
    }
    for (let at = 0; at < result.length; at++)
        sum = (Math.imul(sum, 31) + result.charCodeAt(at)) | 0;
    if (i % 200 === 0)
        console.log(JSON.stringify(result), sum);
}
console.log(valid, invalid, sum);

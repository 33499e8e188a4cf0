// Random URLs, with and without a base: all components, or the error, are Node's.
// Left out is what url-standard.js shows, where Node 20 is behind the URL Standard.
// long: address
'use strict';
const random = new (require('../support/random.cjs').Random)(1);

const some = (name, most, list) => {
    let text = '';
    for (let count = random.draw(`length of ${name}`, most + 1); count > 0; count--)
        text += random.choose(name, list);
    return text;
};
const hosts = ['a', 'example', '.', '.com', '-', '_', '1', '127.0.0.1', '256', '0x1', '0X7f', '010', '08',
    '1.2.3', 'A', '%41', '%2e', '%00', '%', '%zz', '[', ']', '::', ' ', '*', '+', "'", '=', '^', '|', '<', '{',
    '"', '`', '\x7f', '\0', '\t', '4294967295', '4294967296', 'localhost', 'ü', 'ß', '\u3002', '\u00ad'];
const groups = ['::', ':', '1', '0', 'ffff', 'ABCD', '12345', 'g', '1.2.3.4', '01', '0:0', '1:2:3:4:5:6:7:8',
    '1:0:0:2:0:0:0:3', '.', '%25', ''];
const users = ['u', ':', ':', 'p', '@', '%20', ';', "'", '=', '!', '%', '|', '^', '[', '{', '"', '<', '`', ' ',
    'é', '\ud800', '~', '/', '\\', '?'];
const ports = ['80', '443', '21', '8', '0', '0080', '65535', '65536', 'x', ' ', '-', '99999999999'];
const segments = ['/', '/', 'a', 'b', '..', '..', '.', '%2e', '.%2E', '%', '%41', 'é', ' ', '|', '[', '\\', "'",
    ';=:@', '{', '"', '<', '`', '\t', '\n', '\0', '\x7f', 'C:', 'C|', 'd:', '/C|/', '\ud83d', '\ude00', '😀', '~'];
const queries = ['a=1', '&', "'", '"', '<', '?', '/', '%', 'ö', '`', '{', '\\', '|', ' ', '^', '\t', '\0',
    '\ud800', '+', '/../'];

const makeHost = () => random.happens('IPv6', 6) ? `[${some('group', 4, groups)}]` : some('host', 4, hosts);
const makeAuthority = () => (random.happens('user', 3) ? some('user', 4, users) + '@' : '') + makeHost() +
    (random.happens('port', 3) ? `:${some('port', 2, ports)}` : '');
const makePath = () => some('path', 6, segments);
const makeTail = () => (random.happens('query', 2) ? `?a${some('query', 4, queries)}` : '') +
    (random.happens('hash', 3) ? `#${some('hash', 3, queries)}` : '');
const makeAbsolute = () => random.choose('scheme', ['http', 'https', 'ws', 'wss', 'ftp', 'file', 'hTTp', 'file',
    'h\nttps']) + random.choose('slashes', ['://', '://', ':/', ':', ':///', ':\\\\', ':/\\', ':\t//']) +
    (random.happens('host only', 4) ? makeHost() : makeAuthority()) +
    random.choose('slash', ['/a', '/', '', '\\']) + makePath() + makeTail();
const makeOther = () => random.choose('other scheme', ['postgres', 'redis', 'x+y-1.z', 'mailto', 'data', '1a', 'é',
    'blob:http', 'A']) + random.choose('other slashes', ['://', '://', ':/', ':']) +
    random.choose('other host', ['h', 'u:p@h:80', 'H%41', '[::1]:5', 'é', 'a b', '']) + '/x' +
    makePath().replaceAll(' ', '') + makeTail();
const makeRelative = () => random.choose('start', ['', '/', '//', '\\', '/\\', '?', '#', '.', '..', '/C:', 'C|/', '//C:/',
    'http:', 'https:', 'file:', 'file:/', 'foo:/b']) + makePath() + makeTail();
const bases = [undefined, 'http://h/p/q?r#s', 'https://u:p@h:81/a/b', 'file:///C:/x/y', 'file:///a/b?c#d', 'file://host/C:/a',
    'ws://w', 'foo://h/a/b/c?d', 'foo:/a/b', 'HTTP://EXAMPLE.com:80/../x', 'mailto:a', 'bad', 'http://a b/'];
const keys = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'];

function describe(input, base) {
    try {
        const url = new URL(input, base);
        random.note('result', 'valid');
        return keys.map((key) => url[key]).join(' ') + JSON.stringify([...url.searchParams]);
    } catch (error) {
        random.note('result', 'invalid');
        return JSON.stringify([error.name, error.code, error.message, error.input, error.base]);
    }
}

// Where Node 20 differs; see url-standard.js.
function isDisputed(input, base) {
    return /\^|\/\.\/|xn--/i.test(`${input} ${base}`) || base?.startsWith('mailto') ||
        /[cd][:|][^/\\?#].*(\.|%2e)/is.test(input) || (base?.startsWith('foo') && /\/\/[^/]*\/(\.|%2e)/i.test(input));
}

random.expect('result', ['valid', 'invalid']);
let sum = 0, count = 0;
for (let i = 0; count < 3000; i++) {
    const make = random.pick([makeAbsolute, makeAbsolute, makeOther, makeRelative]);
    const edge = random.choose('edge', ['', '', '', ' ', '\t', '\0', '\x1f ']);
    const input = edge + make() + edge, base = random.choose('base', bases);
    if (isDisputed(input, base))
        continue;
    const result = describe(input, base);
    for (let at = 0; at < result.length; at++)
        sum = (Math.imul(sum, 31) + result.charCodeAt(at)) | 0;
    if (++count % 50 === 0 || process.env.ALL)
        console.log(JSON.stringify([input, base]), JSON.stringify(result), sum);
}

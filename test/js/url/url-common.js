// URLs in the common form have a parser of their own.  A space before a URL is
// ignored and selects the general parser: both must agree.
// weir only: URL.canParse of Node 20 rejects some hosts that new URL accepts
// long: address
'use strict';
const random = new (require('../support/random.cjs').Random)();

const keys = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port',
    'pathname', 'search', 'hash'];

function parts(input, base) {
    let url;
    try {
        url = new URL(input, base);
    } catch (error) {
        return error.code;
    }
    return keys.map((key) => url[key]).join(' ');
}

function compare(input, base) {
    const common = parts(input, base);
    const general = parts(` ${input}`, base === undefined ? base : ` ${base}`);
    if (common !== general)
        console.log('different', JSON.stringify([input, base]), common, general);
    const can = URL.canParse(input, base);
    if (can !== (general !== 'ERR_INVALID_URL'))
        console.log('canParse', JSON.stringify([input, base]), can);
}

const some = (name, most, list) => {
    let text = '';
    for (let count = random.draw(`length of ${name}`, most); count > 0; count--)
        text += random.choose(name, list);
    return text;
};
const makeScheme = () => random.choose('scheme', ['http', 'https', 'ws', 'wss', 'ftp', 'file',
    'HTTP', 'data', 'x']) + random.choose('slashes', ['://', '://', '://', ':/', ':', ':///', ':\\\\']);
const makeHost = () => some('host', 5, ['a', 'example', '.', '.com', '-', '_', '1', '127.0.0.1',
    '256', '0x1', 'xn--', 'A', '%41', 'ü', '01', '..', '[::1]', ' ', '*', '+']);
const makeAuthority = () => (random.happens('user', 3) ? some('user', 4, ['u', ':', 'p', '@', '%20',
    ';', "'", '=', '/', '!']) + '@' : '') + makeHost() +
    (random.happens('port', 3) ? `:${some('port', 3, ['80', '443', '21', '8', '0', '65535', '99999', 'x', ' '])}` : '');
const makePath = () => some('path', 5, ['/', '/', 'a', '.', '..', '%2e', '%2E', '%', 'é', ' ', '|', '^', '[',
    '\\', "'", ';=:@', '{', '"', '.well-known', '\t']);
const makeQuery = () => (random.happens('query', 2) ? `?${some('query', 4, ['a=1', '&', "'", '"', '<', '?',
    '/', '%', 'ö', '`', '{', '\\', '|', ' '])}` : '') +
    (random.happens('hash', 3) ? `#${some('hash', 4, ['h', '#', '`', '"', '<', '?', ' ', "'", '{', '\\'])}` : '');
const makeDots = () => some('dots', 8, ['/', '/', '..', '..', '/..', '.', '%2e', '\\', 'C:', 'C|',
    '\t', 'a', '%20', 'é']);
const makeAbsolute = () => makeScheme() + makeAuthority() + makePath() + makeQuery();

for (let i = 0; i < 600; i++) {
    compare(makeAbsolute());
    compare(`http://example.com${makePath()}${makeQuery()}`);
    compare(`https://${makeAuthority()}/`);
    compare(makePath() + makeQuery(), `http://u:p@host:81/b${makePath()}${makeQuery()}`);
    compare(`/${makePath()}${makeQuery()}`, makeAbsolute());
    compare(makePath() + makeQuery(), `file:///b${makePath()}${makeQuery()}`);
    compare(makeAbsolute(), `http://host${makePath()}`);
    compare(makeQuery(), `https://host`);
    compare(makeDots(), `http://host/a/b${makeDots()}`);
    compare(makeDots(), `file:///a/b${makeDots()}`);
}

// Setters and searchParams of what it has parsed.
const url = new URL('http://user:secret@example.com:8080/a/b;c?x=1&y=2#z');
console.log(url, url.searchParams.get('y'));
Object.assign(url, { host: 'other:80', pathname: '/p q', search: '?a b', hash: 'é', username: 'ü' });
url.searchParams.append('more', '1 2');
console.log(url.href);
url.href = 'https://127.0.0.1:443/x/../y';
console.log(url.href, url.host, url.origin);
url.href = 'https://127.0.0.1:444/x';
url.port = '';
console.log(url.href, `${new URL('/abs?q#f', 'http://host:80/x/y?z')}`, `${new URL('http://h')}`);

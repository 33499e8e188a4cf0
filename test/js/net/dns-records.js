// Records of every type from a DNS server, which is a socket of this program.
'use strict';
const dgram = require('dgram');
const dns = require('dns');
const net = require('net');

const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28,
    SRV: 33, NAPTR: 35, ANY: 255, CAA: 257 };

// ---- writing messages ----

const u8 = (...bytes) => Buffer.from(bytes);
const u16 = (...values) => Buffer.concat(values.map((value) => u8(value >> 8, value & 255)));
const u32 = (...values) => Buffer.concat(values.map((value) => u16(value >>> 16, value & 65535)));
const text = (value) => Buffer.concat([u8(Buffer.byteLength(value, 'latin1')),
    Buffer.from(value, 'latin1')]);
const name = (value) => Buffer.concat([...value.split('.').filter(Boolean).map(text), u8(0)]);
const address = (value) => u8(...value.split('.').map(Number));
const record = (type, ttl, ...data) => ({ type: types[type] ?? type, ttl,
    data: Buffer.concat(data) });

const many = Array.from({ length: 60 }, (_, i) => record('A', 60, address(`10.0.0.${i}`)));
const answers = {
    'a.test A': [record('A', 300, address('192.0.2.1')), record('A', 17, address('192.0.2.2'))],
    'a.test AAAA': [record('AAAA', 42, u32(0x20010db8, 0, 0, 1))],
    'alias.test A': [record('CNAME', 9, name('a.test')), record('A', 300, address('192.0.2.1'))],
    'alias.test CNAME': [record('CNAME', 9, name('a.test'))],
    'a.test NS': [record('NS', 1, name('ns1.test')), record('NS', 1, name('ns2.test'))],
    'a.test MX': [record('MX', 5, u16(10), name('mail.test')), record('MX', 5, u16(0), name(''))],
    'a.test TXT': [record('TXT', 5, text('one'), text('two')), record('TXT', 5, text('')),
        record('TXT', 5, text('caf\xe9 \x00\xff'))],
    'a.test SRV': [record('SRV', 5, u16(1, 2, 65535), name('host.test'))],
    'a.test SOA': [record('SOA', 5, name('ns1.test'), name('admin.a.test'),
        u32(4294967295, 2, 3, 4, 5))],
    'a.test NAPTR': [record('NAPTR', 5, u16(30, 100), text('s'), text('SIP+D2U'),
        text('!^.*$!sip:info@a.test!'), name('_sip._udp.test'))],
    'a.test CAA': [record('CAA', 5, u8(128), text('issue'), Buffer.from('ca.test; x=1')),
        record('CAA', 5, u8(0), text('iodef'), Buffer.from('mailto:a@a.test'))],
    '1.2.0.192.in-addr.arpa PTR': [record('PTR', 5, name('a.test')),
        record('PTR', 5, name('b.test'))],
    'a.test ANY': [record('A', 300, address('192.0.2.1')), record('MX', 5, u16(10),
        name('mail.test')), record('TXT', 5, text('one'))],
    'empty.test A': [],
    'short.test A': [record('A', 5, u8(1, 2))],
    'overrun.test MX': [record('MX', 5, u16(10), u8(63), Buffer.from('x'))],
    'other.test A': [record(99, 5, text('unknown')), record('A', 5, address('192.0.2.9'))],
    'many.test A': many,
};
const codes = { 'format.test': 1, 'server.test': 2, 'missing.test': 3, 'unable.test': 4,
    'refused.test': 5 };

function readQuestion(message) {
    const labels = [];
    let at = 12;
    for (; message[at] !== 0; at += 1 + message[at])
        labels.push(message.toString('latin1', at + 1, at + 1 + message[at]));
    const number = message.readUInt16BE(at + 1);
    const type = Object.keys(types).find((key) => types[key] === number);
    return { host: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function answer(message, isWhole) {
    const { host, type, end } = readQuestion(message);
    const found = answers[`${host} ${type}`];
    const code = codes[host] ?? (found ? 0 : 3);
    const isCut = !isWhole && found === many;
    const records = isCut ? [] : found ?? [];
    const flags = 0x8180 | (isCut ? 0x200 : 0) | code;
    return Buffer.concat([message.subarray(0, 2), u16(flags, 1, records.length, 0, 0),
        message.subarray(12, end), ...records.map(({ type, ttl, data }) =>
            Buffer.concat([u16(0xc00c, type, 1), u32(ttl), u16(data.length), data]))]);
}

// ---- the server ----

// Listen on one port for both; another program may have taken the second.
function listen(ready) {
    const overTcp = net.createServer((socket) => socket.once('data', (data) => {
        const reply = answer(data.subarray(2), true);
        socket.end(Buffer.concat([u16(reply.length), reply]));
    }));
    const overUdp = dgram.createSocket('udp4', (message, from) =>
        overUdp.send(answer(message, false), from.port, from.address));
    overUdp.once('error', () => overTcp.close(() => listen(ready)));
    overTcp.listen(0, '127.0.0.1', () => {
        const { port } = overTcp.address();
        overUdp.bind(port, '127.0.0.1', () => ready(`127.0.0.1:${port}`, () => {
            overUdp.close();
            overTcp.close();
        }));
    });
}

// ---- the questions ----

const show = (label) => (error, result) => console.log(label, error
    ? [error.message, error.code, error.syscall, error.hostname] : result);

async function ask(resolver) {
    const tell = async (method, ...args) => {
        const promise = resolver[method](...args);
        await promise.then((result) => show(`${method} ${args[0]}`)(null, result),
            show(`${method} ${args[0]}`));
    };
    await tell('resolve4', 'a.test');
    await tell('resolve4', 'a.test', { ttl: true });
    await tell('resolve6', 'a.test', { ttl: true });
    await tell('resolve4', 'alias.test');
    for (const type of ['Cname', 'Ns', 'Mx', 'Txt', 'Srv', 'Soa', 'Naptr', 'Caa', 'Any'])
        await tell(`resolve${type}`, type === 'Cname' ? 'alias.test' : 'a.test');
    await tell('resolvePtr', '1.2.0.192.in-addr.arpa');
    await tell('reverse', '192.0.2.1');
    await tell('reverse', '192.0.2.7');
    await tell('reverse', 'fe80::1%nowhere');
    await tell('resolve', 'a.test', 'MX');
    await tell('resolve4', 'A.TEST');
    await tell('resolve4', 'a.test.');
    for (const host of ['empty', 'short', 'other', 'format', 'server', 'missing', 'unable',
        'refused'])
        await tell('resolve4', `${host}.test`);
    await tell('resolveMx', 'overrun.test');
    const { length, 0: first, [length - 1]: last } = await resolver.resolve4('many.test');
    console.log(length, first, last);
}

listen(async (server, close) => {
    const resolver = new dns.promises.Resolver({ timeout: 2000, tries: 2 });
    resolver.setServers([server]);
    await ask(resolver);
    const other = new dns.Resolver();
    other.setServers([server]);
    other.resolveTxt('a.test', (error, result) => {
        show('callback')(error, result);
        close();
    });
});

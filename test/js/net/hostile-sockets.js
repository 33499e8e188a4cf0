// weir only
// Functions of net, tls, dns and dgram, and methods of their objects and handles,
// with hostile arguments: an exception or a result, never a crash.
// long: address
'use strict';
const dgram = require('dgram');
const dns = require('dns');
const net = require('net');
const tls = require('tls');

const throwing = new Proxy({}, { get() { throw new Error('trap'); } });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const detached = new ArrayBuffer(8), view = new Uint8Array(detached);
detached.transfer();
const values = [undefined, null, true, 0, -1, 1.5, NaN, 2 ** 53, 10n ** 40n, '', 'x', '\ud800', '\0',
    'y'.repeat(1e5), Symbol('s'), {}, [], [{}], () => {}, throwing, revoked, detached, view,
    { toString() { throw new Error('toString'); } }, { valueOf() { throw new Error('valueOf'); } },
    { get length() { throw new Error('length'); } }, { length: 1e9 }, Promise.resolve(), /x/];
process.on('uncaughtException', () => {});
process.on('warning', () => {});
process.removeAllListeners('warning');
let calls = 0, thrown = 0;

function close(made) {
    if (made === null || typeof made !== 'object')
        return;
    made.on?.('error', () => {});
    for (const name of ['destroy', 'close'])
        try { made[name]?.(); } catch { /* not open */ }
    made.catch?.(() => {});
}

function attack(receiver, fn) {
    for (const a of values)
        for (const args of [[], [a], [a, a, a], [1, a, a], [a, () => {}, a]]) {
            calls++;
            try {
                close(Reflect.apply(fn, receiver, args));
            } catch {
                thrown++;
            }
        }
}

// Not what opens a connection to a name, which takes time to fail.
const skip = /^(constructor|createSecureContext|createServer|lookup|lookupService|resolve.*|reverse|on|once|addListener|prependListener|emit|listen|bind|send|sendto|connect|createConnection|setDefault.*|setServers|pipe|_.*)$/;

function attackAll(object, receivers) {
    for (const key of Reflect.ownKeys(object)) {
        const { value } = Object.getOwnPropertyDescriptor(object, key);
        if (typeof value === 'function' && !skip.test(String(key)) && !/^[A-Z]/.test(String(key)))
            for (const receiver of receivers)
                attack(receiver, value);
    }
}

const secureContext = tls.createSecureContext({ ca: [] });
for (const module of [net, tls, dns])
    attackAll(module, [module, undefined]);
for (const a of values)
    for (const make of [() => new net.Socket(a), () => new net.Server(a), () => new tls.TLSSocket(a, { secureContext }),
        () => new tls.TLSSocket(new net.Socket(), { secureContext, session: a, ALPNProtocols: a }),
        () => tls.createSecureContext({ ca: [], key: a, cert: a }), () => tls.createSecureContext({ ca: [], ciphers: a }),
        () => tls.createSecureContext({ ca: a }), () => tls.createSecureContext({ ca: [], pfx: a, passphrase: a }),
        () => dgram.createSocket(a), () => dgram.createSocket({ type: 'udp4', lookup: a }),
        () => new dns.Resolver(a), () => new net.BlockList().addAddress(a),
        () => new net.SocketAddress({ address: a }), () => tls.checkServerIdentity(a, { subject: a }),
        () => tls.checkServerIdentity('x', { subjectaltname: a })])
        try { calls++; close(make()); } catch { thrown++; }

const server = net.createServer((socket) => socket.on('error', () => {}));
server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const open = (then) => {
        const socket = net.connect(port, '127.0.0.1', () => then(socket));
        socket.on('error', () => {});
    };
    open((socket) => {
        const { _handle: handle } = socket;
        for (const name of ['write', 'writeUtf8', 'writeLatin1', 'writev', 'connect', 'connectPath',
            'setNoDelay', 'setKeepAlive', 'getsockname', 'getpeername', 'readStart', 'readStop', 'ref', 'unref',
            'hasRef', 'setOwner', 'shutdown'])
            for (const receiver of [handle, undefined, {}, net.Socket.prototype])
                attack(receiver, handle[name]);
        for (const a of values)
            for (const list of [[a, a], [a, a, 'x', false], [view, false, a, true]])
                try { handle.writev(list, a); } catch { thrown++; }
        // Reading the list closes the handle, and detaches what was read before.
        const bytes = new Uint8Array(100000);
        const list = [bytes, false, 'x', false];
        Object.defineProperty(list, 2, { get() { bytes.buffer.transfer(); handle.close(); return 'y'; } });
        try { console.log(handle.writev(list, () => {})); } catch (error) { console.log(error.name); }
        for (const name of ['close', 'reset', 'write', 'shutdown', 'readStart'])
            attack(handle, handle[name]);
        socket.destroy();
        open((other) => {
            attackAll(net.Socket.prototype, [other, undefined, {}]);
            attackAll(net.Server.prototype, [net.createServer(), {}]);
            attackAll(tls.TLSSocket.prototype, [other, {}]);
            other.destroy();
            server.close();
            const udp = dgram.createSocket('udp4');
            udp.on('error', () => {});
            udp.bind(0, '127.0.0.1', () => {
                attackAll(dgram.Socket.prototype, [udp, {}, undefined]);
                console.log(calls > 20000, thrown > 5000);
                process.exit(0);
            });
        });
    });
});

// Errors have the codes, messages and properties of Node's.
'use strict';
const net = require('net');

function show(label, error) {
    console.log(label, error.name, error.message.replace(/:\d{4,5}\b/g, ':PORT')
        .replace(/\/tmp\/\S+/, 'PATH'), Object.keys(error).join(), error.code, error.errno,
    error.syscall);
}

const server = net.createServer();
server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const second = net.createServer();
    second.on('error', (error) => {
        show('in use:', error);
        console.log(error.port === port, error.address, second.listening);
        server.close(() => refused(port));
    });
    second.listen(port, '127.0.0.1');
});

function refused(port) {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', (error) => {
        show('refused:', error);
        console.log(error.port === port, error.address, socket.destroyed);
    });
    socket.on('close', (hadError) => {
        console.log('close', hadError);
        several(port);
    });
}

// The names "::1" and "127.0.0.1" of one host: both attempts are reported.
function several(port) {
    const socket = net.connect({ port, host: 'both.test',
        lookup: (host, options, done) => done(null, [{ address: '127.0.0.1', family: 4 },
            { address: '127.0.0.2', family: 4 }]) });
    for (const event of ['lookup', 'connectionAttempt', 'connectionAttemptFailed'])
        socket.on(event, (...args) => console.log(event, ...args.map((arg) =>
            arg instanceof Error ? arg.code : arg === port ? 'PORT' : arg)));
    socket.on('error', (error) => {
        console.log(error instanceof AggregateError, error.code, error.errors.length);
        for (const one of error.errors)
            show('attempt:', one);
        console.log(socket.autoSelectFamilyAttemptedAddresses.map((text) =>
            text.replace(/\d+$/, 'PORT')));
        path();
    });
}

function path() {
    net.connect('/tmp/weir-no-such-socket').on('error', (error) => {
        show('path:', error);
        console.log(error.address, 'port' in error);
        local();
    });
}

function local() {
    net.connect({ port: 1, host: '127.0.0.1', localAddress: '192.0.2.1' })
        .on('error', (error) => {
            show('local:', error);
            badLookup();
        });
}

function badLookup() {
    net.connect({ port: 1, host: 'x.test', autoSelectFamily: false,
        lookup: (host, options, done) => done(null, 'not an address', 4) })
        .on('error', (error) => {
            show('lookup:', error);
            net.connect({ port: 1, host: 'x.test', autoSelectFamily: false,
                lookup: (host, options, done) => done(null, '127.0.0.1', 7) })
                .on('error', (error) => {
                    show('family:', error);
                    notRunning();
                });
        });
}

function notRunning() {
    net.createServer().close((error) => show('close:', error));
    const socket = new net.Socket();
    socket.on('error', (error) => show('write:', error));
    socket.destroy();
    socket.write('x', (error) => show('callback:', error));
}

for (const [label, fn] of [
    ['no port', () => net.connect({})],
    ['bad port', () => net.connect(70000)],
    ['port type', () => net.connect({ port: true })],
    ['host', () => net.connect({ port: 1, localAddress: 'x' })],
    ['local port', () => net.connect({ port: 1, localPort: 'x' })],
    ['family', () => net.connect({ port: 1, autoSelectFamily: 1 })],
    ['lookup', () => net.connect({ port: 1, host: 'a', lookup: 1 })],
    ['path', () => net.connect({ path: {} })],
    ['listen', () => net.createServer().listen({})],
    ['listen port', () => net.createServer().listen(-1)],
    ['listen path', () => net.createServer().listen({ path: 5 })],
    ['options', () => net.createServer('x')],
    ['timeout', () => new net.Socket().setTimeout('x')],
    ['timeout range', () => new net.Socket().setTimeout(-1)],
    ['timeout callback', () => new net.Socket().setTimeout(1, 'x')],
    ['object mode', () => new net.Socket({ objectMode: true })],
    ['keep alive', () => new net.Socket({ keepAliveInitialDelay: 'x' })],
    ['attempt timeout', () => net.setDefaultAutoSelectFamilyAttemptTimeout(0)],
    ['default family', () => net.setDefaultAutoSelectFamily(1)],
    ['fd', () => new net.Socket({ fd: -1 })],
])
    try {
        const made = fn();
        made?.on?.('error', () => {});
        console.log(label, 'no error');
    } catch (error) {
        console.log(label, error.name, error.code, error.message);
    }

// Lookups of names that need no network, arguments, servers, errors.
'use strict';
const dns = require('dns');

const fails = (fn) => {
    try {
        console.log('returned', fn());
    } catch (error) {
        console.log(error.name, error.code, error.message);
    }
};
for (const fn of [
    () => dns.lookup(5, () => {}), () => dns.lookup('a', 5, () => {}),
    () => dns.lookup('a', { hints: 1 }, () => {}), () => dns.lookup('a'),
    () => dns.lookup('a', 'b', () => {}), () => dns.lookup('a', { family: 5 }, () => {}),
    () => dns.lookup('a', { all: 1 }, () => {}), () => dns.lookup('a', { verbatim: 1 }, () => {}),
    () => dns.lookup('a', { order: 'x' }, () => {}), () => dns.lookup('a', {}, 5),
    () => dns.resolve('a', 'X', () => {}), () => dns.resolve('a', 5, () => {}),
    () => dns.resolve4(5, () => {}), () => dns.resolve4('a'), () => dns.setServers('a'),
    () => dns.setServers(['a']), () => dns.setServers([5]), () => dns.reverse('x', () => {}),
    () => dns.setDefaultResultOrder('x'), () => dns.lookupService('a', 1, () => {}),
    () => dns.lookupService('127.0.0.1', 1), () => dns.lookupService('127.0.0.1', -1, () => {}),
    () => new dns.Resolver({ timeout: 'x' }), () => new dns.Resolver({ tries: 0 }),
    () => new dns.Resolver({ timeout: null }), () => new dns.promises.Resolver({ tries: null }),
    () => dns.promises.lookup(5), () => dns.promises.resolve4(5),
    () => dns.promises.lookup('a', { family: 'IPv4' }),
])
    fails(fn);

const resolver = new dns.Resolver();
resolver.setServers(['127.0.0.1', '[::1]:5353', '1.2.3.4:99', '::1', '[::2]', '5.6.7.8:53']);
console.log(resolver.getServers());
resolver.setServers([]);
console.log(resolver.getServers());
console.log(dns.getDefaultResultOrder());
dns.setDefaultResultOrder('ipv4first');
console.log(dns.promises.getDefaultResultOrder());
console.log(Object.keys(dns).sort().join(' '));
console.log(Object.keys(dns.promises).sort().join(' '));
console.log(Object.getOwnPropertyNames(dns.Resolver.prototype).sort().join(' '));
console.log(dns.promises === require('dns/promises'), dns.ADDRCONFIG, dns.NOTFOUND);

const steps = [
    (done) => dns.lookup('127.0.0.1', done),
    (done) => dns.lookup('::1', { all: true }, done),
    (done) => dns.lookup('localhost', 4, done),
    (done) => dns.lookup('localhost', { family: 'IPv4', all: true }, done),
    (done) => dns.lookupService('127.0.0.1', 22, done),
    (done) => dns.promises.lookup('localhost', 4).then((value) => done(null, value), done),
    (done) => dns.promises.lookup('127.0.0.1', { all: true }).then((value) =>
        done(null, value), done),
    (done) => dns.promises.lookupService('127.0.0.1', 22).then((value) =>
        done(null, value), done),
    (done) => dns.promises.reverse('x').then((value) => done(null, value), done),
];
function next() {
    steps.shift()?.((error, ...values) => {
        console.log(error && [error.message, error.code, error.errno, error.syscall,
            error.hostname], ...values);
        next();
    });
}
next();

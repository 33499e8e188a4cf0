// crypto.getRandomValues, randomUUID, and the random part of node:crypto.
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
t(() => Object.keys(crypto));
t(() => crypto[Symbol.toStringTag]);
t(() => crypto.constructor.name);
t(() => new Crypto());
t(() => crypto.getRandomValues());
t(() => crypto.getRandomValues(5));
t(() => crypto.getRandomValues(new Float32Array(2)));
t(() => crypto.getRandomValues(new Uint8Array(65537)));
t(() => crypto.getRandomValues(new DataView(new ArrayBuffer(2))));
t(() => crypto.getRandomValues(new Uint8Array(4)).length);
t(() => crypto.getRandomValues(new BigInt64Array(4)).length);
t(() => crypto.getRandomValues.call({}, new Uint8Array(1)));
t(() => crypto.randomUUID.call({}));
t(() => crypto.getRandomValues(new Uint8Array(new SharedArrayBuffer(4))).length);
t(() => /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()));
const c = require('crypto');
t(() => c.webcrypto === crypto);
t(() => c.randomBytes(4).length);
t(() => c.randomBytes(-1));
t(() => c.randomBytes('x'));
t(() => c.randomBytes(2 ** 31));
t(() => c.randomBytes(1.5).length);
t(() => c.randomBytes(4, 5));
t(() => c.randomBytes(NaN));
t(() => c.randomInt(1));
t(() => c.randomInt(0));
t(() => c.randomInt(5, 6));
t(() => c.randomInt('x'));
t(() => c.randomInt(2 ** 48));
t(() => c.randomInt(0, 2 ** 48));
t(() => c.randomInt(3, 2));
t(() => c.randomInt(1.5));
t(() => c.randomInt(0, 2 ** 53));
t(() => c.randomInt(1, 2, 3));
t(() => c.randomFillSync(Buffer.alloc(4), 5));
t(() => c.randomFillSync(5));
t(() => c.randomFillSync(Buffer.alloc(4), 1, 9));
t(() => c.randomFillSync(Buffer.alloc(4), 'x'));
t(() => c.randomFillSync(Buffer.alloc(10), 9).subarray(0, 9));
t(() => c.randomFillSync(new ArrayBuffer(2)).byteLength);
t(() => c.randomFill(Buffer.alloc(1)));
t(() => c.randomFillSync(Buffer.alloc(4), 0, 'x'));
t(() => c.randomFillSync(Buffer.alloc(4), -1));
t(() => c.randomFillSync(Buffer.alloc(4), 0, -1));
t(() => c.randomFillSync(Buffer.alloc(0)));
t(() => c.timingSafeEqual(Buffer.from('a'), Buffer.from('a')));
t(() => c.timingSafeEqual(Buffer.from('a'), Buffer.from('ab')));
t(() => c.timingSafeEqual(5));
t(() => c.timingSafeEqual(Buffer.from('a'), 5));
t(() => c.timingSafeEqual(Buffer.from('ab'), new Uint8Array([97, 99])));
t(() => c.getRandomValues(new Uint8Array(2)).length);
c.randomBytes(3, (e, b) => { console.log('cb', e, b.length); c.randomInt(5, (e, n) => { console.log('int', e, n < 5); c.randomFill(Buffer.alloc(3), (e, b) => console.log('fill', e, b.length)); }); });

t(() => c.randomUUID({ disableEntropyCache: 5 }));
t(() => c.randomUUID(5));
t(() => new Set(Array.from({ length: 1000 }, () => crypto.randomUUID())).size);
const seen = new Set();
for (let i = 0; i < 2000; i++)
    seen.add(c.randomInt(-3, 4));
console.log([...seen].sort((a, b) => a - b).join());
t(() => crypto.getRandomValues(new Uint32Array(1000)).filter((x) => x === 0).length < 3);
t(() => require('crypto').randomUUID([]));

// util.parseArgs: options, tokens, and what it refuses.
const util = require('util');
const t = (f) => {
    try {
        console.log(f());
    } catch (e) {
        console.log(e.name, e.code, e.message);
    }
};
const parse = (config) => t(() => util.parseArgs(config));
parse({ args: ['-f', '--bar', 'b'], options: { f: { type: 'boolean' }, bar: { type: 'string', short: 'b' } } });
parse({ args: ['-abc', '-b5', '--', 'x'], options: { a: { type: 'boolean', short: 'a' }, b: { type: 'string', short: 'b' }, c: { type: 'boolean', short: 'c' } }, allowPositionals: true });
parse({ args: ['--unknown'] });
parse({ args: ['pos'] });
parse({ args: ['pos'], allowPositionals: true });
parse({ args: ['--foo'], options: { foo: { type: 'string' } } });
parse({ args: ['--foo=5'], options: { foo: { type: 'boolean' } } });
parse({ args: ['--foo', '-x'], options: { foo: { type: 'string' } } });
parse({ args: ['--foo=1', '--foo=2'], options: { foo: { type: 'string', multiple: true } } });
parse({ args: [], options: { foo: { type: 'string', default: 'd' }, m: { type: 'boolean', multiple: true, default: [true] } } });
parse({ args: ['--no-color', '-x'], strict: false });
parse({ args: ['--no-color'], options: { color: { type: 'boolean' } }, allowNegative: true });
parse({ args: ['-f=1', 'a', '--x=y', '--'], strict: false, tokens: true });
parse({ options: 5 });
parse({ options: { foo: {} } });
parse({ options: { foo: { type: 'x' } } });
parse({ options: { foo: { type: 'string', short: 'ab' } } });
parse({ args: 5 });
parse({ strict: 5 });
parse({ options: { foo: { type: 'string', default: 5 } } });
parse({ options: { foo: { type: 'string', multiple: 1 } } });
parse({ args: ['-u'], options: { a: { type: 'boolean' } }, allowPositionals: true });
parse({ args: ['--foo'], options: { foo: { type: 'string', short: 'f' } } });
parse({ args: ['--__proto__=5'], strict: false });
parse(5);
for (const key of ['args', 'strict', 'allowPositionals', 'tokens', 'options', 'allowNegative'])
    parse({ args: [], [key]: null }); // as if it were not there
for (const config of [null, true, 'text', []])
    parse(config);
for (const odd of [0, true, null, undefined, {}, 1n, ['-x'], Symbol('s')])
    parse({ args: [odd], strict: false, tokens: true });
for (const strict of [true, false])
    for (const args of [['--no-foo'], ['--no-bar'], ['--no-none'], ['--no-foo=1'], ['--no-off'], ['--foo', '--no-foo'], ['--no-many', '--many']])
        parse({ args, strict, tokens: true, allowNegative: true,
            options: { foo: { type: 'boolean' }, bar: { type: 'string' }, 'no-off': { type: 'boolean' }, many: { type: 'boolean', multiple: true } } });

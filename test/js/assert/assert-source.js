// assert(): its message has the text of the call, and the error its place.
const assert = require('assert');
const t = (f) => {
    try {
        f();
    } catch (e) {
        console.log(JSON.stringify(e.message));
    }
};
t(() => assert(
    false &&
      1)); t(() => assert.ok(
  [1,
   2].length === 3));
t(() => { assert(0) ; assert(1); }); t(() => { const { ok } = assert; ok(  null  ); });
t(() => assert['ok'](0)); t(() => assert.strict.ok(0)); t(() => [0].forEach(assert)); t(() => assert("".length, undefined));
t(() => eval('assert(0)')); t(() => new Function('assert', 'assert(0)')(assert)); t(() => assert.equal(assert.ok(0), 1)); t(() => assert.ok(`${')'}` && 0 && ")" && /\)/));
console.log(new assert.AssertionError({ actual: 1, expected: 2, operator: 'strictEqual' }).stack.split('\n').slice(0, 4).join('|'));
try { assert.strictEqual(1, 2); } catch (e) { console.log(e.stack.split('\n').slice(0, 3).join('|')); console.log(String(e), Object.prototype.toString.call(e)); console.log(require('util').inspect(e).replace(/\n +at .*/g, '')); }
try { assert(0, 'boo'); } catch (e) { console.log(require('util').inspect(e).replace(/\n +at .*/g, '')); }
try { assert.strictEqual('a\n'.repeat(30), 'b'); } catch (e) { console.log(require('util').inspect(e).replace(/\n +at .*/g, '')); }

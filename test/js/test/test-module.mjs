// import from node:test; results are awaited at the top level.
// test report
import test, { describe, it, mock } from 'node:test';
import * as all from 'node:test';
import * as reporters from 'node:test/reporters';
import { isBuiltin, builtinModules } from 'node:module';

console.log(Object.keys(all).join(), Object.keys(reporters).join());
console.log(typeof mock.fn, describe === all.suite);
console.log(['test', 'node:test', 'test/reporters', 'node:test/reporters'].map(isBuiltin).join(),
    builtinModules.includes('test'));
try {
    await import('test');
} catch (error) {
    console.log(error.code);
}
console.log(await test('first', () => console.log('in the first')));
console.log('after the first');
await describe('suite', () => {
    it('second', () => console.log('in the second'));
});
console.log('after the suite');

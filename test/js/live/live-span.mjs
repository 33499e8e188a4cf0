// weir only
// weir:live: span() without --otlp calls its function, and records nothing.
import { activeSpan, span } from 'weir:live';

console.log(span('one', (it) => [it.isRecording, it.traceId, it.setAttribute('a', 1) === it,
    it.recordError(new Error()) === it]));
console.log(await span('two', { attributes: { a: 1 } }, async () => 2));
console.log(activeSpan(), span('three', () => activeSpan()));
for (const args of [[], [1, () => {}], ['a'], ['a', null, () => {}], ['a', {}],
    ['a', { attributes: 1 }, () => {}]])
    try {
        span(...args);
    } catch (error) {
        console.log(error.code, error.message);
    }
try {
    span('four', () => { throw new Error('thrown'); });
} catch (error) {
    console.log(error.message);
}
await span('five', async () => { throw new Error('rejected'); }).catch((error) =>
    console.log(error.message));

// Events as util.inspect shows them.
const { inspect } = require('util');
const show = (value, options) => console.log(inspect(value, options).replaceAll(/timeStamp: [\d.]+/g, 'timeStamp: now'));
class Own extends Event { field = 1; }
const prevented = new Event('prevented', { cancelable: true });
prevented.preventDefault();
for (const event of [prevented, new CustomEvent('custom', { detail: 1 }), new MessageEvent('message', { data: [1] }), new Own('own')]) {
    show(event);
    show({ a: [event] });
    show({ a: { b: { c: event } } });
    show([event], { depth: 0 });
}

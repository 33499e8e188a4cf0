// exit: 1
// stderr: Error: all of it is shown
// stderr: nested: { a: [ 1, { b: { c: 2 } } ], own: Own { x: 1 } }
const { inspect } = require('util');
class Own {
    x = 1;
    [inspect.custom]() { return 'never'; }
}
const error = new Error('all of it is shown');
error.nested = { a: [1, { b: { c: 2 } }], own: new Own() };
console.log(inspect(error).includes('never'));
throw error;

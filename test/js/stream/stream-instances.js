// instanceof, calls without `new`, inheritance by functions and classes.
const { Readable, Writable, Duplex, Transform, PassThrough, Stream } = require('stream');
const EventEmitter = require('events');
const util = require('util');
const classes = { Readable, Writable, Duplex, Transform, PassThrough, Stream, EventEmitter };
for (const [name, own] of Object.entries(classes)) {
    if (name === 'EventEmitter')
        continue;
    const one = new own();
    console.log(name, Object.entries(classes).filter(([, other]) => one instanceof other).map(([key]) => key).join(' '));
    if (name !== 'Stream')
        console.log(own() instanceof own, own.call({}) instanceof own);
}
console.log({} instanceof Writable, null instanceof Writable, Object.create(Duplex.prototype) instanceof Writable);
console.log({ _writableState: new Writable()._writableState } instanceof Writable);

function Old(options) {
    if (!(this instanceof Old))
        return new Old(options);
    Readable.call(this, options);
    this.count = 0;
}
util.inherits(Old, Readable);
Old.prototype._read = function () { this.push(this.count++ < 3 ? String(this.count) : null); };
Old().on('data', (chunk) => console.log('old', chunk)).on('end', () => console.log('old end'));

class Upper extends Transform {
    _transform(chunk, encoding, done) { done(null, chunk.toString().toUpperCase()); }
}
const upper = new Upper();
upper.on('data', (chunk) => console.log('upper', chunk, upper instanceof Writable));
upper.end('abc');
class Own extends Writable {}
console.log(new Own() instanceof Own, new Writable() instanceof Own, new PassThrough() instanceof Own);
for (const key of ['readable', 'writable', 'destroyed', 'closed', 'errored', 'readableFlowing', 'readableLength', 'readableHighWaterMark', 'readableObjectMode', 'readableEncoding', 'readableEnded', 'readableAborted', 'readableDidRead', 'writableLength', 'writableHighWaterMark', 'writableObjectMode', 'writableEnded', 'writableFinished', 'writableCorked', 'writableNeedDrain', 'writableAborted', 'allowHalfOpen'])
    console.log(key, [new Readable(), new Writable(), new Duplex({ readableHighWaterMark: 5, writableObjectMode: true }), new PassThrough({ allowHalfOpen: false, encoding: 'hex' })].map((one) => one[key]).join(' '));

// Where an error was made: its classes' constructors are left out of the stack,
// and Error.captureStackTrace begins it with what the error says.
class HttpError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
        this.name = this.constructor.name;
        Error.captureStackTrace(this, this.constructor);
    }
}
class NotFound extends HttpError {
    constructor(message) {
        super(404, message);
    }
}
class Plain extends TypeError {
    constructor(message) {
        super(message);
    }
}
class Deep extends Plain {}
function Old(message) {
    this.message = message;
    Error.captureStackTrace(this, Old);
}
Old.prototype = Object.create(Error.prototype, { name: { value: 'Old' },
    constructor: { value: Old } });
class Nameless extends Error {
    static name = undefined;
}
class Named extends Nameless {}

function make(Class) {
    return new Class('why');
}

function show(error) {
    const [head, frame] = error.stack.split('\n');
    console.log(head, '|', /at (\S+) /.exec(frame)?.[1]);
}

for (const Class of [HttpError, NotFound, Plain, Deep, Old])
    show(make(Class));
console.log(make(Named).stack.split('\n')[0]);
console.log(require('util').inspect(make(NotFound)).split('\n')[0]);

const plain = { name: 'Named', message: 'text' };
Error.captureStackTrace(plain);
console.log(plain.stack.split('\n')[0], Object.keys(plain));
Error.captureStackTrace(plain, make);
console.log(plain.stack); // make did not call it
for (const target of [undefined, null, 5, Object.freeze({})])
    try {
        Error.captureStackTrace(target);
        console.log('taken');
    } catch (error) {
        console.log(error.name);
    }

function Ancient() {}
Ancient.prototype = new Error('once');
console.log(new Ancient().stack.split('\n')[0]);
Error.prepareStackTrace = (error, sites) => `made of ${typeof sites}`;
console.log(new Error('x').stack);
Error.prepareStackTrace = undefined;
try {
    new URL('relative');
} catch (error) {
    console.log(error.stack.split('\n')[0], error.code, error.input);
}

// Prototypes without an end.
const endless = new Proxy(function () {}, { getPrototypeOf: () => endless });
const { get } = Object.getOwnPropertyDescriptor(Error.prototype, 'stack') ?? {};
get?.call(endless);
console.log(Object.assign(new Error('ends'), { constructor: endless }).stack.split('\n')[0]);

// What a program does to builtins is not the stack's business.
class Above extends Error {}
class Below extends Above {}
const { exec } = RegExp.prototype, { has, add } = Set.prototype;
const { split, indexOf, slice } = String.prototype;
RegExp.prototype.exec = () => ['', 'Above'];
Set.prototype.has = Set.prototype.add = () => true;
String.prototype.split = String.prototype.indexOf = String.prototype.slice = () => 'no';
const { stack: kept } = new Below('kept');
Object.assign(RegExp.prototype, { exec });
Object.assign(Set.prototype, { has, add });
Object.assign(String.prototype, { split, indexOf, slice });
console.log(kept.split('\n')[0], /errors-stack\.js/.test(kept.split('\n')[1]));

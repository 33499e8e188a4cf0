// The methods of a CallSite, as Error.prepareStackTrace gets them.
'use strict';

const methods = ['getColumnNumber', 'getEvalOrigin', 'getFunctionName', 'getLineNumber',
    'getMethodName', 'getPromiseIndex', 'getTypeName', 'isAsync', 'isConstructor', 'isEval',
    'isNative', 'isPromiseAll', 'isToplevel', 'toString'];
const local = (text) => typeof text === 'string' ? text.replaceAll(__dirname, '') : text;

function sites() {
    const before = Error.prepareStackTrace, holder = {};
    Error.prepareStackTrace = (error, list) => list;
    Error.captureStackTrace(holder, sites);
    const { stack } = holder;
    Error.prepareStackTrace = before;
    return stack;
}

function show(label, site) {
    const found = {};
    for (const name of methods)
        found[name] = local(site[name]());
    const owner = site.getThis();
    found.getThis = owner === globalThis ? 'global' : typeof owner;
    found.getFunction = typeof site.getFunction();
    found.getFileName = local(site.getFileName());
    found.getScriptNameOrSourceURL = local(site.getScriptNameOrSourceURL());
    console.log(label, found);
}

class Kind {
    constructor() { this.site = sites()[0]; }
    method() { return sites()[0]; }
}
show('constructor', new Kind().site);
show('method', new Kind().method());
const object = { method() { return sites()[0]; }, other: function () { return sites()[0]; } };
show('object', object.method());
show('renamed', object.other());
function plain() { return sites()[0]; }
show('plain', plain());
show('arrow', (() => sites()[0])());
show('top', sites()[0]);
show('builtin', [1].map(() => sites()[1])[0]);
show('eval', eval('sites()[0]'));
const make = Function;
const sloppy = make('sites', 'return function sloppy() { return sites()[0]; }')(sites);
show('sloppy', sloppy());
show('sloppy method', { sloppy }.sloppy());

// Stacks that the program makes itself.
Error.stackTraceLimit = 3; new Error('a').stack;
Error.prepareStackTrace = (e, frames) => frames.map((f) => f.getFunctionName() + f.getFileName() + f.getLineNumber() + f.isNative()).join();
function f() { return new Error('b').stack; } f(); (() => f())(); [1].map(f); Error.captureStackTrace({}, f);
Error.prepareStackTrace = () => { throw new Error('c'); }; try { f(); } catch (e) { String(e); }
Error.prepareStackTrace = { a: 1 }; try { f(); } catch (e) { String(e); }
Error.prepareStackTrace = undefined; f(); try { undefined.x; } catch (e) { e.stack; }
Error.prepareStackTrace = (e, frames) => frames.map((f) => `${f} ${f.getTypeName()} ${f.getMethodName()} ${f.getEvalOrigin()} ${typeof f.getThis()} ${f.isEval()} ${f.isToplevel()}`).join();
class C { m() { return new Error('d').stack; } } new C().m(); eval('f()'); new Function('f', 'return f()')(f); eval('eval("f()")'); ({ f }).f(); f.call(1);
Error.prepareStackTrace = undefined; eval('f()');
// Functions that await, and Promise.all and its like between them.
async function late() { await 0; return new Error('e').stack; } const waits = async () => { await late(); };
async function combine() { await Promise.all([waits()]); await Promise.allSettled([waits()]); await Promise.any([waits()]); }
combine(); Promise.resolve().then(() => { Error.prepareStackTrace = (e, frames) => frames.map((f) => `${f} ${f.getPromiseIndex()} ${f.isPromiseAll()} ${f.getMethodName()}`).join(); return combine(); });

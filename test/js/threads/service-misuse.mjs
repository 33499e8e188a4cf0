// weir only
// Wrong use is an exception, never a crash, and changes nothing.
import { Service } from 'weir:service';

function attempt(what, f) {
    try {
        console.log(what, f());
    } catch (error) {
        console.log(what, error.name, error.code, error.message);
    }
}
const service = new Service();
service.start();
attempt('exit', () => service.exit());
const ticket = service.tryEnter();
attempt('exit of another', () => new Service().exit(ticket));
attempt('exit of no ticket', () => service.exit({}));
attempt('exit', () => service.exit(ticket));
attempt('exit again', () => service.exit(ticket));
attempt('exit again', () => service.exit());
attempt('inflight', () => service.inflight);
for (const options of [null, 1, 'x', () => 1])
    attempt('options', () => new Service(options).state);
for (const deadline of ['1', -1, NaN])
    attempt('deadline', () => new Service({ deadline }));
attempt('call', () => Service());
for (const handle of [undefined, null, 1, '', 'weir:service:', 'weir:service:x', {}, { handle: 1 },
    { get handle() { throw new EvalError('mine'); } }])
    attempt('from', () => Service.from(handle).state);
attempt('from a handle of nothing', () => Service.from('weir:service:999999999').state);
const gone = Service.from('weir:service:999999999');
attempt('gone', () => [gone.start(), gone.tryEnter(), gone.inflight, gone.report().closed].join());
console.log(await gone.drain(), await gone.closed);
attempt('name', () => service.tryEnter(Symbol()));
attempt('name', () => service.tryEnter({ toString() { throw new EvalError('mine'); } }));
attempt('inflight', () => service.inflight);
for (const member of ['state', 'inflight', 'closed'])
    attempt(member, () => Reflect.get(Service.prototype, member, {}));
for (const method of ['start', 'tryEnter', 'exit', 'report'])
    attempt(method, () => Service.prototype[method].call({}));
for (const deadline of ['1', -1, NaN, 1n])
    await service.drain({ deadline }).catch((error) => console.log(error.name, error.code));
for (const fn of [undefined, 1, {}])
    await service.run(fn).catch((error) => console.log(error.name, error.code));
console.log(service.state, service.inflight);

// Tickets that nobody can reach any more stay inside.
(() => { Service.from(service).tryEnter('lost'); })();
for (let i = 0; i < 1e5; i++)
    ({ i }).i = [i];
console.log((await service.drain({ deadline: 1 })).holders.map(({ name }) => name));

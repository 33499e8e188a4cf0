import { execa, execaNode, execaSync, $ } from 'execa';

const { stdout, exitCode, command } = await execa('printf', ['%s\n', 'a b', '$c']);
console.log(stdout, exitCode, command);
console.log((await execa('cat', { input: 'from the input' })).stdout);
console.log((await $`echo ${['one', 'two words']} three`).stdout);
console.log((await execa('sh', ['-c', 'echo out; echo err >&2'], { all: true })).stderr);
const failed = await execa('sh', ['-c', 'echo oh >&2; exit 3'], { reject: false });
console.log(failed.exitCode, failed.failed, failed.stderr, failed.shortMessage);
await execa('sh', ['-c', 'exit 4']).catch((error) => console.log(error.name, error.message));
await execa('no-such-program').catch((error) => console.log(error.code, error.shortMessage));
await execa('sleep', ['10'], { timeout: 50 }).catch((error) =>
    console.log(error.timedOut, error.isTerminated, error.signal, error.shortMessage));
const controller = new AbortController();
const child = execa('sleep', ['10'], { cancelSignal: controller.signal });
setTimeout(() => controller.abort(), 20);
await child.catch((error) => console.log(error.isCanceled, error.shortMessage));
console.log(execaSync('echo', ['sync']).stdout);
const lines = [];
for await (const line of execa('printf', ['1\n2\n3']))
    lines.push(line);
console.log(lines);
console.log((await execa('echo', ['piped']).pipe('tr', ['a-z', 'A-Z'])).stdout);
console.log((await execa('printf', ['b\na\n'], { lines: true })).stdout);
console.log((await execa('echo', ['{"a":1}'], { stdout: function* (line) {
    yield JSON.stringify({ ...JSON.parse(line), b: 2 });
} })).stdout);
const node = execaNode('helpers/child.cjs', { ipc: true });
await node.sendMessage({ n: 20 });
console.log(await node.getOneMessage(), (await node).exitCode);

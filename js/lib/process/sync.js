// SPDX-License-Identifier: MIT
// process/sync -- children that the program waits for.
'use strict';

const { Buffer } = require('bytes/buffer');
const { toBuffer } = require('bytes/bytes');
const { parseAll } = require('process/stdio');
const { PIPE_OUT, DETACHED } = require('process/child');
const { checkMaxBuffer, checkTimeout, killSignalOf, normalize, signalName, spawnError,
    toSignal } = require('process/arguments');
const { invalidArgType } = require('core/errors');

const MAX_BUFFER = 1024 * 1024;

function inputOf(input, index, encoding) {
    if (input == null)
        return undefined;
    if (typeof input === 'string')
        return Buffer.from(input, encoding === 'buffer' ? undefined : encoding);
    if (ArrayBuffer.isView(input))
        return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    throw invalidArgType(`options.stdio[${index}]`,
        'of type string or an instance of Buffer, TypedArray, or DataView', input);
}

// Run what normalize() has returned.
function run(options) {
    const { entries } = parseAll(options.stdio ?? 'pipe', true);
    const { encoding } = options;
    if (options.input)
        entries[0].input = options.input;
    const inputs = entries.map(({ type, input }, index) =>
        type === 'pipe' ? inputOf(input, index, encoding) : undefined);
    const text = (value) => String(value).toWellFormed();
    const [error, pid, code, signal, ...outputs] = native.spawnSync(text(options.file),
        options.args.map(text), options.envPairs.map(text),
        options.cwd === undefined ? undefined : text(options.cwd),
        entries.flatMap(({ kind, fd }) => [kind, fd]), options.detached ? DETACHED : 0,
        options.uid, options.gid, inputs, options.maxBuffer || Infinity, options.timeout ?? 0,
        options.killSignal ?? toSignal('SIGTERM'));
    const isRun = pid !== 0;
    const output = isRun ? outputs.map((bytes, index) => entries[index].kind === PIPE_OUT
        ? show(toBuffer(bytes), encoding) : null) : null;
    const result = { status: isRun && signal === 0 ? code : null,
        signal: signal === 0 ? null : signalName(signal), output, pid,
        stdout: output?.[1] ?? null, stderr: output?.[2] ?? null };
    if (error === 0)
        return result;
    return { error: spawnError(error, 'spawnSync', options.file, options.args), ...result };
}

const show = (buffer, encoding) => encoding && encoding !== 'buffer'
    ? buffer.toString(encoding) : buffer;

function spawnSync(file, args, options) {
    const checked = { maxBuffer: MAX_BUFFER, ...normalize(file, args, options) };
    checkTimeout(checked.timeout);
    checkMaxBuffer(checked.maxBuffer);
    checked.killSignal = killSignalOf(checked.killSignal);
    return run(checked);
}

// What execFileSync and execSync throw.
function failureOf(result, args, command) {
    let error = result.error;
    if (error === undefined) {
        if (result.status === 0)
            return undefined;
        let message = `Command failed: ${command ?? args.join(' ')}`;
        if (result.stderr && result.stderr.length > 0)
            message += `\n${result.stderr.toString()}`;
        error = new Error(message);
    }
    return Object.assign(error, result);
}

module.exports = { spawnSync, failureOf };

// Frames that an error shares with its cause: the first and the last are shown.
const { inspect } = require('util');

function fake(name, frames, cause) {
    const error = new Error(name, cause && { cause });
    error.stack = [`Error: ${name}`, ...frames.map((one) => `    at ${one}`)].join('\n');
    return error;
}

const all = [...'abcdefghij'];
for (const [own, causes] of [[all, all], [['x', ...all], all], [all, ['y', ...all]],
    [['x', ...all.slice(0, 4)], ['y', ...all.slice(0, 4)]],
    [['x', ...all.slice(0, 3)], ['y', ...all.slice(0, 3)]],
    [['x', ...all, 'z'], ['y', ...all]], [['x', 'a', 'b', 'q', ...all], all],
    [all.slice(0, 5), all]])
    for (const colors of [false, true])
        console.log(inspect(fake('outer', own, fake('inner', causes)), { colors }));

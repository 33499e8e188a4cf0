import { PassThrough, Writable } from 'node:stream';
import { checkbox, confirm, input, number, password, select } from '@inquirer/prompts';
import inquirer from 'inquirer';

// A terminal on which somebody presses keys.
function terminal(...keys) {
    const from = new PassThrough();
    let shown = '';
    const to = new Writable({ write(chunk, encoding, done) {
        shown += chunk;
        done();
    } });
    (async () => {
        for (const key of keys) {
            await new Promise((resolve) => setTimeout(resolve, 30));
            from.write(key);
        }
    })();
    return { input: from, output: to, clearPromptOnDone: false, text: () => shown };
}

async function ask(prompt, options, ...keys) {
    const at = terminal(...keys);
    console.log(await prompt(options, at).catch((error) => `${error.name}: ${error.message}`));
    console.log(JSON.stringify(at.text()));
}

const DOWN = '\x1b[B';
await ask(input, { message: 'Name?', default: 'nobody' }, 'a', 'n', 'x', '\x7f', 'n', '\n');
await ask(input, { message: 'Even?', validate: (text) => text.length % 2 === 0 || 'odd' },
    'a', '\n', 'b', '\n');
await ask(confirm, { message: 'Sure?' }, 'n', '\n');
await ask(number, { message: 'How many?', min: 1 }, '4', '2', '\n');
await ask(password, { message: 'Secret?', mask: true }, 's', '3', '\n');
await ask(select, { message: 'Which?', choices: ['one', 'two', { name: 'Three', value: 3 }] },
    DOWN, DOWN, '\n');
await ask(checkbox, { message: 'Which?', choices: ['one', 'two', 'three'] }, ' ', DOWN, ' ', '\n');
await ask(input, { message: 'Name?' }, 'a', '\x03');
const prompt = inquirer.createPromptModule(terminal('x', '\n'));
console.log(await prompt([{ type: 'input', name: 'who', message: 'Who?' },
    { type: 'input', name: 'never', message: '', when: ({ who }) => who === 'y' }]));

import yargs from 'yargs17';
import { hideBin } from 'yargs17/helpers';

console.log(hideBin(['node', 'file', '--a']));
const make = (line) => yargs(line).scriptName('tool').locale('en').exitProcess(false)
    .usage('$0 <command> [options]')
    .option('verbose', { alias: 'v', type: 'boolean', describe: 'say more' })
    .option('size', { type: 'number', default: 3, choices: [1, 2, 3] })
    .command('add <a> [b..]', 'add numbers', (one) => one.positional('a', { type: 'number' })
        .positional('b', { type: 'number' }), (argv) => console.log('add', argv))
    .command('later', 'wait', {}, async () => {
        await null;
        console.log('later');
    })
    .coerce('when', (text) => new Date(text).getTime()).array('list')
    .demandCommand(1, 'a command, please').strict().help().version('1.2.3');

for (const line of ['add 1 2 3 -v', 'add 1 --list a b --when 2020-01-01', 'later', '--help',
    '--version', 'add', 'add 1 --size 9', 'add 1 --unknown', ''])
    await make(line).parse(line, (error, argv, output) => {
        console.log(`[${line}]`, error?.message, output);
    });
console.log(make('').parsed);
console.log(yargs('--a.b 1 --no-c -xyz 5 --d=e -- f g').scriptName('tool').parse());

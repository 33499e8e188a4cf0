'use strict';
const { Argument, Command, Option } = require('commander');

function make() {
    const program = new Command('tool').description('a tool').version('1.2.3')
        .option('-v, --verbose', 'say more').option('-p, --port <number>', 'a port', Number, 80)
        .exitOverride().configureOutput({ writeErr: (text) => process.stdout.write(text) });
    program.command('copy').description('copy files').argument('<from>').argument('[to...]')
        .addOption(new Option('-m, --mode <mode>', 'how').choices(['fast', 'safe']).env('MODE'))
        .action((from, to, options, command) =>
            console.log('copy', from, to, options, command.optsWithGlobals()));
    program.command('wait').addArgument(new Argument('<n>').argParser(Number))
        .action(async (n) => {
            await new Promise((resolve) => setTimeout(resolve, n));
            console.log('waited', n);
        });
    return program;
}

(async () => {
    for (const line of ['copy a b c -m fast', '-v -p 8080 copy a', 'wait 5', '--version',
        '--help', 'help copy', 'copy', 'copy a -m slow', '--prot 1', 'cpy', '-p'])
        await make().parseAsync(line.split(' '), { from: 'user' }).catch((error) =>
            console.log(error.code, error.exitCode));
})();

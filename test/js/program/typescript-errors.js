// weir only
// What TypeScript cannot say, or what weir does not turn into JavaScript.
'use strict';
const fs = require('fs'), os = require('os'), path = require('path');

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'weir-ts-'));
process.on('exit', () => fs.rmSync(directory, { recursive: true }));
process.env.WEIR_CACHE = '';
let count = 0;
function attempt(source, name = `${count++}.cts`) {
    const file = path.join(directory, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, source);
    try {
        console.log(JSON.stringify(source), require(file));
    } catch (error) {
        console.log(JSON.stringify(source), error.name, error.code,
            error.message.replaceAll(directory, ''));
        console.log(error.stack.replaceAll(directory, '').split('\n')
            .filter((line) => !/node:internal|native/.test(line)).slice(0, 6).join('\n'));
    }
}

attempt('let x: = 1');
attempt('let a = 1;\n  class A { x: number = ; }');
attempt('namespace A { export const x = 1 }');
attempt('module.exports = 1;\nnamespace A.B {\n    function f() {}\n}');
attempt('namespace Outer { export namespace Inner { export let x = 1 } }');
attempt('@decorated class A {}');
attempt('class A { @decorated x = 1 }');
attempt('module.exports = 1', 'node_modules/package/index.ts');

// These are only types.
attempt(`namespace A { export interface B { const: number; let(x: 1): void }
    export type Q =
        { a: 1 }
    type Z = string
    interface K {} export namespace C { type D = 1 } }
module.exports = 'types'`);
attempt('declare namespace A { const x: number; function f(): void }\nmodule.exports = "declared"');
attempt('declare module "x" { export const a: number; namespace Q { let z: 1 } }\nmodule.exports = "module"');
attempt('declare global { var x: number }\nmodule.exports = "global"');
attempt('let namespace = 1, module1 = {}, type = 2, declare = 3; namespace = 4;\n' +
    'module.exports = [namespace, type, declare]');

// A line that begins with a parenthesis after a type
attempt('const f = (x: any) => x\nlet y = f as any\n(1)\ntype T = string\n[2].map(f)\nmodule.exports = y === f');

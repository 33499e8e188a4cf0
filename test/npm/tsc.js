'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { project, run } = require('./helpers/command.cjs');

const cwd = project({
    'tsconfig.json': JSON.stringify({ compilerOptions: { target: 'es2020', module: 'commonjs',
        strict: true, declaration: true, sourceMap: true, outDir: 'out', types: [],
        rootDir: '.' }, include: ['*.ts'] }),
    'a.ts': 'import { b, type B } from "./b";\nexport enum E { One = 1, Two }\n' +
        'export class C<T extends B> { #x = 1; constructor(readonly t: T) {} ' +
        'get x(): number { return this.#x + b(this.t); } }\nexport default new C({ n: 2 }).x;\n',
    'b.ts': 'export interface B { n: number }\nexport const b = (x: B): number => x?.n ?? 0;\n',
    'bad/bad.ts': 'const a: string = 1;\nfunction f(x) { return x.y }\nf();\nnone;\n',
});
run(cwd, 'tsc', '-p', '.', '--listEmittedFiles');
for (const name of fs.readdirSync(path.join(cwd, 'out')).sort())
    console.log(`-- ${name}\n${fs.readFileSync(path.join(cwd, 'out', name))}`);
run(cwd, 'tsc', '--noEmit', '--strict', '--types', '', 'bad/bad.ts');

'use strict';
const { project, run } = require('./helpers/command.cjs');

const cwd = project({
    'eslint.config.mjs': `import js from '@eslint/js';
export default [js.configs.recommended, { rules: { semi: 'error', eqeqeq: 'error',
    'prefer-const': 'error', complexity: ['warn', 2] } }];\n`,
    'bad.js': 'let a = 1\nif (a == 2) { unknown(); }\nfunction f(x, y) { if (x) return 1; ' +
        'else if (y) return 2; debugger; }\n',
    'good.js': 'export const a = [1, 2].map((x) => x * 2);\n',
    'broken.js': 'let = = 1;\n',
});
run(cwd, 'eslint', '.');
run(cwd, 'eslint', '--fix', '--format', 'json', 'bad.js');

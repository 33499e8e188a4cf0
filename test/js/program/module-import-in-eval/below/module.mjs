const show = (label) => (module) => console.log(label, module.default);
await eval('import("./there.mjs")').then(show('eval'));
await (0, eval)('import("./there.mjs")').then(show('indirect eval'));
await new Function('return import("./there.mjs")')().then(show('new Function'));
await eval('eval("import(\'./there.mjs\')")').then(show('nested eval'));
await eval('new Function("return import(\'./there.mjs\')")')().then(show('both'));
const odd = { ['a (b'](text) { return eval(text); } };
await odd['a (b']('import("./there.mjs")').then(show('odd name'));

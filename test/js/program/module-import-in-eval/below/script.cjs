const show = (label) => (module) => console.log(label, module.default);
(async () => {
    await eval('import("./there.mjs")').then(show('eval'));
    await new Function('return import("./there.mjs")')().then(show('new Function'));
})();

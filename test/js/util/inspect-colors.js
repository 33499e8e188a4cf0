// util.inspect.colors: all of them, and what is changed in them or in styles is seen.
const { inspect } = require('util');
const { colors, styles } = inspect;
const shown = () => JSON.stringify(inspect(/a/, { colors: true }));
console.log(Object.keys(colors).map((name) => `${name} ${colors[name]}`).join(', '));
console.log(Object.getOwnPropertyNames(colors).filter((name) => !Object.keys(colors).includes(name)).map((name) => `${name} ${colors[name]}`).join(', '));
console.log(shown());
colors.red = [1, 2];
console.log(shown());
styles.regexp = 'bgRedBright';
console.log(shown());
styles.regexp = 'crossedOut';
console.log(shown());
colors.crossedOut = [3, 4];
console.log(shown(), colors.strikethrough, colors.crossedout);
styles.regexp = undefined;
console.log(shown());
styles.regexp = 'none such';
console.log(shown());

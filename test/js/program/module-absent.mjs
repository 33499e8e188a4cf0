// weir only
// What Node has built in and weir has not is named as that, whichever way it is
// asked for.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
for (const name of ['inspector', 'inspector/promises', 'no-such-package'])
    for (const ask of [require, require.resolve, (name) => import(name)])
        try {
            await ask(name);
        } catch (error) {
            console.log(error.code, error.message.split(' imported from')[0].split('\n')[0]);
        }
for (const ask of [require, (name) => import(name)])
    try {
        await ask('node:inspector');
    } catch (error) {
        console.log(error.code, error.message);
    }

// Names that are imported from CommonJS packages, as their authors write them.
import { hook, check } from 'chosen';
import passed, { one, 'a-b' as dashed } from 'passed';
import { own, star } from 'starred';
console.log(hook, check, passed, one, dashed, own, star);
for (const name of ['chosen', 'passed', 'starred', 'typed', 'annotated'])
    console.log(name, Object.keys(await import(name)).join());
await import('circular').catch((error) => console.log(error.code));

// import() in code that eval() or new Function() has compiled is relative to the
// file that called them.
import { createRequire } from 'module';
import './below/module.mjs';
createRequire(import.meta.url)('./below/script.cjs');

// import() settles after a top-level await in a module that it shares with its
// importer.
import './parent.mjs';
console.log('main');
console.log(await import('./grand.mjs'));
console.log(await import('./waits.mjs'));
console.log(await import('./parent.mjs'));
console.log(await import('./cycle-a.mjs'));
console.log(await import('./below-cycle.mjs'));
console.log(await import('./failing.mjs').catch((error) => error.message));
console.log(await import('./below-failing.mjs').catch((error) => error.message));

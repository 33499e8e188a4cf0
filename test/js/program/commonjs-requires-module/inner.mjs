import './outer.mjs';

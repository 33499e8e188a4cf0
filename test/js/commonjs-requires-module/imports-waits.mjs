import './waits.mjs';

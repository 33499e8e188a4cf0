import './failing.mjs';

import './none.mjs';

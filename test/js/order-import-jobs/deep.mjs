import './base.mjs';
count();

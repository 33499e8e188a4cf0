import './waits-and-fails.mjs';

import './main.js';

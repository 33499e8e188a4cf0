import './puzzle.cjs';

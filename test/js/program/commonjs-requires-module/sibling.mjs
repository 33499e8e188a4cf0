import './shared.mjs';
import './wants.cjs';

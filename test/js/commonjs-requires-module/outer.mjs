import './back-inner.cjs';

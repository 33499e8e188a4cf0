import './back-circle.cjs';

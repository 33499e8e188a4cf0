import './back-round.cjs';

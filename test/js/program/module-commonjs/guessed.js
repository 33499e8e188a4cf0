export const hello = 'guessed esm'; export default 5;

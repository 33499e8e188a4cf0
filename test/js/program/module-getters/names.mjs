import { stderr } from 'node:process';
export { stderr };
export const own = 'own';

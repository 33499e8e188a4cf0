import plain from 'plain'; export const where = plain;

await undefined;
export const never = 1;

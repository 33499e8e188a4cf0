export const kind = "module";

export default 1; export const __esModule = "mine";

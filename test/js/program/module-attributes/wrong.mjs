import "./code.mjs" with { type: "json" };

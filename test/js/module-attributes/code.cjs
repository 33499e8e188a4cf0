exports.kind = "commonjs";

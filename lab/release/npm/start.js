// Starts a program of the package that npm has installed for this machine, and ends as it ends.
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

module.exports = (name) => {
  const platform = `${process.platform}-${process.arch}`;
  let program;
  try {
    program = require.resolve(`@ctxledger/${platform}/bin/${name}${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(
      `${name}: the package @ctxledger/${platform} is not installed\n` +
        "  hint: install ctxledger without --omit=optional, on linux, darwin or win32 with x64 or arm64",
    );
    process.exit(1);
  }
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`${name}: ${error.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
};

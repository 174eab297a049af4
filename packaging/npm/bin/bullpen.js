#!/usr/bin/env node
// Runs the program for this platform with the same arguments, terminal, exit code and
// signals.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { programPath } = require("../lib/program.js");

// A terminal sends Ctrl-C to both processes. Forwarding it too would deliver it twice, and
// the second signal ends an office immediately instead of gracefully.
function forwards(signal) {
  return !(signal === "SIGINT" && process.stdin.isTTY);
}

// Handlers are installed before the program starts: a signal that arrives meanwhile is
// delivered after the start.
function run(program) {
  let child;
  const signals = process.platform === "win32" ? ["SIGINT", "SIGBREAK"] : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  for (const signal of signals) {
    process.on(signal, () => {
      if (process.platform !== "win32" && forwards(signal)) child.kill(signal);
    });
  }
  child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(`bullpen: cannot run ${program}: ${error.message}; install the package again`);
    process.exit(126);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000); // in case the signal does not end this process
  });
}

try {
  run(programPath());
} catch (error) {
  console.error(`bullpen: ${error.message}`);
  process.exit(1);
}

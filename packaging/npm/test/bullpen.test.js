"use strict";

const assert = require("node:assert/strict");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { packageName, programPath } = require("../lib/program.js");

// A stand-in program, whose first argument says what it does.
const program = `#!/usr/bin/env node
const [how, what] = process.argv.slice(2);
if (how === "echo") console.log(JSON.stringify(process.argv.slice(3)));
if (how === "cat") process.stdin.pipe(process.stdout);
if (how === "exit") process.exit(Number(what));
if (how === "die") process.kill(process.pid, what);
if (how === "wait") {
  const ends = { SIGTERM: 41, SIGINT: 42, SIGHUP: 43 };
  for (const [signal, code] of Object.entries(ends)) process.on(signal, () => process.exit(code));
  console.log("ready");
  setInterval(() => {}, 1000);
}
`;

// install lays the shim and a platform package out as npm does.
function install(t, { platformPackage = true, mode = 0o755 } = {}) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bullpen-npm-"));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  const modules = path.join(dir, "node_modules");
  const shim = path.join(modules, "@bullpen-office", "bullpen");
  for (const part of ["package.json", "bin", "lib"]) {
    fs.cpSync(path.join(__dirname, "..", part), path.join(shim, part), { recursive: true });
  }
  if (platformPackage) {
    const bin = path.join(modules, packageName(process.platform, process.arch), "bin");
    fs.mkdirSync(bin, { recursive: true });
    fs.writeFileSync(path.join(bin, "bullpen"), program, { mode });
  }
  return path.join(shim, "bin", "bullpen.js");
}

const call = (shim, ...args) => spawnSync(process.execPath, [shim, ...args], { encoding: "utf8", input: "typed\n", timeout: 120_000 });
const posix = { skip: process.platform === "win32" && "the stand-in program is a script" };

test("every platform has its package and its path", () => {
  const resolve = (file) => path.posix.join("/modules", file);
  assert.equal(programPath("linux", "x64", resolve), "/modules/@bullpen-office/bullpen-linux-x64/bin/bullpen");
  assert.equal(programPath("darwin", "arm64", resolve), "/modules/@bullpen-office/bullpen-darwin-arm64/bin/bullpen");
  assert.equal(programPath("win32", "x64", resolve), "/modules/@bullpen-office/bullpen-win32-x64/bin/bullpen.exe");
  assert.throws(() => programPath("aix", "ppc64", resolve), /no program for aix on ppc64/);
});

test("arguments and input pass through untouched", posix, (t) => {
  const shim = install(t);
  const args = ["", "two words", "--flag=ü", "$HOME", "*", 'quo"te', "--"];
  assert.deepEqual(JSON.parse(call(shim, "echo", ...args).stdout), args);
  assert.equal(call(shim, "cat").stdout, "typed\n");
});

test("the exit code is the program's", posix, (t) => {
  const shim = install(t);
  for (const code of [0, 1, 4, 130, 255]) assert.equal(call(shim, "exit", String(code)).status, code);
});

test("if a signal ends the program, the same signal ends the shim", posix, (t) => {
  const shim = install(t);
  for (const signal of ["SIGTERM", "SIGKILL", "SIGINT"]) assert.equal(call(shim, "die", signal).signal, signal);
});

for (const [signal, code] of [["SIGTERM", 41], ["SIGINT", 42], ["SIGHUP", 43]]) {
  test(`${signal} reaches the program`, posix, (t, done) => {
    const child = spawn(process.execPath, [install(t), "wait"], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.once("data", () => child.kill(signal));
    child.on("exit", (status) => {
      assert.equal(status, code);
      done();
    });
  });
}

test("a missing or broken program is reported, with what to do", posix, (t) => {
  const missing = call(install(t, { platformPackage: false }), "version");
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /is not installed; install again without --omit=optional/);
  const broken = call(install(t, { mode: 0o644 }), "version");
  assert.equal(broken.status, 126);
  assert.match(broken.stderr, /cannot run .*: .*EACCES.*; install the package again/);
});

test("the package runs nothing at install time and fetches nothing", () => {
  const { scripts, dependencies } = require("../package.json");
  assert.deepEqual(Object.keys(scripts), ["test"]);
  assert.equal(dependencies, undefined);
  for (const file of ["bin/bullpen.js", "lib/program.js"]) {
    assert.doesNotMatch(fs.readFileSync(path.join(__dirname, "..", file), "utf8"), /http|fetch\(|net"/);
  }
});

// Finds the program, which is in the optional package that npm chose for this platform.
"use strict";

const { name: shim, optionalDependencies } = require("../package.json");

function packageName(platform, arch) {
  const name = `${shim}-${platform}-${arch}`;
  if (!(name in optionalDependencies)) {
    throw new Error(`there is no program for ${platform} on ${arch}; build it from source with Go`);
  }
  return name;
}

function programPath(platform = process.platform, arch = process.arch, resolve = require.resolve) {
  const name = packageName(platform, arch);
  const file = `${name}/bin/bullpen${platform === "win32" ? ".exe" : ""}`;
  try {
    return resolve(file);
  } catch {
    throw new Error(`the package ${name} is not installed; install again without --omit=optional (or --no-optional), on the platform that runs it`);
  }
}

module.exports = { packageName, programPath };

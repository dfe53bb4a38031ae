#!/bin/sh
# Puts a real VS Code for the tests of the extension into a directory: code-server, which is VS Code with its window in
# a browser, on a Node of its own, and the library that drives the browser. Everything is from npm, by exact version, and
# no script of a package runs, so nothing is compiled. The browser is Debian's Chromium. Needs apt-get, node and npm.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
if ! command -v chromium > /dev/null; then
  as_root=$([ "$(id -u)" = 0 ] || echo sudo)
  $as_root apt-get update -qq
  $as_root apt-get install -y -qq --no-install-recommends chromium
fi
cd "$1"
npm='npm install --no-audit --no-fund --ignore-scripts --loglevel=error'
npm init -y > /dev/null
$npm --save-exact "node-linux-$(node -p process.arch)@24.21.0" code-server@4.139.1 playwright-core@1.65.1

# What VS Code itself needs, by its own lock file, but for agents, containers, other systems and what only its desktop
# window has: two thirds of the bytes.
cd node_modules/code-server/lib/vscode
node - << 'PRUNE'
const fs = require('node:fs');
const unused = ['@devcontainers/cli', '@github/copilot-sdk', '@microsoft/mxc-sdk', '@vscode/copilot-api', '@vscode/sandbox-runtime',
  '@vscode/sqlite3', '@vscode/tree-sitter-wasm', '@vscode/windows-process-tree', '@vscode/windows-registry', 'kerberos', 'ssh2'];
const manifest = JSON.parse(fs.readFileSync('package.json', 'utf8'));
for (const name of unused) delete manifest.dependencies[name];
fs.writeFileSync('package.json', JSON.stringify(manifest, null, 2));
PRUNE
$npm --omit=dev

# Two modules of C++ take half a minute to compile, and want the headers of this Node. What tests need of them is little.
cp "$source/spdlog.js" node_modules/@vscode/spdlog/index.js
echo 'exports.start = () => {}; // the test ends every process of the server' > node_modules/@vscode/native-watchdog/index.js

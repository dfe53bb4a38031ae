// Stands in for @vscode/spdlog, which is C++ and would have to be compiled: a logger that appends to its file.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const names = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
const info = 2;

class Logger {
  #file;
  #level = info;
  #plain = false;

  constructor(file) {
    this.#file = file;
    names.forEach((name, level) => { this[name] = message => this.#write(name, level, message); });
  }

  #write(name, level, message) {
    if (level < this.#level) return;
    fs.appendFileSync(this.#file, this.#plain ? message : `${new Date().toISOString()} [${name}] ${message}\n`);
  }

  getLevel() { return this.#level; }
  setLevel(level) { this.#level = level; }
  clearFormatters() { this.#plain = true; }
  setPattern() {}
  flush() {}
  drop() {}
}

async function create(_name, file) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger(file);
}

exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;

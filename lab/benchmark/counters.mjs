// npm's counters for the benchmark, each in a process of its own that speaks as counter/main.go does.
//
//   node counters.mjs DIRECTORY PACKAGE ENCODING       PACKAGE is installed in DIRECTORY/node_modules
//
// Each is asked in the fastest way that it offers for a whole text as ordinary text.
import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [directory, name, encoding] = process.argv.slice(2);
const load = createRequire(resolve(directory, "package.json"));
const ordinary = { disallowedSpecial: new Set() };

const packages = {
  tiktoken() {
    const t = load("tiktoken").get_encoding(encoding);
    return { count: (s) => t.encode_ordinary(s).length };
  },
  "gpt-tokenizer"() {
    const t = load(`gpt-tokenizer/encoding/${encoding}`);
    return { count: (s) => t.countTokens(s, ordinary) };
  },
  "ai-tokenizer"() {
    const t = new (load("ai-tokenizer").Tokenizer)(load(`ai-tokenizer/encoding/${encoding}`));
    return { count: (s) => t.count(s) };
  },
  "js-tiktoken"() {
    const t = new (load("js-tiktoken/lite").Tiktoken)(load(`js-tiktoken/ranks/${encoding}`));
    return { count: (s) => t.encode(s, [], []).length };
  },
};

// A piece is one ideograph or three letters shorter each time: some counters remember whole pieces.
const tasks = {
  nothing: () => 0,
  piece: (s, i) => tasks.count(s.slice(0, s.length - (s.charCodeAt(0) > 0x7f ? i : 3 * i))),
};

function answer(line) {
  const [, task, runs, millis, path] = /^(\w+) (\d+) (\d+) (.*)$/.exec(line);
  const text = readFileSync(path, "utf8");
  if (task !== "nothing" && !tasks.count) Object.assign(tasks, packages[name]()); // the first one pays
  const took = [];
  let n = 0;
  for (const began = performance.now(); !took.length || (took.length < runs && performance.now() - began < millis); ) {
    const at = process.hrtime.bigint();
    n = tasks[task](text, took.length);
    took.push(process.hrtime.bigint() - at);
  }
  writeSync(1, `${n} 0 0 ${took.join(" ")}\n`);
}

const buffer = Buffer.alloc(4096);
let pending = "";
for (let n; (n = readSync(0, buffer)) > 0; ) {
  const lines = (pending + buffer.toString("utf8", 0, n)).split("\n");
  pending = lines.pop();
  for (const line of lines) answer(line);
}

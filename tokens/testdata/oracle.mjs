// The reference as a process that the tests of package tokens ask: npm `tiktoken`.
//
//   node oracle.mjs DIRECTORY ENCODING        it is installed in DIRECTORY/node_modules
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
const encoder = load("tiktoken").get_encoding(encoding);
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

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

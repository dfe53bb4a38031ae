// The reference side of package tokens: asks npm `tiktoken` (OpenAI's own core) for what the Go
// tests compare with. See README.md for how to run it. It writes, below the directory given:
//
//   data/unicode-16.0.txt      the character classes of the reference's regular expressions
//   testdata/golden.jsonl      random texts with the reference's counts and hashes of the ids
//   testdata/classes.golden    for each block of 4,096 code points, a hash of the counts of every
//                              code point in every template
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [directory, root] = process.argv.slice(2);
if (!root) throw new Error("usage: node oracle.mjs DIRECTORY_OF_TIKTOKEN PACKAGE_DIRECTORY");
const { Tiktoken, get_encoding } = createRequire(resolve(directory, "package.json"))("tiktoken");

const BLOCK = 4096;
const END = 0x110000;
const isSurrogate = (c) => c >= 0xd800 && c <= 0xdfff;
const hex = (c) => c.toString(16).toUpperCase().padStart(4, "0");
const sha = (data) => createHash("sha256").update(data).digest("hex");

// An encoder whose vocabulary is the 256 bytes and whose pattern is one class drops all text that
// the pattern does not match, so what comes out of it are the members of the class.
function classMembers(pattern) {
  const ranks = Array.from({ length: 256 }, (_, b) => `${Buffer.from([b]).toString("base64")} ${b}`);
  const encoder = new Tiktoken(ranks.join("\n"), {}, pattern);
  const members = [];
  for (let start = 0; start < END; start += BLOCK) {
    let text = "";
    for (let c = start; c < start + BLOCK; c++) if (!isSurrogate(c)) text += String.fromCodePoint(c);
    const matched = Buffer.from(encoder.encode_ordinary(text)).toString("utf8");
    for (const char of matched) members.push(char.codePointAt(0));
  }
  encoder.free();
  return members;
}

// The classes are disjoint, so one file of maximal runs holds them all.
function classes(patterns) {
  const of = new Array(END);
  for (const [name, pattern] of Object.entries(patterns)) {
    for (const c of classMembers(pattern)) {
      if (of[c]) throw new Error(`U+${hex(c)} is in ${of[c]} and in ${name}`);
      of[c] = name;
    }
  }
  const lines = [];
  for (let c = 0; c < END; ) {
    let end = c + 1;
    while (end < END && of[end] === of[c]) end++;
    if (of[c]) lines.push(`${hex(c)}..${hex(end - 1)} ${of[c]}\n`);
    c = end;
  }
  return lines.join("");
}

// A seeded generator (xorshift32), so that the golden files can be made again.
function random(seed) {
  let x = seed;
  return (n) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % n;
  };
}

// Weighted to what splits badly; the last row holds code points new in Unicode 15.1 and 16.0.
const ALPHABET = [
  ..."abcxyzABCXYZ", "'", "'s", "'LL", "'t", "'re", "'Ve", "'\u017F", "\u017F", "'d", "'m", " ", " ", "  ", "\n", "\r\n", "\t", "\n\n",
  "/", "//", "{", "}", "(", ")", "_", "-", "=", "1", "22", "333", "é", "É", "中", "文", "，", "\u00A0", "\u3000", "\u0085", "\u2028", "\uFEFF",
  "\u0301", "\u01C5", "\u02B0", "\u0661", "\u00B2", "\u2160", "\u1E9E", "😀", "\u200D", "\uFE0F", "\0", "\x7F", "\v", "\f", "\u16A0",
  "\u0915", "\u094D", "\u1F88", "\u24B6", "\uA7F7", "\u{1D400}", "\u{1E900}", "\u{1E922}", "\u{20000}", "\u{16E40}", "\u{1FBF0}",
  "the", " func", "return ", "HTTPServer", "\uFFFD",
  "\u1C89", "\uA7CB", "\u{2EBF0}", "\u{10D40}", "\u0897",
];

function goldenTexts() {
  const next = random(20_160_913);
  const texts = [];
  for (let i = 0; i < 900; i++) {
    let text = "";
    const length = 1 + next(i % 10 === 0 ? 60 : 14);
    for (let k = 0; k < length; k++) text += ALPHABET[next(ALPHABET.length)];
    texts.push(text);
  }
  for (const unit of ["a", "ab", "=", " ", "\n", "é", "中", "\t ", "A", "0", "'s", "-*", "\u0301"]) {
    for (const n of [2, 3, 15, 16, 17, 64, 127, 128, 129, 200]) texts.push(unit.repeat(n));
  }
  for (let i = 0; i < 40; i++) { // long pieces without any border
    let text = "";
    const size = [26, 4, 2, 60][i % 4];
    for (let k = 0; k < 200 + 10 * i; k++) text += String.fromCharCode(97 + next(Math.min(size, 26)));
    texts.push(text);
  }
  return texts;
}

function golden(encoders) {
  const result = (encoder, text) => {
    const ids = encoder.encode_ordinary(text);
    return [ids.length, sha(Buffer.from(Uint32Array.from(ids).buffer)).slice(0, 16)];
  };
  const line = (text) => JSON.stringify({ text, o200k: result(encoders[0], text), cl100k: result(encoders[1], text) }) + "\n";
  return goldenTexts().map(line).join("");
}

// Keep in step with classTemplates in golden_test.go.
const TEMPLATES = ["c", "ac", "ca", " c", "cc", "!c", "c!", "c\n", "\nc", "c's", "Aca", "c/", "!c/", "ccc\n/", "1c", "c1", "\tc", "éc", "中c"];

function classBlocks(encoders) {
  const pieces = TEMPLATES.map((t) => t.replace(/c/g, "\u{F0000}").split("\u{F0000}"));
  const lines = [];
  for (let start = 0; start < END; start += BLOCK) {
    const hashes = encoders.map((encoder) => {
      const counts = [];
      for (let c = start; c < start + BLOCK; c++) {
        if (isSurrogate(c)) continue;
        const char = String.fromCodePoint(c);
        for (const parts of pieces) counts.push(encoder.encode_ordinary(parts.join(char)).length);
      }
      return sha(Buffer.from(counts)).slice(0, 16);
    });
    lines.push(`${hex(start)} ${hashes.join(" ")}\n`);
  }
  return lines.join("");
}

const encoders = [get_encoding("o200k_base"), get_encoding("cl100k_base")];
const CLASSES = { Lu: "\\p{Lu}", Lt: "\\p{Lt}", Lm: "\\p{Lm}", Lo: "\\p{Lo}", Ll: "\\p{Ll}", M: "\\p{M}", N: "\\p{N}", S: "\\s" };
writeFileSync(join(root, "data/unicode-16.0.txt"), classes(CLASSES));
writeFileSync(join(root, "testdata/golden.jsonl"), golden(encoders));
writeFileSync(join(root, "testdata/classes.golden"), classBlocks(encoders));

// Package redact masks secrets in text that leaves the ledger.
//
// Start with New and Redactor.String; Writer masks a stream, Find reports what was found and where.
// The kinds of secrets are the table in rules.go: a line of data each.
//
// A secret is found in three steps, cheapest first: a prefilter looks for the literals of all rules in
// one pass, a rule's pattern is tried only where one of them is, and what it finds is judged by its
// entropy, its shape and a list of keys that documentation made public. Runs of base64 are decoded and
// looked into once. Programs that take passwords are the table in arguments.go; private keys are read line
// by line; a text with anything invisible inside is looked at without it as well.
//
// Guarantees, each of them fuzzed:
//   - the same key and text give the same masks; equal secrets get equal masks, and without the key
//     a guess cannot be tested against one;
//   - masking masked text changes nothing;
//   - what was valid JSON stays valid JSON;
//   - a text masked through Writer, cut anywhere, is the text masked whole.
//
// What it deliberately does not do: it asks no service whether a key is alive, it has no options, and it
// is no proof of absence. Not found are secrets without a known shape and without a name in front of them,
// passwords that are a plain word or that contain spaces, keys split over string literals of source code,
// anything encrypted or compressed, base64 in base64, and base64 runs over 8 KB.
package redact

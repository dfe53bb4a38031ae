// Package scrub finds a text in bytes and takes it out of them, however JSON wrote it.
//
// Start at New. A Text is found as it is and as a JSON string holds it (escaped quotes, \u00e9, \/),
// also in a string inside a string, as tool arguments are. In says whether bytes hold the text, Find
// the same of a stream, and Out returns a string without it.
//
// What was derived from a text may hold only a part of it: a cut title, one line of a key file. Out
// therefore also takes out a beginning of the text at which a string was cut, and the lines of a text
// of several lines; nothing shorter than Least.
//
// The package deliberately sees neither base64 nor compressed bytes, does not look for the text in
// another case or spelling, and knows nothing of where the strings come from.
package scrub

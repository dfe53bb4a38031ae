// Package text is the content of a document as an editor and a language model see it: in lines and columns, and in
// tokens.
//
// Start at New; Change converts an editor's edit to bytes. A Text is immutable: Replace returns a new one that shares
// everything that the edit did not touch, so requests can use the old one meanwhile.
//
// Guarantees: after any sequence of edits the text is the editor's text, in its UTF-16 code units; token counts are
// exact. Half of a surrogate pair, which no file can contain, becomes U+FFFD, which is also one unit wide. Positions
// beyond an end mean the end.
//
// A new text is analysed on its first use. The package deliberately knows no protocol and no files.
package text

// Package artifacts keeps content outside the context and reads parts of it back.
//
// Start at Put, which gives content a handle, at Stub, which makes the text that replaces it in
// a conversation, and at Read, which returns the part that a Selection asks for. Search ranks
// passages of many artifacts.
//
// Guarantees: a handle is derived from the content, so the same content has one handle, for ever;
// a forgotten artifact says so, and when, and what it was, never a bare "not found"; the pages of
// a reading by lines, by bytes or from the start join to the original, byte for byte; no read
// needs memory in proportion to the content, except json_path, whose input is capped.
//
// The package deliberately stores no content: that is a blob, which the caller stored before Put
// and opens for Read. It decides neither what becomes an artifact nor where a stub is shown.
package artifacts

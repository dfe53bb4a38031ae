// Package jsondoc reads and writes the JSON documents that other programs and we exchange: a root
// object with a list of entries.
//
// Start at Read, which returns the entries, at Writer, and at Field, of which objects consist. Reading is forgiving (names in
// any case, a byte order mark, a document that was cut off: what is complete counts), writing is exact:
// two spaces, one member a line, but objects and lists of plain values on one line, and a final
// newline. Members that the reader does not know are kept and written back behind the known ones.
//
// The package deliberately knows no schema: packages changes and intents do.
package jsondoc

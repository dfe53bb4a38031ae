// Package memory keeps named facts that outlive sessions.
//
// Start at Save, Recall and Block; Parse, Format, Import and Export exchange memories as Markdown.
//
// Guarantees: a name is unique in its scope, in every case and Unicode form; a fact of another author is
// overwritten only on demand, and the version before is kept; ranking and export are
// deterministic. A memory's text is data: Block fences it, says so, and leaves nothing in it that
// could end the fence.
//
// The package deliberately knows no files (Import takes an fs.FS, Export returns bytes) and no
// ledgers: which one holds the user scope is the engine's matter.
package memory

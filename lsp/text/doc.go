// Package text is the content of a document as an editor and a language model see it: lines and
// columns on one side, tokens on the other.
//
// Start at New; Change says in bytes what an editor replaces. A Text never changes: Replace returns another
// one that shares with it all but what the edit touched, so answers may be given from one while the next
// is made.
//
// Guarantees: after any sequence of edits the text is what the editor has, counted in the units of
// utf-16 that editors count in; counts are exact. Half of a surrogate pair, which no file can hold, stands
// as U+FFFD, one unit wide like itself. No position is refused: those beyond an end stand for the end.
//
// Nothing of a new text is looked at before it is asked for. The package deliberately knows no protocol
// and no file.
package text

// Package layout writes a document of blocks and lines within a budget of tokens, and reads one back.
//
// Writing: start with Document. Block adds a block, Add offers a line of it, Fill chooses the lines. Each line belongs to
// a class; each class has a share of the budget that it may use before the others, and what is left goes to the classes
// in their order. A line may have a shorter form, a heading that is printed exactly with one of its lines, or a parent
// without which it is not printed. Allot divides a share among texts so that the longest give way first. Print quotes
// stored words so that none of their lines can be mistaken for one of ours; Fit and OneLine shorten them.
//
// Reading: Unquote is the inverse of Print, BlocksOf and BlockWith take a document apart, and AnchorsOf returns what a
// summary names, so that the next one can carry it: files with their changes, handles, turns. Reading knows the headings
// and the beginnings of lines of this and of earlier versions, and nothing else of them.
//
// Guarantees: the printed document has at most the budget by exact count, or Fill says that what must be there does not
// fit; the same offers give the same document. The package knows nothing of sessions: what a line says, and what it is
// worth, is the caller's.
package layout

// Package retention measures what a summary keeps of a conversation, by what really happened after it.
//
// Start with NewPoint: it takes the messages before and after one compaction. Point.Measure measures any
// text by them; Point.WordList and Point.Tail make the two texts of the same length that a
// summary has to be compared with, and that do well on some measures and badly on others.
//
// # What is measured
//
// An identifier is what transcript.Extract finds: CamelCase, snake_case, dotted.names, error codes, ids,
// exit codes and file paths. A text names an identifier where it has it between characters that are neither
// letters, digits nor "_"; of a path its last two segments count.
//
//   - Need: of the identifiers in the arguments of the 200 tool calls after the compaction that had
//     occurred before it, the share that the text names.
//   - Hard: the same without those that only bodies of edits use (every argument of a call that
//     writes or patches a file, but its path) and without those that a tool result, or the user, says
//     again between the compaction and their first other use: what the agent could neither look up by
//     then nor write from its head.
//   - Files: of the files that calls had changed before without an error, the share that the text
//     names.
//   - Bind: of those files, the share that the text says something about: a line that names the file, or one
//     at most three lines away, has an identifier of the bodies of its edits. Files whose edits have no
//     identifier are left out.
//   - Commands: of the tests and builds that ran before, each taken without changes of directory,
//     variables, redirections and filters, the share that the text holds word for word, with a word
//     for the outcome of the last run (passed, failed) in the rest of its line or, where the line ends with
//     it, in the next one.
//   - User: of the runs of five words in the last ten messages of the user, the share that is in
//     the text verbatim, white space aside. A shorter message is one run.
//   - Precision: of the identifiers that the text names, the share that counts for Need.
//   - Dense: the share of the text, in bytes, that is in lines with more than eight identifiers: a
//     word list has everything there, a document little.
//
// Subagents' messages are left out on both sides, and so is what hosts write in the user's name.
//
// # Guarantees
//
// Same input, same figures. A measure that has nothing to look for is not a number, so that a mean
// leaves it out. The package knows nothing of package compaction and shares no code with it that decides
// what matters: a measure that is made of what it measures proves nothing.
//
// The package deliberately does not say whether an agent solves its task: only whether the words that
// it used later were there.
package retention

// Package carryover measures what a summary keeps of a conversation, by what really happened after it.
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
//     it, in the next one. A call that the user refused, or that its host cancelled, was no run. Of a run
//     through a filter that did not fail, which says nothing of the test, either outcome counts.
//   - User: of the runs of five words in the last ten messages of the user, the share that is in
//     the text verbatim, white space aside. A shorter message is one run.
//   - Precision: of the identifiers that the text names, the share that counts for Need.
//   - Dense: the share of the text, in bytes, that is in lines with more than eight identifiers: a
//     word list has everything there, a document little. Shorter lines meet it, so it decides nothing.
//   - Lists: the share of the text that is in lists of identifiers, wherever its lines are broken. See below.
//
// Less is better for Dense and Lists. Need decides nothing either: of all texts a ranked word list has the most of
// it. A text is better than another one if it has more of the others at the same length without more Lists, and
// if a reader who has nothing else can answer questions about the work, which no measure here shows.
//
// Subagents' messages are left out on both sides, and so is what hosts write in the user's name.
//
// # What a list is
//
// A word is in a list if, of the eleven words around it (itself, five before it and five behind it), at least 70%
// are identifiers. Near the ends of a text there are fewer, but at least three. The figure counts the characters of
// words only: white space, signs and numbers are in neither part of it, and a text without words has no figure.
//
//   - Lines: every line counts as short and is joined with its neighbours, over empty lines too. With any limit
//     on what is short, a text wrapped just below or above it would have another figure. Eleven words are about as
//     many as a line of 80 columns has.
//   - Words: runs of letters, digits, combining marks, "_" and "." with at least two letters. A path is one word,
//     and so is an address with a scheme. Every other sign separates words: commas, "·", "|", "+", quotes, bullets,
//     brackets, the marks of headings and fences. So do numbers such as "12." and "×3", and letters alone, like
//     the one of a check box. The language behind a fence is no word. In scripts without spaces, two characters
//     are a word.
//   - Identifiers: words that are identifiers by themselves, as above; the words of "exit code 1" are not. A word
//     with a capital behind an identifier counts as one too, and so does another behind it, unless a sentence ends
//     between them: "FromCents, Cents, Amount" are three.
//
// So layout changes nothing or next to nothing. Text does: a list with a plain word behind every second identifier
// is none, and the first and last few words of a list within prose are not counted, nor is one of up to seven
// identifiers. A path is one identifier however many segments it has. Code whose words are nearly all names counts
// as a list.
//
// # Guarantees
//
// Same input, same figures. A measure that has nothing to look for is not a number, so that a mean
// leaves it out. The package knows nothing of package compaction and shares no code with it that decides
// what matters: a measure that is made of what it measures proves nothing.
//
// The package deliberately does not say whether an agent solves its task: only whether the words that
// it used later were there.
package carryover

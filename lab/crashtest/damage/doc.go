// Package damage changes the files of a ledger behind its back and looks at what the product makes
// of them.
//
// Start at Load and Original.Check. One byte is flipped, a file is cut off, a page is zeroed, filled
// with garbage or exchanged for another one, a meta page or a whole file comes from elsewhere. Then
// the ledger is opened and everything in it is asked for.
//
// The rule: every answer is the right one or an error of code corrupt, and a ledger that does not
// open says so with that code. A record that is missing without an error is a wrong answer, and so
// is a process that dies or hangs. A damage follows from seed and number.
package damage

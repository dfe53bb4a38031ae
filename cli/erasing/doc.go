// Package erasing is what the commands that destroy something, or put another ledger into use, have in common: they list
// what goes, and ask a person, or need a flag where nobody can be asked.
//
// Start at Face.Consent. It also says what a forgetting did. The package
// deliberately forgets nothing: a command asks the ledger, twice, first with a dry run.
package erasing

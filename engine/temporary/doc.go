// Package temporary keeps the short-lived copies of a ledger: those that checks and repairs read, ledgers of replays,
// incomplete backups, and the damaged ledgers that repairs keep.
//
// Start at Dir. Guarantees: a copy is made inside the state directory, so that what forgets there reaches it; what a killed
// process left is removed by the next owner, by gc and by forget, also what older versions left beside the directory.
//
// The package deliberately opens no ledger.
package temporary

// Package adopting is what the command line says of the ledgers of other directories, and how it takes one over.
//
// Start at List and Plan. Nothing is taken over unless a person names the ledger and agrees; what two directories have in
// common only suggests it, since clones have it in common, too. The package deliberately opens no ledger: it reads what
// ledgers record of themselves, and asks those that have an owner.
package adopting

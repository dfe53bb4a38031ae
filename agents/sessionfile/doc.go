// Package sessionfile reads the files in which coding agents keep their conversations.
//
// Detect says which agent wrote a file. An Adapter is what one agent's package provides: where its
// files lie and a Decode function that turns one line into a Record. Records and About read a file
// through it; importing, following and auditing (packages agents and agents/audit) use nothing else.
//
// Guarantees: every line of a file gives one record, in order, whose offsets leave no gap, and a damaged one gives every
// record that is whole in it; memory is bounded by limits.Line; what is damaged is a Broken record and never an error.
// Detect looks at the beginning of a file only, needs no complete line and never fails.
//
// The package deliberately opens no files, and knows neither the ledger nor prices.
package sessionfile

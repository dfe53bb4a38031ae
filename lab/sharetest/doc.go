// Package sharetest has tests of one ledger under many processes: real programs, real daemons, killed,
// stopped and replaced while they work.
//
// Start at TestHistoriesAreLinearizable: clients in several processes record what they asked and what
// they were answered, and a checker looks for an order of all that which one ledger could have had.
// TestStartAndStop looks for what starting and stopping leaves behind, skew_test.go has programs of two
// versions at one ledger. `make share` runs the first two at length and prints the figures.
//
// The tests in engine/daemon cover a single client of a single daemon, which is not repeated here.
package sharetest

// Package formattest writes conversations as every provider wants them, for tests: one notation, five
// ways to spell it.
//
// Start with Providers and Provider.Messages; Provider.Brief writes messages in the same notation. The package
// is for tests alone.
package formattest

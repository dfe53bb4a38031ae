// Package terminaltest gives tests a real terminal, for what programs do only where a person sits in front of one.
//
// Start at Open; there are terminals on Linux, and elsewhere the test is skipped. The package deliberately knows
// nothing of what programs write.
package terminaltest

// Package script is a scripted session of a ledger: everything that a face does to one, in a fixed
// order, together with a complete reading of the outcome. The harnesses for power cuts, failing
// system calls and damage play it and compare.
//
// Start at Steps, Play and Read. Tell gives the story: what a sound ledger answers after every step.
//
// Guarantees: clock and randomness depend on the step alone, so that every run of the script, on
// any backend and in any process, leads through the same states. Every step carries a key: playing
// the script again, from the beginning, changes nothing but what is missing.
//
// The package deliberately knows nothing of files and processes: it sees the engine's API.
package script

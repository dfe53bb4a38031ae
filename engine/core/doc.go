// Package core is an open ledger: its store, mutations with their keys and stored answers, the recording of messages
// and what follows from them, and the log of a session folded into its view. Packages with a subject of their own
// (files, views, upkeep) are built on it; package engine composes them.
package core

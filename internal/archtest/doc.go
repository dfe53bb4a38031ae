// Package archtest holds the rules of the architecture as tests: layers, one importer per
// third-party module, documentation, sizes and determinism.
//
// A rule is one line of data with its reason, in tables_test.go. The package has no code of its
// own: everything is in its tests, which read the source of the whole module.
package archtest

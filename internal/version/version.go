// Package version has the version of the programs. It deliberately imports nothing: every program links it.
package version

// Version is the version of all programs, and of the VS Code extension.
const Version = "0.1.0"

// Package configfile helps with writing ctxledger's configuration in an editor: what is wrong with it, what a key means,
// and which keys and values there are.
//
// Start at Is. What is right is decided by package config; this package only finds out where in a text somebody is. It
// works on lines and indentation, because what is being written is mostly no valid YAML.
package configfile

import (
	"path"

	"ctxledger.dev/config"
)

// Is reports whether a file, by its path with slashes, is a configuration: that of a workspace, or a user's own.
func Is(file string) bool {
	name := path.Base(file)
	return name == config.File || name == "config.yaml" && path.Base(path.Dir(file)) == "ctxledger"
}

// Selector selects these files, in the form of the editor's protocol.
const Selector = `[{"pattern":"**/` + config.File + `"},{"pattern":"**/ctxledger/config.yaml"}]`

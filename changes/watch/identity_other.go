//go:build !unix

package watch

import "io/fs"

// identity distinguishes directories, whatever their paths. Here it distinguishes none.
type identity struct{}

// identify returns the identity of a directory.
func identify(fs.FileInfo) identity { return identity{} }

// Package safefs looks at the files of a directory tree, and at nothing outside of it.
//
// Start at Open. A Tree's methods take paths with slashes, relative to its directory. They follow
// symbolic links as long as these stay inside, also while somebody swaps them, because every step is
// taken by the operating system from the directory that was opened (os.Root); no path is resolved first
// and opened later. Named pipes, devices and sockets are never opened, so nothing can hang.
//
// The package deliberately writes nothing.
package safefs

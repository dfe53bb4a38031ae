// Package safefs reads the files of a directory tree, and nothing outside of it.
//
// Start at Open. A Tree's methods take paths with slashes, relative to its directory. They follow symbolic
// links that stay inside, even while another process replaces them: the operating system resolves every
// step from the opened directory (os.Root), so that no path is resolved first and opened later. Named
// pipes, devices and sockets are never opened, so nothing can hang.
//
// The package deliberately writes nothing.
package safefs

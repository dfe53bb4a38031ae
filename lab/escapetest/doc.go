// Package escapetest swaps the files at the paths that the product reads and writes, while it does so,
// for links that lead out of the directory tree, pipes, devices, sockets and other directories.
//
// Start at campaign_linux_test.go: a subject is a reader or writer with the files it is given, and a
// newcomer adds one as a row of subjects. Each must be entered through the function that the product's
// faces call. Two naive subjects, which check a path before they open it, must be caught: a campaign
// that cannot catch them proves nothing. internal/archtest holds the list of all calls that open paths,
// and says for each which subject covers it.
//
// Hard links and mounts count as inside, because no program can distinguish them from files of the tree;
// inside_linux_test.go holds the product and docs/threat-model.md to that.
package escapetest

// Package gitobject finds commits in the object store of a git repository, without git.
//
// Start at Open. A Store answers whether the repository has a commit, for which it reads a few bytes of an index, and which
// commit its history began with, for which it reads every commit on the way there.
//
// Guarantees: nothing is run, nothing outside the directory is read, and damaged or hostile files end in an error.
// The package deliberately follows no alternates and reads no refs that are tables: a repository that has its objects or
// refs there has no commit here. It does not verify hashes: who can write a repository can also choose its commits.
package gitobject

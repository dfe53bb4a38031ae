package safefs

// Nothing is to be said here: opening a path of a directory never waits for another process, and who
// may make symbolic links is an administrator.
const notBlocking, notFollowing, onlyDirectory = 0, 0, 0

// itself leads from a directory to itself.
const itself = ""

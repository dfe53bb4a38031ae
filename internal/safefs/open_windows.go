package safefs

// The flags are not needed here: opening a path never waits for another process, and only administrators
// create symbolic links.
const notBlocking, notFollowing, onlyDirectory = 0, 0, 0

// itself is not needed here.
const itself = ""

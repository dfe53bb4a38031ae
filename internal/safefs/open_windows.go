package safefs

// notBlocking is nothing here: opening a path of a directory never waits for another process.
const notBlocking = 0

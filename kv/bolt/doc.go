// Package bolt keeps a ledger in a private directory: records in one bbolt file, blobs as
// compressed files beside it.
//
// Start at Open. It takes the directory for this process alone; a second Open, here or in
// another process, fails with an error that IsLocked recognises, until Close. The directory
// holds ledger.db and blobs/ab/<hash>; other files in it are the caller's. Check and Salvage
// look at a ledger that nobody has open, and trust nothing in it.
//
// Guarantees, beyond those of kv:
//   - Directories are 0700 and files 0600 from their first instant under any umask. Looser
//     ones are tightened; a directory or file of another user and a symlinked file are refused.
//   - ledger.db appears complete or not at all. A file that is damaged in structure is found
//     by walking its pages before bbolt maps it, and refused with an error; a damaged value is
//     found by its checksum when it is read. Neither ends the process.
//   - Concurrent updates share one commit, without a fixed delay.
//   - When the disk reports that it lost a write (EIO), the store refuses further updates:
//     what the file's cache shows is then no longer what is on disk.
//   - A vacuum puts a new file in the place of the old one: at every instant, also of a crash,
//     ledger.db is one of the two, whole, and this process owns it. On Windows, which does not
//     replace a mapped file, another process could take the old file in the moment before it is
//     replaced; then this store stops writing. That way has been tested on Linux only.
//
// One kind of damage can pass unseen, because bbolt's pages have no checksums: a page number
// that changed into that of a discarded page, whose older records are sound in themselves. Of page
// numbers that were changed on purpose, fewer than one in a hundred passed; of flipped bytes
// anywhere, none in 20,000 (lab/crashtest/damage). So can a meta page as a whole that is the
// one of the transaction before: the ledger is then as it was one commit earlier.
//
// Inside a View do not call Update, and inside an Update do not call the store at all: the
// one writer would wait for itself.
//
// The package deliberately does no repair in place: Open refuses a damaged ledger, and Salvage
// writes another one. It rewrites, deletes and collects nothing unasked.
package bolt

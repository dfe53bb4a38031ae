// Package bolt keeps a ledger in a private directory: records in one bbolt file, blobs as compressed
// files.
//
// Start at Open. It locks the directory for this process; a second Open, here or in another process, fails
// with an error of code locked, until Close. The directory holds ledger.db and blobs/ab/<hash>;
// other files in it are the caller's. The methods of Backend read a ledger that no process has open, and trust
// nothing in it.
//
// Guarantees, beyond those of kv:
//   - Directories are created with mode 0700 and files with 0600, under any umask. Broader permissions are
//     removed; directories and files of another user and symbolic links are refused.
//   - ledger.db appears complete or not at all. Structural damage is found before bbolt maps the file, by a
//     walk over its pages; a damaged value is found by its checksum when it is read. Both are errors and do
//     not end the process.
//   - Concurrent updates share one commit, without a fixed delay.
//   - When the disk reports a lost write (EIO), the store refuses further updates: the page cache may
//     differ from the disk.
//   - A vacuum replaces the file: at every instant, also after a crash, ledger.db is the old or the new
//     file, intact, and this process owns it. On Windows, which does not replace a mapped file, another
//     process could open the old file just before it is replaced; then this store stops writing. That path
//     has been tested on Linux only.
//
// One kind of damage can remain undetected, because bbolt's pages have no checksums: a page number that
// changed into that of a freed page with valid older records. Of page numbers that were changed on
// purpose, fewer than one in a hundred passed; of flipped bytes anywhere, none in 20,000
// (lab/crashtest/damage). The same holds for a meta page that is replaced by that of the previous
// transaction: the ledger is then as it was one commit earlier.
//
// Do not call Update inside a View, and do not call the store inside an Update: the only writer would
// deadlock.
//
// The package deliberately does no repair in place: Open refuses a damaged ledger, and Salvage writes
// another one. It rewrites and deletes nothing unless it is asked to.
package bolt

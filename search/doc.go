// Package search finds stored texts by their words: an inverted index in the store, and the one ranking of words that all
// searches of ctxledger share.
//
// Start at Index.Find for what is stored, and at Ranking for texts at hand. A Bag has the words of one text, made outside
// the transaction that adds it.
//
// An index consists of segments, which never change. Adding texts writes a segment; eight of about one size are merged
// into one, so that there are few. A segment has the documents that it covers, and for each stem the documents that
// have it, in pages by the stem's first bits: a query reads one page per word and segment.
//
// Guarantees: what a transaction adds is found once it is committed, and what one drops is not found any more. Purge
// removes the bytes of dropped documents. The index holds hashes of stems, numbers, and the names of documents.
//
// The package deliberately knows neither what a document is nor how to show it.
package search

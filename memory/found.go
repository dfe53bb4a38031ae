package memory

import (
	"cmp"
	"crypto/sha256"

	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
	"ctxledger.dev/search"
)

// bucketWords has the words of all memories that are not deleted.
const bucketWords = kv.Bucket("memory.words")

var index = search.Index{Bucket: bucketWords}

// digestSize is how many bytes of the hash of what a memory says the name of its document ends with: a name stands for one
// content.
const digestSize = 8

// words adds what a memory is found by to a bag.
func (e Entry) words(b search.Bag) search.Bag {
	b.Add(e.Name+"\n"+e.Description, inTitle)
	b.Add(e.Body, 1)
	return b
}

// doc returns the document of an entry.
func (e Entry) doc(name string) search.Doc {
	return search.Doc{Name: name, Bag: e.words(search.Bag{}), Boost: e.bonus()}
}

// docName returns the name of the document of the memory at a key, "" for one that is not to be found.
func docName(key []byte, e *Entry) string {
	if e == nil || e.Deleted != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(e.Name + "\x00" + e.Description + "\x00" + e.Body + "\x00" + e.Type))
	return string(key) + string(sum[:digestSize])
}

// keyOf returns the key of the memory whose document has a name.
func keyOf(doc string) []byte { return []byte(doc[:max(len(doc)-digestSize, 0)]) }

// reword has the memory at a key found by what it says now, nil for nothing, instead of what it said before.
func reword(tx kv.Tx, oldKey []byte, before *Entry, key []byte, now *Entry) error {
	was, is := docName(oldKey, before), docName(key, now)
	if was == is {
		return nil
	}
	var err error
	if was != "" {
		err = index.Drop(tx, was)
	}
	if is != "" {
		err = cmp.Or(err, index.Add(tx, []search.Doc{now.doc(is)}))
	}
	return err
}

// Index makes the index of all memories that can be read. Errors: corrupt.
func Index(tx kv.Tx) error {
	var docs []search.Doc
	err := eachFound(tx, func(name string, e *Entry) {
		docs = append(docs, e.doc(name))
	})
	return cmp.Or(err, index.Clear(tx), index.Add(tx, docs))
}

// eachFound calls fn for every memory that is to be found and can be read, with the name of its document.
func eachFound(tx kv.Tx, fn func(name string, e *Entry)) error {
	for rec, err := range tx.Scan(bucketEntries, kv.Range{}) {
		if err != nil {
			return err
		}
		if e, err := decode(rec.Value); err == nil && e.Deleted == nil {
			fn(docName(rec.Key, &e), &e)
		}
	}
	return nil
}

// Purge removes the bytes of words that no memory has any more. Errors: corrupt.
func Purge(tx kv.Tx) error { return index.Purge(tx) }

// checkIndex reports whether the index has each memory that is to be found, and nothing else.
func checkIndex(a *consistency.Check) error {
	var want []string
	if err := eachFound(a.Tx, func(name string, _ *Entry) { want = append(want, name) }); err != nil {
		return err
	}
	return index.Check(a, want, Index)
}

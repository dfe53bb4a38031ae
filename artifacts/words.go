package artifacts

import (
	"cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/search"
)

// bucketWords has the words of artifacts. A document has the handle of its artifact.
const bucketWords = kv.Bucket("artifacts.words")

var index = search.Index{Bucket: bucketWords, WholeFirst: true}

// later has the words of an artifact be indexed.
func later(tx kv.Tx, id string) error { return index.Later(tx, id, mark) }

// NextUnindexed returns an artifact whose words are not indexed yet; without a handle if there is none. Errors: corrupt.
func NextUnindexed(tx kv.Tx) (Artifact, error) {
	id, _, err := index.Next(tx)
	if err != nil || id == "" {
		return Artifact{}, err
	}
	a, err := Get(tx, id)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Corrupt) {
		return Artifact{ID: id}, nil // a check says so
	}
	return a, err
}

// Index adds the words of an artifact that waits. It does nothing if the artifact was forgotten since. Errors: corrupt.
func Index(tx kv.Tx, id string, bag search.Bag) error {
	waits, err := index.Waits(tx, id)
	if err != nil || waits == nil {
		return err
	}
	return cmp.Or(index.Add(tx, []search.Doc{{Name: id, Bag: bag}}), index.Waiting(tx, id, nil))
}

// unindex has an artifact not be found any more.
func unindex(tx kv.Tx, id string) error {
	waits, err := index.Waits(tx, id)
	if err != nil || waits != nil {
		return cmp.Or(err, index.Waiting(tx, id, nil)) // it was never added
	}
	return index.Drop(tx, id)
}

// IndexAgain rebuilds the index: it empties it and marks all artifacts as not indexed yet. Errors: corrupt.
func IndexAgain(tx kv.Tx) error {
	ids, err := living(tx)
	err = cmp.Or(err, index.Clear(tx))
	for _, id := range ids {
		err = cmp.Or(err, later(tx, id))
	}
	return err
}

// living returns the handles of the artifacts that are not forgotten.
func living(tx kv.Tx) (ids []string, err error) {
	for a, err := range All(tx) {
		if err != nil {
			return nil, err
		}
		if a.Forgotten == nil {
			ids = append(ids, a.ID)
		}
	}
	return ids, nil
}

// PurgeWords removes the bytes of words of artifacts that are forgotten. Errors: corrupt.
func PurgeWords(tx kv.Tx) error { return index.Purge(tx) }

// Find returns the handles of the artifacts that fit a query best, best first, at most limit, and how many have any of its
// words. Errors: corrupt.
func Find(tx kv.Tx, query string, limit int) (found []search.Hit, total int, err error) {
	return index.Find(tx, query, limit)
}

package search

import (
	"slices"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Later notes what its owner will add: a key, and a value that says from where on. What is noted already stays as it is.
func (x Index) Later(tx kv.Tx, key string, value []byte) error {
	if old, err := x.Waits(tx, key); err != nil || old != nil {
		return err
	}
	return x.Waiting(tx, key, value)
}

// Waiting notes what its owner will add, as Later, instead of what was noted; nil: nothing of it any more.
func (x Index) Waiting(tx kv.Tx, key string, value []byte) error {
	if value == nil {
		return tx.Delete(x.Bucket, laterKey(key))
	}
	return tx.Put(x.Bucket, laterKey(key), value)
}

// Waits returns what is noted under a key, nil for nothing.
func (x Index) Waits(tx kv.Tx, key string) ([]byte, error) { return tx.Get(x.Bucket, laterKey(key)) }

// Next returns a key under which something is noted, and that; "" if nothing waits.
func (x Index) Next(tx kv.Tx) (key string, value []byte, err error) {
	for r, err := range tx.Scan(x.Bucket, kv.Range{Prefix: []byte{keyLater}}) {
		if err != nil {
			return "", nil, err
		}
		return string(r.Key[1:]), slices.Clone(r.Value), nil
	}
	return "", nil, nil
}

func laterKey(key string) []byte { return append([]byte{keyLater}, key...) }

// Check reports whether an index has the documents that it should have, and nothing else; again makes it anew.
func (x Index) Check(a *consistency.Check, want []string, again func(kv.Tx) error) error {
	have, err := x.Names(a.Tx)
	slices.Sort(want)
	slices.Sort(have)
	switch {
	case err != nil && !fault.Is(err, fault.Corrupt):
		return err
	case err == nil && slices.Equal(want, have):
		return nil
	}
	a.Find("index "+string(x.Bucket), "does not have the words of what there is: %d texts, not %d", len(have),
		len(want))
	if !a.Fix {
		return nil
	}
	return again(a.Tx)
}

package artifacts

import (
	"bytes"
	"cmp"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Check reports whether that every artifact's record can be read, that the indexes say what the records say,
// and that the counts are true.
func Check(a *consistency.Check) error {
	err := a.Each(bucketRecords, "artifact", func(r kv.Record) error {
		x, err := kv.JSON[Artifact](r)
		if err == nil && x.ID != string(r.Key) {
			err = fault.New(fault.Corrupt, "artifacts.check", "key and stored id differ: the record has "+
				"%.1000q", x.ID)
		}
		return err
	})
	return cmp.Or(err,
		a.SweepNames(bucketHashes, func(r kv.Record) (bool, error) { return soundHash(a.Tx, r) },
			func(r kv.Record) string { return "artifact " + consistency.Name(r.Value) }),
		a.Sweep(bucketTimes, func(r kv.Record) (bool, error) { return soundTime(a.Tx, r) }),
		a.Sweep(bucketNames, func(r kv.Record) (bool, error) { return soundName(a.Tx, r) }),
		a.Sweep(bucketOwners, func(r kv.Record) (bool, error) { return soundOwner(a.Tx, r) }), wantAll(a))
}

func soundHash(tx kv.Tx, r kv.Record) (bool, error) {
	x, err := Get(tx, string(r.Value))
	return x.Hash == string(r.Key), err
}

func soundTime(tx kv.Tx, r kv.Record) (bool, error) {
	if len(r.Key) < stampSize {
		return false, nil
	}
	x, err := Get(tx, string(r.Key[stampSize:]))
	return bytes.Equal(timeKey("", x), r.Key), err
}

func soundOwner(tx kv.Tx, r kv.Record) (bool, error) {
	session, rest, ok := bytes.Cut(r.Key, []byte{0})
	if !ok || len(rest) < stampSize {
		return false, nil
	}
	x, err := Get(tx, string(rest[stampSize:]))
	return bytes.Equal(timeKey(string(session), x), r.Key), err
}

// wantAll checks that the indexes know every artifact, and counts them.
func wantAll(a *consistency.Check) error {
	var actual Counts
	for x, err := range All(a.Tx) {
		if err != nil {
			return err
		}
		if x.Forgotten == nil {
			actual.Live++
			actual.Bytes += x.Bytes
		} else {
			actual.Forgotten++
		}
		if err := want(a, x); err != nil {
			return err
		}
	}
	if err := checkIndex(a); err != nil {
		return err
	}
	counted, err := Count(a.Tx)
	if fault.Is(err, fault.Corrupt) {
		err = nil // whatever it says, it is wrong
	}
	if err != nil || counted == actual {
		return err
	}
	a.Find("artifacts", "the counts say %d live and %d forgotten, but there are %d and %d", counted.Live,
		counted.Forgotten, actual.Live, actual.Forgotten)
	if !a.Fix {
		return nil
	}
	return kv.PutJSON(a.Tx, bucketCounts, countsKey, actual)
}

func want(a *consistency.Check, x Artifact) error {
	where := "artifact " + x.ID
	err := cmp.Or(a.Want(bucketHashes, []byte(x.Hash), []byte(x.ID), where),
		a.Want(bucketTimes, timeKey("", x), mark, where))
	for _, r := range x.Refs {
		if r.Session != "" {
			err = cmp.Or(err, a.Want(bucketOwners, timeKey(r.Session, x), mark, where))
		}
	}
	return err
}

// checkIndex checks that the index of words has every artifact that does not wait for it.
func checkIndex(a *consistency.Check) error {
	ids, err := living(a.Tx)
	if err != nil {
		return err
	}
	var want []string
	for _, id := range ids {
		waits, err := index.Waits(a.Tx, id)
		if err != nil {
			return err
		}
		if waits == nil {
			want = append(want, id)
		}
	}
	return index.Check(a, want, IndexAgain)
}

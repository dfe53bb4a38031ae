package intents

import (
	"bytes"
	"fmt"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/audit"
)

// Audit checks that every intent can be read and that the indexes say what the intents say.
func Audit(a *audit.Audit) error {
	err := a.Each(bucketIntents, "intent", func(r kv.Record) error {
		in, err := decode(r.Value)
		if err == nil && !bytes.Equal(key(in), r.Key) {
			err = fault.New(fault.Corrupt, "intents.audit", "it is that of another call")
		}
		return err
	})
	for _, x := range []struct {
		bucket kv.Bucket
		sound  func(kv.Tx, kv.Record) (bool, error)
	}{
		{bucketCalls, soundCall}, {bucketPaths, soundPath}, {bucketPending, soundPending},
	} {
		if err != nil {
			return err
		}
		err = a.Sweep(x.bucket, func(r kv.Record) (bool, error) { return x.sound(a.Tx, r) })
	}
	if err != nil {
		return err
	}
	for in, err := range All(a.Tx) {
		if err != nil {
			return err
		}
		if err := want(a, in); err != nil {
			return err
		}
	}
	return nil
}

func soundCall(tx kv.Tx, r kv.Record) (bool, error) {
	in, err := load(tx, r.Value)
	return in != nil && bytes.Equal(callKey(in.Session, in.CallID), r.Key), err
}

func soundPath(tx kv.Tx, r kv.Record) (bool, error) {
	path, k, _ := strings.Cut(string(r.Key), "\x00")
	in, err := load(tx, []byte(k))
	return in != nil && (in.Target == path || in.From == path), err
}

func soundPending(tx kv.Tx, r kv.Record) (bool, error) {
	in, err := ofCallKey(tx, r.Key)
	return in != nil && in.Status == Pending, err
}

// want checks that the indexes know an intent.
func want(a *audit.Audit, in Intent) error {
	where := fmt.Sprintf("session %s, intent of entry %d", in.Session, in.Seq)
	if err := a.Want(bucketCalls, callKey(in.Session, in.CallID), key(in), where); err != nil {
		return err
	}
	for _, k := range pathKeys(in) {
		if err := a.Want(bucketPaths, k, nil, where); err != nil {
			return err
		}
	}
	if in.Status != Pending {
		return nil
	}
	return a.Want(bucketPending, callKey(in.Session, in.CallID), nil, where)
}

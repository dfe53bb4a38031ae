package intents

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Check reports whether that every intent can be read and that the indexes say what the intents say.
func Check(a *consistency.Check) error {
	err := a.Each(bucketIntents, "intent", func(r kv.Record) error {
		in, err := kv.JSON[Intent](r)
		if err == nil && !bytes.Equal(key(in), r.Key) {
			err = fault.New(fault.Corrupt, "intents.check", "key and stored id differ")
		}
		return err
	})
	err = cmp.Or(err,
		a.SweepNames(bucketCalls, func(r kv.Record) (bool, error) { return soundCall(a.Tx, r) }, nameCall),
		a.Sweep(bucketPaths, func(r kv.Record) (bool, error) { return soundPath(a.Tx, r) }),
		a.Sweep(bucketPending, func(r kv.Record) (bool, error) { return soundPending(a.Tx, r) }),
		a.Sweep(bucketTimes, func(r kv.Record) (bool, error) { return soundTime(a.Tx, r) }))
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
	return in != nil && bytes.Equal(callid.Key(in.Session, in.CallID), r.Key), err
}

// nameCall names the intent of a call.
func nameCall(r kv.Record) string {
	session, call, _ := strings.Cut(string(r.Key), "\x00")
	return fmt.Sprintf("session %s, intent of call %s", session, call)
}

func soundPath(tx kv.Tx, r kv.Record) (bool, error) {
	path, k, _ := strings.Cut(string(r.Key), "\x00")
	in, err := load(tx, []byte(k))
	return in != nil && !in.Copied && (in.Target == path || in.From == path), err
}

func soundPending(tx kv.Tx, r kv.Record) (bool, error) {
	in, err := ofCallKey(tx, r.Key)
	return in != nil && in.waits(), err
}

func soundTime(tx kv.Tx, r kv.Record) (bool, error) {
	const stamp = 8 // bytes of the time before the intent's key
	if len(r.Key) < stamp {
		return false, nil
	}
	in, err := load(tx, r.Key[stamp:])
	return in != nil && in.Open() && bytes.Equal(timeKey(in.Begun), r.Key[:stamp]), err
}

// want checks that the indexes contain an intent.
func want(a *consistency.Check, in Intent) error {
	where := fmt.Sprintf("session %s, intent of entry %d", in.Session, in.Seq)
	err := a.Want(bucketCalls, callid.Key(in.Session, in.CallID), key(in), where)
	for _, k := range pathKeys(in) {
		err = cmp.Or(err, a.Want(bucketPaths, k, nil, where))
	}
	if in.waits() {
		err = cmp.Or(err, a.Want(bucketPending, callid.Key(in.Session, in.CallID), nil, where))
	}
	return err
}

package sessions

import (
	"bytes"
	"encoding/binary"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// CallOf returns the call with the given id and the entry that makes it, or nil when the session
// has none.
func CallOf(tx kv.Tx, session, callID string) (*Call, Entry, error) {
	v, err := tx.Get(bucketCalls, callid.Key(session, callID))
	if err != nil || len(v) != 8 {
		return nil, Entry{}, err
	}
	e, err := GetEntry(tx, session, int64(binary.BigEndian.Uint64(v)))
	if err != nil {
		return nil, Entry{}, err
	}
	for _, c := range e.Calls {
		if c.ID == callID {
			return &c, e.Entry, nil
		}
	}
	return nil, Entry{}, fault.New(fault.Corrupt, "sessions.call",
		"call %q is indexed but entry %d of session %s does not make it", callID, e.Seq, session)
}

// Makes reports whether a session makes the call with the given id.
func Makes(tx kv.Tx, session, callID string) (bool, error) {
	v, err := tx.Get(bucketCalls, callid.Key(session, callID))
	return v != nil, err
}

// Read is one call that read a file.
type Read struct {
	Session string
	Seq     int64
	CallID  string
}

// ReadsOf returns the calls that read a file, in the order of session and log.
func ReadsOf(tx kv.Tx, path string) ([]Read, error) {
	prefix := []byte(path + "\x00")
	return kv.Collect(kv.Values(tx, bucketReads, kv.Range{Prefix: prefix}, func(r kv.Record) (Read, error) {
		session, seq, ok := bytes.Cut(r.Key[len(prefix):], []byte{0})
		if !ok || len(seq) < 8 {
			return Read{}, fault.New(fault.Corrupt, "sessions.reads", "the index of reads of %q is damaged", path)
		}
		return Read{string(session), int64(binary.BigEndian.Uint64(seq)), string(r.Value)}, nil
	}), kv.All)
}

// ResultOf returns the result of a read, which is in one of the entries after its call; zero without one.
func ResultOf(tx kv.Tx, r Read) (Result, error) {
	const near = 64 // parallel calls put other entries between
	for e, err := range Scan(tx, r.Session, r.Seq+1, r.Seq+near) {
		if err != nil {
			return Result{}, err
		}
		for _, res := range e.Results {
			if res.CallID == r.CallID {
				return res, nil
			}
		}
	}
	return Result{}, nil
}

// IndexRead makes a call findable by the path of the file that it reads.
func IndexRead(tx kv.Tx, path, session string, seq int64, callID string) error {
	k := readKey(path, session, seq, callID)
	if len(k) > kv.MaxKey {
		return nil // a path too long for an index is still in the log
	}
	return tx.Put(bucketReads, k, []byte(callID))
}

func readKey(path, session string, seq int64, callID string) []byte {
	k := binary.BigEndian.AppendUint64([]byte(path+"\x00"+session+"\x00"), uint64(seq))
	return append(k, callid.Clip(callID)...)
}

func indexCall(tx kv.Tx, session string, seq int64, c Call) error {
	return tx.Put(bucketCalls, callid.Key(session, c.ID), binary.BigEndian.AppendUint64(nil, uint64(seq)))
}

package sessions

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Append adds e to the log of s: it sets e.Seq and brings s up to date, which the caller saves
// once per batch. original is stored behind the entry, unless e.Blob names where it is.
func Append(tx kv.Tx, s *Session, e Entry, original []byte) (Entry, error) {
	s.Seq++
	e.Seq = s.Seq
	if e.Time.After(s.Updated) {
		s.Updated = e.Time
	}
	if s.Created.IsZero() || e.Time.Before(s.Created) {
		s.Created = e.Time
	}
	if e.ID != "" {
		s.Chain = e.ID
		if err := index(tx, e.ID, s.ID, e.Seq); err != nil {
			return Entry{}, err
		}
	}
	for _, c := range e.Calls {
		if err := indexCall(tx, s.ID, e.Seq, c); err != nil {
			return Entry{}, err
		}
	}
	if e.Blob != "" {
		original = nil
	}
	return e, put(tx, s.ID, e, original)
}

// Stored is an entry with its inline original.
type Stored struct {
	Entry
	Original []byte
}

// Scan yields the entries of a session from sequence number from to to (0: the newest), each with
// its inline original; one that lies in a blob or was forgotten is nil. A damaged entry ends the sequence with an error of code corrupt.
func Scan(tx kv.Tx, session string, from, to int64) iter.Seq2[Stored, error] {
	r := kv.Range{Prefix: logPrefix(session), From: logKey(session, max(from, 1))}
	if to > 0 {
		r.To = logKey(session, to+1)
	}
	return func(yield func(Stored, error) bool) {
		for rec, err := range tx.Scan(bucketLog, r) {
			if err != nil {
				yield(Stored{}, err)
				return
			}
			s, err := decodeEntry(rec.Value)
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// GetEntry returns one entry with its inline original. Errors: not_found.
func GetEntry(tx kv.Tx, session string, seq int64) (Stored, error) {
	raw, err := tx.Get(bucketLog, logKey(session, seq))
	if err != nil {
		return Stored{}, err
	}
	if raw == nil {
		return Stored{}, fault.New(fault.NotFound, "sessions.entry", "session %s has no entry %d", session, seq)
	}
	return decodeEntry(raw)
}

// Place is where a message stands.
type Place struct {
	Session string
	Seq     int64
}

// Places returns where the messages stand whose id starts with prefix, at most limit of them.
// The prefix has at least HandleDigits digits.
func Places(tx kv.Tx, prefix string, limit int) ([]Place, error) {
	if !isHex(prefix) || len(prefix) < HandleDigits || len(prefix) > chainDigits {
		return nil, nil
	}
	var places []Place
	for r, err := range tx.Scan(bucketMessages, kv.Range{Prefix: []byte(prefix)}) {
		if err != nil {
			return nil, err
		}
		if len(places) == limit || len(r.Key) < chainDigits || len(r.Value) != 8 {
			break
		}
		seq := int64(binary.BigEndian.Uint64(r.Value))
		places = append(places, Place{string(r.Key[chainDigits:]), seq})
	}
	return places, nil
}

// Forget removes an entry's original and says when. The entry itself stays.
func Forget(tx kv.Tx, session string, seq int64, at time.Time) (Entry, error) {
	s, err := GetEntry(tx, session, seq)
	if err != nil {
		return Entry{}, err
	}
	s.Entry.Forgotten, s.Entry.Blob = &at, ""
	return s.Entry, put(tx, session, s.Entry, nil)
}

// put writes one record: the length of the header, the header, the original.
func put(tx kv.Tx, session string, e Entry, original []byte) error {
	head, err := json.Marshal(e)
	if err != nil {
		return fault.Wrap(fault.Internal, "sessions.put", err)
	}
	raw := make([]byte, 4, 4+len(head)+len(original))
	binary.BigEndian.PutUint32(raw, uint32(len(head)))
	raw = append(append(raw, head...), original...)
	return tx.Put(bucketLog, logKey(session, e.Seq), raw)
}

func decodeEntry(raw []byte) (Stored, error) {
	if len(raw) < 4 {
		return Stored{}, fault.New(fault.Corrupt, "sessions.decode", "a log entry is too short")
	}
	n := int64(binary.BigEndian.Uint32(raw))
	if n > int64(len(raw)-4) {
		return Stored{}, fault.New(fault.Corrupt, "sessions.decode", "a log entry's header is cut off")
	}
	var s Stored
	if err := json.Unmarshal(raw[4:4+n], &s.Entry); err != nil {
		return Stored{}, fault.Wrap(fault.Corrupt, "sessions.decode", err)
	}
	if rest := raw[4+n:]; len(rest) > 0 {
		s.Original = rest
	}
	return s, nil
}

func index(tx kv.Tx, id, session string, seq int64) error {
	if _, err := hex.DecodeString(id); err != nil || len(id) != chainDigits {
		return fault.New(fault.Internal, "sessions.index", "message id %q is not %d hex digits", id, chainDigits)
	}
	var v [8]byte
	binary.BigEndian.PutUint64(v[:], uint64(seq))
	return tx.Put(bucketMessages, []byte(id+session), v[:])
}

func logPrefix(session string) []byte { return []byte(session + "\x00") }

func logKey(session string, seq int64) []byte {
	return binary.BigEndian.AppendUint64(logPrefix(session), uint64(seq))
}

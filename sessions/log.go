package sessions

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"iter"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// Append adds e to the log of s: it sets e.Seq and updates s, which the caller saves once per batch. original is
// stored after the entry, unless e.Blob names where it is.
func Append(tx kv.Tx, s *Session, e Entry, original []byte) (Entry, error) {
	s.Seq++
	e.Seq = s.Seq
	if !e.Kind.own() && e.Time.After(s.Updated) {
		s.Updated = e.Time // entries of the ledger itself are no activity of the conversation
	}
	if s.Created.IsZero() || e.Time.Before(s.Created) {
		s.Created = e.Time
	}
	if e.ID != "" {
		s.Chain = e.ID
		if err := indexMessage(tx, Place{s.ID, e.Seq, e.ID}); err != nil {
			return Entry{}, err
		}
	}
	var err error
	for _, c := range e.Calls {
		err = cmp.Or(err, indexCall(tx, s.ID, e.Seq, c))
	}
	if e.Blob != "" {
		original = nil
	}
	if e.Said() {
		err = cmp.Or(err, later(tx, s.ID, e.Seq))
	}
	return e, cmp.Or(err, put(tx, s.ID, e, original))
}

// AppendOwn adds an entry that the ledger itself makes in the present turn: what it records is data, as JSON.
func AppendOwn(tx kv.Tx, s *Session, e Entry, data any) (Entry, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return e, fault.Wrap(fault.Internal, "sessions.append", err)
	}
	e.Turn, e.Data = s.Turns, raw
	return Append(tx, s, e, nil)
}

// Stored is an entry with its inline original, which is nil when it lies in a blob or was forgotten.
type Stored struct {
	Entry
	Original   []byte
	HeaderSize int // bytes of the entry itself in the store, as JSON
}

// Scan yields the entries of a session from sequence number from to to (0: the newest), each with
// its inline original. A damaged entry ends the sequence with an error of code corrupt.
func Scan(tx kv.Tx, session string, from, to int64) iter.Seq2[Stored, error] {
	r := kv.Range{Prefix: logPrefix(session), From: logKey(session, max(from, 1))}
	if to > 0 {
		r.To = logKey(session, to+1)
	}
	return kv.Values(tx, bucketLog, r, func(r kv.Record) (Stored, error) { return decodeEntry(r.Value) })
}

// Back yields the entries of a session from the newest back to the one with sequence number from.
func Back(tx kv.Tx, session string, from int64) iter.Seq2[Stored, error] {
	r := kv.Range{Prefix: logPrefix(session), From: logKey(session, max(from, 1)), Reverse: true}
	return kv.Values(tx, bucketLog, r, func(r kv.Record) (Stored, error) { return decodeEntry(r.Value) })
}

// Calling yields the entries of a session from a sequence number on that make calls, each with its inline original. It
// decodes no others.
func Calling(tx kv.Tx, session string, from int64) iter.Seq2[Stored, error] {
	r := kv.Range{Prefix: logPrefix(session), From: logKey(session, max(from, 1))}
	all := kv.Values(tx, bucketLog, r, func(r kv.Record) (Stored, error) {
		if header, _, err := splitEntry(r.Value); err == nil && !bytes.Contains(header, callsMember) {
			return Stored{}, nil
		}
		return decodeEntry(r.Value)
	})
	return func(yield func(Stored, error) bool) {
		for e, err := range all {
			if (err != nil || len(e.Calls) > 0) && !yield(e, err) {
				return
			}
		}
	}
}

// callsMember is in the header of every entry with calls: see Entry.
var callsMember = []byte(`"calls":[`)

// GetEntry returns one entry. Errors: not_found, corrupt.
func GetEntry(tx kv.Tx, session string, seq int64) (Stored, error) {
	raw, err := entryRecord(tx, session, seq)
	if err != nil {
		return Stored{}, err
	}
	return decodeEntry(raw)
}

// Inline returns the inline original of an entry without decoding its header, nil if it has none. Errors: as GetEntry.
func Inline(tx kv.Tx, session string, seq int64) ([]byte, error) {
	raw, err := entryRecord(tx, session, seq)
	if err != nil {
		return nil, err
	}
	_, original, err := splitEntry(raw)
	return original, err
}

// entryRecord reads an entry as it is stored.
func entryRecord(tx kv.Tx, session string, seq int64) ([]byte, error) {
	raw, err := tx.Get(bucketLog, logKey(session, seq))
	if err == nil && raw == nil {
		err = fault.New(fault.NotFound, "sessions.entry", "session %s has no entry %d", session, seq)
	}
	return raw, err
}

// Place is the position of a message.
type Place struct {
	Session string
	Seq     int64
	ID      string // of the message
}

// Places returns the positions of the messages whose id starts with prefix, at most limit of them. The prefix has
// at least HandleDigits digits.
func Places(tx kv.Tx, prefix string, limit int) ([]Place, error) {
	if !isHex(prefix) || len(prefix) < HandleDigits || len(prefix) > chainDigits {
		return nil, nil
	}
	return kv.Collect(kv.Values(tx, bucketMessages, kv.Range{Prefix: []byte(prefix)}, decodePlace), limit)
}

// PlaceIn returns the position of the message with this id in a session, and whether it has one.
func PlaceIn(tx kv.Tx, session, id string) (Place, bool, error) {
	key := []byte(id + session)
	v, err := tx.Get(bucketMessages, key)
	if err != nil || v == nil || len(id) != chainDigits {
		return Place{}, false, err
	}
	p, err := decodePlace(kv.Record{Key: key, Value: v})
	return p, err == nil, err
}

// Alias makes a message known by the id that it would have with another wording: that of a view with stubs for results,
// as a host hands it back.
func Alias(tx kv.Tx, id, message string) error {
	if id == message {
		return nil
	}
	return tx.Put(bucketAliases, []byte(id+message), nil)
}

// maxNamesakes bounds the messages with one alias: wordings and, in ledgers of earlier versions, spellings of one
// message.
const maxNamesakes = 64

// Known returns the ids of the messages that an id leads to, itself or as their alias: those of one session, or with
// "" of any.
func Known(tx kv.Tx, session, id string) ([]string, error) {
	ids, err := kv.Collect(kv.Values(tx, bucketAliases, kv.Range{Prefix: []byte(id)},
		func(r kv.Record) (string, error) { return string(r.Key[len(id):]), nil }), maxNamesakes)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, id := range append([]string{id}, ids...) {
		found := false
		if session != "" {
			_, found, err = PlaceIn(tx, session, id)
		} else {
			var places []Place
			places, err = Places(tx, id, 1)
			found = len(places) > 0
		}
		if err != nil {
			return nil, err
		}
		if found {
			known = append(known, id)
		}
	}
	return known, nil
}

// MoveAliases moves the aliases that programs of schema 3 had among the ids of messages.
func MoveAliases(tx kv.Tx) error {
	var old []kv.Record
	for r, err := range tx.Scan(bucketMessages, kv.Range{}) {
		if err != nil {
			return err
		}
		if len(r.Key) > chainDigits && len(r.Value) == 8+chainDigits {
			old = append(old, kv.Record{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
		}
	}
	for _, r := range old {
		err := cmp.Or(Alias(tx, string(r.Key[:chainDigits]), string(r.Value[8:])), tx.Delete(bucketMessages, r.Key))
		if err != nil {
			return err
		}
	}
	return nil
}

// rewriteEntry replaces an existing entry, and counts that.
func rewriteEntry(tx kv.Tx, session string, e Entry, original []byte) error {
	n, err := Rewritten(tx, session)
	if err != nil {
		return err
	}
	return cmp.Or(tx.Put(bucketRewritten, []byte(session), binary.BigEndian.AppendUint64(nil, n+1)),
		put(tx, session, e, original))
}

// Rewritten returns how often entries of a session's log were rewritten: while it is unchanged, entries read
// before are still valid.
func Rewritten(tx kv.Tx, session string) (uint64, error) {
	raw, err := tx.Get(bucketRewritten, []byte(session))
	if err != nil || raw == nil {
		return 0, err
	}
	if len(raw) != 8 {
		return 0, fault.New(fault.Corrupt, "sessions.rewritten", "session %s: %d bytes instead of 8", session, len(raw))
	}
	return binary.BigEndian.Uint64(raw), nil
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
	header, original, err := splitEntry(raw)
	if err != nil {
		return Stored{}, err
	}
	s := Stored{HeaderSize: len(header), Original: original}
	if err := json.Unmarshal(header, &s.Entry); err != nil {
		return Stored{}, fault.Wrap(fault.Corrupt, "sessions.decode", err)
	}
	return s, nil
}

// splitEntry splits a stored entry into its header, as JSON, and its inline original, nil if it has none.
func splitEntry(raw []byte) (header, original []byte, err error) {
	if len(raw) < 4 {
		return nil, nil, fault.New(fault.Corrupt, "sessions.decode", "a log entry is too short")
	}
	n := int64(binary.BigEndian.Uint32(raw))
	if n > int64(len(raw)-4) {
		return nil, nil, fault.New(fault.Corrupt, "sessions.decode", "a log entry's header is cut off")
	}
	if header, original = raw[4:4+n], raw[4+n:]; len(original) == 0 {
		original = nil
	}
	return header, original, nil
}

// indexMessage indexes an entry by its id.
func indexMessage(tx kv.Tx, at Place) error {
	if !isHex(at.ID) || len(at.ID) != chainDigits {
		return fault.New(fault.Internal, "sessions.index", "message id %.1000q is not %d hex digits", at.ID,
			chainDigits)
	}
	return tx.Put(bucketMessages, []byte(at.ID+at.Session), binary.BigEndian.AppendUint64(nil, uint64(at.Seq)))
}

// decodePlace reads a record of the index of messages.
func decodePlace(r kv.Record) (Place, error) {
	if len(r.Key) <= chainDigits || len(r.Value) != 8 {
		return Place{}, fault.New(fault.Corrupt, "sessions.place", "the index of messages is damaged at %.1000q", r.Key)
	}
	return Place{Session: string(r.Key[chainDigits:]), Seq: int64(binary.BigEndian.Uint64(r.Value)),
		ID: string(r.Key[:chainDigits])}, nil
}

func logPrefix(session string) []byte { return []byte(session + "\x00") }

func logKey(session string, seq int64) []byte {
	return binary.BigEndian.AppendUint64(logPrefix(session), uint64(seq))
}

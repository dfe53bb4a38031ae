package sessions

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ctxledger.dev/internal/callid"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/consistency"
)

// Check reports whether that every session and entry can be read, that logs have no gaps, that the chains of messages are
// intact, and that the indexes agree with the logs. It fills a gap with an entry that records it, dated at.
func Check(at time.Time) func(*consistency.Check) error {
	return func(a *consistency.Check) error {
		err := a.Each(bucketSessions, "session", func(r kv.Record) error {
			s, err := kv.JSON[Session](r)
			if err == nil && s.ID != string(r.Key) {
				err = fault.New(fault.Corrupt, "sessions.check", "key and stored id differ: the record has %.1000q",
					s.ID)
			}
			return err
		})
		return cmp.Or(err, checkLogs(a, at), sweepIndexes(a), wantIndexes(a))
	}
}

// logCheck walks over one log.
type logCheck struct {
	*consistency.Check
	at      time.Time
	session string
	next    Session // the session's record as derived from the log
	unknown bool    // whether the chain was lost
}

// checkLogs checks all logs, then the sessions that have none.
func checkLogs(a *consistency.Check, at time.Time) error {
	ids, err := logged(a.Tx)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, id := range ids {
		known[id] = true
	}
	for r, err := range a.Tx.Scan(bucketSessions, kv.Range{}) {
		if err != nil {
			return err
		}
		if id := string(r.Key); !known[id] {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		l := logCheck{Check: a, at: at, session: id}
		if err := l.run(); err != nil {
			return err
		}
	}
	return nil
}

// logged returns the ids of the sessions that have a log.
func logged(tx kv.Tx) ([]string, error) {
	var ids []string
	for from := []byte(nil); ; {
		id, found := "", false
		for r, err := range tx.Scan(bucketLog, kv.Range{From: from}) {
			if err != nil {
				return nil, err
			}
			name, _, _ := bytes.Cut(r.Key, []byte{0})
			id, found = string(name), true
			break
		}
		if !found {
			return ids, nil
		}
		ids = append(ids, id)
		from = []byte(id + "\x01") // after every key that starts with the id and a zero byte
	}
}

// run checks one log.
func (l *logCheck) run() error {
	var wrong []Entry // entries that replace missing ones
	for r, err := range l.Tx.Scan(bucketLog, kv.Range{Prefix: logPrefix(l.session)}) {
		if err != nil {
			return err
		}
		seq := int64(0)
		if rest := r.Key[len(l.session)+1:]; len(rest) == 8 {
			seq = int64(binary.BigEndian.Uint64(rest))
		}
		if seq <= l.next.Seq {
			return fault.New(fault.Corrupt, "sessions.check", "the log of session %s has the key %x", l.session, r.Key)
		}
		wrong = append(wrong, l.gap(seq-1)...)
		e, err := decodeEntry(r.Value)
		if err == nil && e.Seq != seq {
			err = fault.New(fault.Corrupt, "sessions.check", "key and stored number differ: the record has %d", e.Seq)
		}
		if err != nil {
			wrong = append(wrong, l.lose(seq, fmt.Sprintf("cannot be read: %s", err)))
			continue
		}
		l.take(e)
	}
	more, err := l.record()
	if err != nil || !l.Fix {
		return err
	}
	for _, e := range append(wrong, more...) {
		err = cmp.Or(err, put(l.Tx, l.session, e, nil))
	}
	return err
}

// gap returns entries for those that are missing up to a number.
func (l *logCheck) gap(to int64) []Entry {
	const most = 1 << 20 // a number beyond is no gap but nonsense
	var missing []Entry
	for len(missing) < most && l.next.Seq < to {
		missing = append(missing, l.lose(l.next.Seq+1, "is missing"))
	}
	return missing
}

// lose reports an entry as lost and returns what takes its place.
func (l *logCheck) lose(seq int64, what string) Entry {
	l.FindLost(Where(l.session, seq), "%s", what)
	l.next.Seq, l.unknown = seq, true
	return lostEntry(seq, l.next.Turns, l.next.Updated, l.at)
}

// take brings what is known of the session up to date with an entry.
func (l *logCheck) take(e Stored) {
	s := &l.next
	s.Seq, s.Turns = e.Seq, max(s.Turns, e.Turn)
	if s.Created.IsZero() || e.Time.Before(s.Created) {
		s.Created = e.Time
	}
	if e.Time.After(s.Updated) {
		s.Updated = e.Time
	}
	if e.Model != "" && !e.Hidden {
		s.Model = e.Model
	}
	s.Charge(e.Billed())
	if e.Kind == KindRewind {
		s.Chain, l.unknown = l.rewound(e.Entry)
	}
	if e.ID == "" {
		l.unknown = l.unknown || e.Lost // the lost entry had an id
		return
	}
	if e.Forgotten == nil && !l.unknown {
		digest := e.digest()
		if MessageID(s.Chain, digest) != e.ID || e.Value != "" && digest != e.Value {
			l.Find(Where(l.session, e.Seq), "content does not match its id: the chain of the log is broken")
		}
	}
	s.Chain, l.unknown = e.ID, false
}

// digest returns what the id of an entry is made of. The value of an original in a blob is taken from the entry, since the
// blob has a digest of its own.
func (e Stored) digest() string {
	switch {
	case e.Value == "" && e.Blob == "":
		return Digest(e.Original)
	case e.Value == "":
		return e.Blob
	case e.Blob != "":
		return e.Value
	}
	digest, _ := ValueDigest(e.Format, e.Original) // of no value: another one
	return digest
}

// rewound returns the id from which the chain continues after an entry that rewound the log.
func (l *logCheck) rewound(e Entry) (chain string, unknown bool) {
	var data struct {
		To int64 `json:"to"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil || data.To == 0 {
		return "", err != nil
	}
	target, err := GetEntry(l.Tx, l.session, data.To)
	return target.ID, err != nil || target.ID == ""
}

// record compares the session's record with its log, and returns entries for those that the record counts after
// the end of the log.
func (l *logCheck) record() ([]Entry, error) {
	where := "session " + l.session
	s, err := Get(l.Tx, l.session)
	if fault.Is(err, fault.NotFound) {
		l.FindLost(where, "has a log but no record")
		return nil, l.recreate()
	}
	if err != nil {
		return nil, err
	}
	missing := l.gap(s.Seq)
	if s.Seq >= l.next.Seq && (s.Chain == l.next.Chain || l.unknown) {
		return missing, nil
	}
	l.Find(where, "record ends at entry %d, log at %d", s.Seq, l.next.Seq)
	if !l.Fix {
		return nil, nil
	}
	s.Seq, s.Chain, s.Turns = l.next.Seq, l.next.Chain, max(s.Turns, l.next.Turns)
	return missing, Save(l.Tx, s)
}

// recreate makes a session's record from its log and from the index of hosts.
func (l *logCheck) recreate() error {
	s := l.next
	s.ID, s.Host, s.Title = l.session, "unknown", "(found by repair)"
	for r, err := range l.Tx.Scan(bucketHosts, kv.Range{}) {
		if err != nil {
			return err
		}
		if string(r.Value) == l.session {
			s.Host, s.HostID, _ = strings.Cut(string(r.Key), "\x00")
		}
	}
	if !l.Fix {
		return nil
	}
	return Save(l.Tx, s)
}

// Where names an entry in a finding.
func Where(session string, seq int64) string {
	return fmt.Sprintf("session %s, entry %d", session, seq)
}

// sweepIndexes looks for records of indexes that point to nothing.
func sweepIndexes(a *consistency.Check) error {
	sweep := func(b kv.Bucket, sound func(kv.Tx, kv.Record) (bool, error)) error {
		return a.Sweep(b, func(r kv.Record) (bool, error) { return sound(a.Tx, r) })
	}
	return cmp.Or(sweep(bucketHosts, soundHost), sweep(bucketMessages, soundMessage), sweep(bucketAliases, soundAlias),
		sweep(bucketCalls, soundCall), sweep(bucketReads, soundRead))
}

func soundHost(tx kv.Tx, r kv.Record) (bool, error) {
	s, err := Get(tx, string(r.Value))
	return string(hostKey(s.Host, s.HostID)) == string(r.Key), err
}

func soundMessage(tx kv.Tx, r kv.Record) (bool, error) {
	p, err := decodePlace(r)
	if err != nil {
		return false, err
	}
	e, err := GetEntry(tx, p.Session, p.Seq)
	return e.ID == p.ID, err
}

func soundAlias(tx kv.Tx, r kv.Record) (bool, error) {
	if len(r.Key) != 2*chainDigits {
		return false, nil
	}
	places, err := Places(tx, string(r.Key[chainDigits:]), 1)
	return len(places) > 0, err
}

func soundCall(tx kv.Tx, r kv.Record) (bool, error) {
	session, call, ok := strings.Cut(string(r.Key), "\x00")
	if !ok || len(r.Value) != 8 {
		return false, nil
	}
	e, err := GetEntry(tx, session, int64(binary.BigEndian.Uint64(r.Value)))
	for _, c := range e.Calls {
		if callid.Clip(c.ID) == call {
			return true, err
		}
	}
	return false, err
}

func soundRead(tx kv.Tx, r kv.Record) (bool, error) {
	path, rest, _ := strings.Cut(string(r.Key), "\x00")
	session, rest, ok := strings.Cut(rest, "\x00")
	if !ok || len(rest) < 8 {
		return false, nil
	}
	e, err := GetEntry(tx, session, int64(binary.BigEndian.Uint64([]byte(rest))))
	for _, c := range e.Calls {
		if c.ID == string(r.Value) && (c.Target == path || c.Prints == path) {
			return true, err
		}
	}
	return e.Attached != nil && e.Attached.Path == path && len(r.Value) == 0, err
}

// wantIndexes finds sessions and entries that are missing from the indexes.
func wantIndexes(a *consistency.Check) error {
	all, err := List(a.Tx)
	if err != nil {
		return err
	}
	var said []string
	for _, s := range all {
		if s.HostID != "" {
			if err := a.Want(bucketHosts, hostKey(s.Host, s.HostID), []byte(s.ID), "session "+s.ID); err != nil {
				return err
			}
		}
		raw, err := index.Waits(a.Tx, s.ID)
		if err != nil {
			return err
		}
		from, _ := unindexed(raw)
		for e, err := range Scan(a.Tx, s.ID, 0, 0) {
			if err != nil {
				return err
			}
			if err := wantEntry(a, s.ID, e.Entry); err != nil {
				return err
			}
			if e.Said() && (from == 0 || e.Seq < from) {
				said = append(said, string(logKey(s.ID, e.Seq)))
			}
		}
	}
	return index.Check(a, said, IndexAgain)
}

func wantEntry(a *consistency.Check, session string, e Entry) error {
	where := Where(session, e.Seq)
	seq := binary.BigEndian.AppendUint64(nil, uint64(e.Seq))
	var err error
	if e.ID != "" {
		err = a.Want(bucketMessages, []byte(e.ID+session), seq, where)
	}
	for _, c := range e.Calls {
		err = cmp.Or(err, a.Want(bucketCalls, callid.Key(session, c.ID), seq, where))
	}
	return err
}

// WantRead checks that a call is indexed by the path of the file that it reads.
func WantRead(a *consistency.Check, path, session string, seq int64, callID string) error {
	k := readKey(path, session, seq, callID)
	if len(k) > kv.MaxKey {
		return nil
	}
	return a.Want(bucketReads, k, []byte(callID), Where(session, seq))
}

package sessions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
	"ctxledger.dev/transcript"
)

// Forget removes an entry's original with what was extracted from its words, and records the date, and whether a
// policy asked for it (expired). The entry itself stays, with what its calls are about. Forgetting again keeps the
// first date.
func Forget(tx kv.Tx, session string, seq int64, at time.Time, expired bool) error {
	s, err := GetEntry(tx, session, seq)
	if err != nil {
		return err
	}
	e := s.Entry
	if e.Forgotten == nil {
		e.Forgotten, e.Expired = &at, expired
	}
	e.Blob, e.Value, e.Names, e.Paths = "", "", nil, nil
	return cmp.Or(rewriteEntry(tx, session, e, nil), unindex(tx, session, seq))
}

// ForgetCalls removes the details of an entry's calls: their tools, what they are about, and their place in the index of
// the files that were read.
func ForgetCalls(tx kv.Tx, session string, seq int64) error {
	s, err := GetEntry(tx, session, seq)
	if err != nil {
		return err
	}
	for i := range s.Calls {
		c := &s.Calls[i]
		for _, path := range []string{c.Target, c.Prints} {
			if k := readKey(path, session, seq, c.ID); len(k) <= kv.MaxKey {
				err = cmp.Or(err, tx.Delete(bucketReads, k))
			}
		}
		c.Name, c.Target, c.From, c.Prints, c.Same = "", "", "", "", ""
	}
	if a := s.Attached; a != nil {
		if k := readKey(a.Path, session, seq, ""); len(k) <= kv.MaxKey {
			err = cmp.Or(err, tx.Delete(bucketReads, k))
		}
		s.Attached = nil
	}
	s.Note, s.Told = "", ""
	return cmp.Or(err, Amend(tx, session, s))
}

// ForgetAuthor removes from an entry who says it: agents are named by the words of a task.
func ForgetAuthor(tx kv.Tx, session string, seq int64) error {
	s, err := GetEntry(tx, session, seq)
	if err != nil || s.Author == "" {
		return err
	}
	s.Author = ""
	return Amend(tx, session, s)
}

// ReadElsewhere reports whether a session other than the given one has read a file.
func ReadElsewhere(tx kv.Tx, path, session string) (bool, error) {
	for r, err := range tx.Scan(bucketReads, kv.Range{Prefix: []byte(path + "\x00")}) {
		if err != nil {
			return false, err
		}
		of, _, _ := bytes.Cut(r.Key[len(path)+1:], []byte{0})
		if string(of) != session {
			return true, nil
		}
	}
	return false, nil
}

// Amend stores an entry again whose derived words or data have changed, with the original that it had.
func Amend(tx kv.Tx, session string, s Stored) error {
	return rewriteEntry(tx, session, s.Entry, s.Original)
}

// Rules returns how the records of this package lose a text, but for the originals: Holders finds
// the entries whose original has to go.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{
		rewrite.Of("session label", bucketSessions, scrubSession),
		{Kind: "entry", Bucket: bucketLog, Holds: holdsInHeader, Out: scrubHeader},
		{Kind: "read", Bucket: bucketReads, Out: scrubRead},
	}
}

// Holders yields the places of the entries of a session whose original holds the text or lies in one
// of the blobs.
func Holders(tx kv.Tx, session string, t scrub.Text, blobs map[string]bool) (found []int64, err error) {
	for s, err := range Scan(tx, session, 0, 0) {
		if err != nil {
			return nil, err
		}
		if s.Forgotten == nil && (blobs[s.Blob] || t.In(s.Original)) {
			found = append(found, s.Seq)
		}
	}
	return found, nil
}

func scrubSession(s *Session, t scrub.Text) {
	rewrite.Words(t, &s.Title, &s.Dir, &s.Tree, &s.Model)
	if s.Hooked != nil {
		rewrite.Words(t, &s.Hooked.Owed)
	}
}

func holdsInHeader(r kv.Record, t scrub.Text) bool {
	s, err := decodeEntry(r.Value)
	return err != nil || t.Near(r.Value[4:4+s.HeaderSize])
}

func scrubHeader(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	s, err := decodeEntry(r.Value)
	if err != nil {
		return false, err
	}
	before, err := json.Marshal(s.Entry)
	if err != nil {
		return false, fault.Wrap(fault.Internal, "sessions.scrub", err)
	}
	e := &s.Entry
	rewrite.Words(t, &e.Author, &e.Model, &e.Note)
	for i := range e.Calls {
		rewrite.Words(t, &e.Calls[i].Name, &e.Calls[i].Target, &e.Calls[i].From, &e.Calls[i].Prints)
	}
	rewrite.Words(t, &e.Told)
	if e.Attached != nil {
		rewrite.Words(t, &e.Attached.Path)
	}
	for i := range e.Paths {
		rewrite.Words(t, &e.Paths[i])
	}
	for i := range e.Names {
		rewrite.Words(t, &e.Names[i])
	}
	if e.Kind == KindEdits || e.Kind == KindDecision { // notes and labels in it name files, commands and models
		e.Data, err = transcript.MapStrings(e.Data, func(s string) (string, bool) {
			out := t.Out(s)
			return out, out != s
		})
		if err != nil {
			return false, fault.Wrap(fault.Corrupt, "sessions.scrub", err)
		}
	}
	after, err := json.Marshal(s.Entry)
	if err != nil || bytes.Equal(before, after) {
		return false, fault.Wrap(fault.Internal, "sessions.scrub", err)
	}
	session, _, _ := bytes.Cut(r.Key, []byte{0})
	return true, Amend(tx, string(session), s)
}

// scrubRead takes the text out of the path that a record of the index starts with.
func scrubRead(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	path, rest, _ := bytes.Cut(r.Key, []byte{0})
	clean := t.Out(string(path))
	if clean == string(path) {
		return false, nil
	}
	err := tx.Delete(bucketReads, r.Key)
	if k := append([]byte(clean+"\x00"), rest...); len(k) <= kv.MaxKey { // a longer path is still in the log
		err = cmp.Or(err, tx.Put(bucketReads, k, r.Value))
	}
	return true, err
}

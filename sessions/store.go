package sessions

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// The buckets of this package.
const (
	bucketSessions  kv.Bucket = "sessions"     // session id → Session
	bucketHosts     kv.Bucket = "session_host" // host NUL host id → session id
	bucketLog       kv.Bucket = "log"          // session id NUL sequence → entry
	bucketMessages  kv.Bucket = "messages"     // message id, session id → sequence
	bucketAliases   kv.Bucket = "aliases"      // alias, message id → nothing
	bucketCalls     kv.Bucket = "calls"        // session id NUL call id → sequence
	bucketRewritten kv.Bucket = "rewritten"    // session id → how often entries of its log were rewritten
	bucketReads     kv.Bucket = "reads"        // path NUL session id NUL sequence, call id → call id
)

// Create stores a new session and returns it with its ID. The id is cut from a hash of host and host id, so that
// importing the same conversation twice finds the same session; seed replaces the host id of a conversation that
// has none.
func Create(tx kv.Tx, s Session, seed string) (Session, error) {
	name := s.HostID
	if name == "" {
		name = seed
	}
	digest := hostDigest(s.Host, name)
	for n := idDigits; n <= len(digest); n += 4 {
		old, err := tx.Get(bucketSessions, []byte(digest[:n]))
		if err != nil {
			return Session{}, err
		}
		if old == nil {
			s.ID = digest[:n]
			if s.HostID != "" {
				if err := tx.Put(bucketHosts, hostKey(s.Host, s.HostID), []byte(s.ID)); err != nil {
					return Session{}, err
				}
			}
			return s, Save(tx, s)
		}
	}
	return Session{}, fault.New(fault.Conflict, "sessions.create", "%s session with id %q already exists", s.Host,
		name)
}

// Save writes a session's record.
func Save(tx kv.Tx, s Session) error { return kv.PutJSON(tx, bucketSessions, []byte(s.ID), s) }

// Get returns the session with exactly this id. Errors: not_found.
func Get(tx kv.Tx, id string) (Session, error) {
	var s Session
	found, err := kv.GetJSON(tx, bucketSessions, []byte(id), &s)
	if err == nil && !found {
		err = notFound(id)
	}
	return s, err
}

// OfHost returns the session of a host's conversation, and whether there is one.
func OfHost(tx kv.Tx, host, hostID string) (Session, bool, error) {
	id, err := tx.Get(bucketHosts, hostKey(host, hostID))
	if err != nil || id == nil {
		return Session{}, false, err
	}
	s, err := Get(tx, string(id))
	return s, err == nil, err
}

// MinPrefix is how many characters of an id name a session, at least.
const MinPrefix = 4

// Find returns the session of a name: our id or the host's, or a unique beginning of one, of at least 4 characters. A
// beginning that fits a session and its subagents is the session's. Errors: not_found; conflict if it matches several,
// which are listed.
func Find(tx kv.Tx, name string) (Session, error) {
	if name == "" {
		return Session{}, notFound(name)
	}
	if s, err := Get(tx, name); err == nil || !fault.Is(err, fault.NotFound) {
		return s, err
	}
	all, err := List(tx)
	if err != nil {
		return Session{}, err
	}
	if same := where(all, func(s Session) bool { return s.HostID == name }); len(same) > 0 {
		return one(same, name)
	}
	if len(name) < MinPrefix {
		return Session{}, notFound(name)
	}
	hits := where(all, func(s Session) bool {
		return strings.HasPrefix(s.ID, name) || strings.HasPrefix(s.HostID, name)
	})
	if main := where(hits, Session.Main); len(main) > 0 {
		hits = main
	}
	if lower := strings.ToLower(name); len(hits) == 0 && lower != name {
		if s, err := Find(tx, lower); err == nil { // else the error has the name as it was given, as masks know secrets
			return s, nil
		}
	}
	return one(hits, name)
}

// Starting returns the ids of sessions and the handles of messages that begin with a prefix, at most limit of each.
func Starting(tx kv.Tx, prefix string, limit int) ([]string, error) {
	out, err := kv.Starting(tx, bucketSessions, prefix, limit)
	if err != nil {
		return nil, err
	}
	for p, err := range kv.Values(tx, bucketMessages, kv.Range{Prefix: []byte(prefix)}, decodePlace) {
		if err != nil {
			return nil, err
		}
		handle := p.ID[:HandleDigits]
		if out == nil || out[len(out)-1] != handle { // one message may be in many sessions
			out = append(out, handle)
		}
		if len(out) > 2*limit {
			break
		}
	}
	return out, nil
}

// OfHostID returns the session with a host's id, of whatever host. Errors as for Find.
func OfHostID(tx kv.Tx, hostID string) (Session, error) {
	all, err := List(tx)
	if err != nil {
		return Session{}, err
	}
	return one(where(all, func(s Session) bool { return s.HostID == hostID }), hostID)
}

// where returns the sessions that fit.
func where(all []Session, fits func(Session) bool) (out []Session) {
	for _, s := range all {
		if fits(s) {
			out = append(out, s)
		}
	}
	return out
}

// one returns the only element of hits, or an error if there is not exactly one.
func one(hits []Session, name string) (Session, error) {
	switch len(hits) {
	case 0:
		return Session{}, notFound(name)
	case 1:
		return hits[0], nil
	default:
		return Session{}, Ambiguous(fmt.Sprintf("session %.1000q is ambiguous", name), hits)
	}
}

// Ambiguous returns the conflict that lists the sessions to choose from.
func Ambiguous(what string, hits []Session) error {
	const most = 8
	var ids []string
	for i, s := range hits {
		if i == most {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, s.ID)
	}
	return fault.New(fault.Conflict, "sessions.find", "%s: %s", what, strings.Join(ids, ", ")).
		WithHint("name one of them; `ctxledger sessions` shows what they are")
}

// List returns all sessions, newest first, and then the unused copies.
func List(tx kv.Tx) ([]Session, error) {
	all, err := kv.Collect(scan(tx, kv.Range{}), kv.All)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Session) int {
		return cmp.Or(unused(a)-unused(b), b.Updated.Compare(a.Updated), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// unused returns 1 for a copy in which nobody has worked yet, else 0: such copies are listed last, even if their files are newer.
func unused(s Session) int {
	if s.Unused() {
		return 1
	}
	return 0
}

func scan(tx kv.Tx, r kv.Range) iter.Seq2[Session, error] {
	return kv.Values(tx, bucketSessions, r, kv.JSON[Session])
}

func hostKey(host, hostID string) []byte { return []byte(host + "\x00" + hostID) }

func notFound(name string) error {
	short := ""
	if name != "" && len(name) < MinPrefix {
		short = fmt.Sprintf("; an id needs at least %d characters", MinPrefix)
	}
	return fault.New(fault.NotFound, "sessions.find", "no session %.1000q in this workspace%s", name, short).
		WithHint("`ctxledger sessions` lists them; `ctxledger workspaces` lists other directories")
}

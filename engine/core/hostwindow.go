package core

import (
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
)

// BucketHostWindows holds what sessions showed of the windows of hosts: host NUL model → HostWindow.
const BucketHostWindows kv.Bucket = "host_windows"

// HostWindow is what the sessions of one host with one model showed of its window. The name of a model does not say
// which window the host was given.
type HostWindow struct {
	Tokens     int  `json:"tokens,omitempty"`      // of the window; 0: not known
	Told       bool `json:"told,omitempty"`        // the host said so
	CompactsAt int  `json:"compacts_at,omitempty"` // what was in it when the host compacted by itself, the last time
	Elsewhere  bool `json:"-"`                     // another session of the host with the model showed it
}

// windowSizes are the windows that hosts give their models, ascending, in tokens.
var windowSizes = []int{200_000, 1_000_000}

// sizeFor returns the smallest window that holds so many tokens, 0 if none does.
func sizeFor(tokens int) int {
	for _, size := range windowSizes {
		if tokens <= size {
			return size
		}
	}
	return 0
}

// noteWindow notes what an entry shows of the window of a session's host.
func noteWindow(tx kv.Tx, s *sessions.Session, e *sessions.Entry) error {
	before := *s
	if e.Usage != nil && !e.Hidden && e.Author == "" {
		s.Largest = max(s.Largest, e.Usage.Prompt())
	}
	if e.Window > 0 && !e.Hidden {
		s.Window = e.Window
	}
	if e.Cut != nil && e.Cut.Auto && e.Cut.Before > 0 {
		s.CompactsAt = int(min(e.Cut.Before, 1<<31))
	}
	overflowed := s.Largest > windowSizes[0] && before.Largest <= windowSizes[0]
	if s.Model == "" || s.CompactsAt == before.CompactsAt && !overflowed {
		return nil
	}
	return kv.PutJSON(tx, BucketHostWindows, hostWindowKey(*s), seen(*s))
}

// seen is what one session shows by itself: a request shows that the window is larger, a compaction of the host that it
// is not much larger. What the host says of its window goes before.
func seen(s sessions.Session) (w HostWindow) {
	w.CompactsAt = s.CompactsAt
	switch most := max(s.Largest, s.CompactsAt); {
	case s.Window > 0:
		w.Tokens, w.Told = s.Window, true
	case s.CompactsAt > 0, most > windowSizes[0]:
		w.Tokens = sizeFor(most)
	}
	return w
}

// HostWindowOf returns what is known of the window of a session: what it showed itself, else what the newest session of
// its host and model did. Sessions of subagents and conversations that were handed in show nothing.
func HostWindowOf(tx kv.Tx, s sessions.Session) (w HostWindow, err error) {
	if w = seen(s); w.Tokens > 0 || s.Model == "" || s.HostID == "" {
		return w, nil
	}
	w.Elsewhere, err = kv.GetJSON(tx, BucketHostWindows, hostWindowKey(s), &w)
	return w, err
}

func hostWindowKey(s sessions.Session) []byte {
	return []byte(sessions.Digest([]byte(s.Host + "\x00" + s.Model)))
}

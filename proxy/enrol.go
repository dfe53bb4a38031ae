package proxy

import (
	"bytes"
	"context"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// enrolled reports whether the conversation has a session in the ledger, or will have one once its session file is read.
func (v *view) enrolled() bool { return v.live.HostID != "" || v.live.Session != "" }

// recordedAs returns the session of the conversation. Errors: not_found.
func (v *view) recordedAs(ctx context.Context, api Ledger) (sessions.Session, error) {
	return api.Session(ctx, ledger.SessionRequest{Name: v.live.Session, Host: v.live.Host, HostID: v.live.HostID})
}

// enrol records the conversation of an agent whose session files are not read before it is sent for the first time: what is
// decided about it belongs to a session. Another proxy's is found by what was said. It reports whether there is one; the next
// request tries again.
func (v *view) enrol(r *reducer, d draft) bool {
	var messages [][]byte
	for _, span := range d.spans {
		messages = append(messages, span.In(d.body))
	}
	list := slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
	said := ledger.AppendMessagesRequest{Host: v.live.Host, Model: d.model, Dir: v.live.Dir, Format: v.format}
	handed := begin(r, func(ctx context.Context, api Ledger) (ledger.AppendMessagesResponse, error) {
		done, _, err := ledger.HandIn(ctx, api, said, list)
		return done, err
	})
	soon, cancel := context.WithTimeout(r.life, r.resuming)
	defer cancel()
	if !handed.within(soon) || handed.err != nil {
		return false
	}
	v.live.Session = handed.out.Session
	return true
}

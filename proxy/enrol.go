package proxy

import (
	"bytes"
	"context"
	"slices"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// enrolled reports whether the conversation has a session in the ledger, or will have one once its session file is read.
func (v *view) enrolled() bool { return v.live.HostID != "" || v.live.Session != "" }

// recordedAs returns the session of the conversation. Errors: not_found.
func (v *view) recordedAs(ctx context.Context, api Ledger) (sessions.Session, error) {
	return api.Session(ctx, ledger.SessionRequest{Name: v.live.Session, Host: v.live.Host, HostID: v.live.HostID})
}

// enrol records the conversation of an agent whose session files are not read before it is sent for the first time: what is
// decided about it belongs to a session. It reports whether there is one; the next request tries again.
func (v *view) enrol(r *reducer, d draft) bool {
	var messages [][]byte
	for _, span := range d.spans {
		messages = append(messages, span.In(d.body))
	}
	list := slices.Concat([]byte("["), bytes.Join(messages, []byte(",")), []byte("]"))
	said := ledger.AppendMessagesRequest{Host: v.live.Host, Model: d.model, Dir: v.live.Dir, Format: v.format}
	handed := begin(r, func(ctx context.Context, api Ledger) (ledger.AppendMessagesResponse, error) {
		said.Session = passedBefore(ctx, api, said.Host, said.Format, messages)
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

// passedBefore returns the session that another proxy has recorded a conversation in, which ends with a call of it; "": there is
// none. Comparing messages is not enough: some agents serialize the model's answers again, with other bytes.
func passedBefore(ctx context.Context, api Ledger, host string, f transcript.Format, messages [][]byte) string {
	var calls []string
	for _, raw := range messages {
		m, err := transcript.Decode(f, raw)
		for _, p := range m.Parts {
			if err == nil && p.Kind == transcript.KindCall && p.ID != "" {
				calls = append(calls, p.ID)
			}
		}
	}
	for _, call := range slices.Backward(calls[max(0, len(calls)-lastCalls):]) {
		s, err := api.Session(ctx, ledger.SessionRequest{Call: call})
		if err != nil || s.Host != host || s.HostID != "" {
			continue
		}
		page, err := api.Log(ctx, ledger.LogRequest{Session: s.ID, From: max(1, s.Seq-lastEntries)})
		for _, e := range slices.Backward(page.Entries) {
			if err == nil && len(e.Calls) > 0 {
				if slices.Contains(calls, e.Calls[0].ID) {
					return s.ID
				}
				return "" // that one went on: this is a fork
			}
		}
	}
	return ""
}

const (
	lastCalls   = 8  // of a conversation, one of which its session has if it was recorded
	lastEntries = 32 // of a session, among which its newest call is
)

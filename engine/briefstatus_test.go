package engine_test

import (
	"fmt"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// BenchmarkBriefStatus asks for a window alone, and for its cost as well, where the ledger has 200 sessions.
func BenchmarkBriefStatus(b *testing.B) {
	l := benchLedger(b)
	session := ""
	for n := range 200 {
		e := saidAt("assistant", "a", "Yes.", 1)
		e.Model, e.Usage = "claude-sonnet-4-5", &sessions.Usage{Input: 9, Output: 9}
		name := fmt.Sprint("s", n)
		resp, err := l.AppendEntries(b.Context(), ledger.AppendEntriesRequest{Import: name, Next: 2, Done: true,
			Session: sessions.Session{Host: "h", HostID: name},
			Entries: []sessions.NewEntry{saidAt("user", "u", "Go on.", 0), e}})
		if err != nil {
			b.Fatal(err)
		}
		session = resp.Session
	}
	for _, cost := range []bool{false, true} {
		b.Run(fmt.Sprint("cost=", cost), func(b *testing.B) {
			for b.Loop() {
				r := ledger.StatusRequest{Session: session, Brief: true, Cost: cost}
				if _, err := l.Status(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
)

// TestForgettingSessionsKeepsWhatWasPutByHand: content that a user stored went with a session that had received the same,
// even when the retention policy did it by itself, because a put leaves no reference.
func TestForgettingSessionsKeepsWhatWasPutByHand(t *testing.T) {
	const first, both, message = "one session", "two sessions", "a message"
	forget := func(t *testing.T, l *engine.Local, handle string) {
		t.Helper()
		if _, err := l.Forget(t.Context(), ledger.ForgetRequest{Handle: handle}); err != nil {
			t.Fatal(err)
		}
	}
	for _, before := range []bool{true, false} {
		for how, gone := range map[string]func(*testing.T, *engine.Local, []string){
			first: func(t *testing.T, l *engine.Local, ids []string) { forget(t, l, ids[0]) },
			both:  func(t *testing.T, l *engine.Local, ids []string) { forget(t, l, ids[0]); forget(t, l, ids[1]) },
			"retention": func(t *testing.T, l *engine.Local, ids []string) {
				p := ledger.RetentionPolicy{OlderThan: 60}
				r := retain(t, l, ledger.RetainRequest{Set: &p, Apply: true})
				if r.DueTotal != 2 {
					t.Fatalf("due: %+v", r)
				}
			},
			message: func(t *testing.T, l *engine.Local, ids []string) { forget(t, l, log(t, l, ids[0])[2].ID) },
		} {
			t.Run(how+map[bool]string{true: ", put before", false: ", put after"}[before], func(t *testing.T) {
				state := t.TempDir()
				l, c := openIn(t, state, "/w")
				mine := func() {
					var result struct{ Content []struct{ Content string } }
					if err := json.Unmarshal(secretResult("", "shared")[2], &result); err != nil {
						t.Fatal(err)
					}
					put(t, l, result.Content[0].Content, "my own")
				}
				if before {
					mine()
				}
				var ids []string
				for _, call := range []string{"a", "b"} {
					r := ledger.AppendMessagesRequest{Messages: secretResult(call, "shared")}
					ids = append(ids, hand(t, l, r).Session)
				}
				if !before {
					mine()
				}
				c.now = c.now.Add(day)
				hand(t, l, ledger.AppendMessagesRequest{Messages: say("Something else.", "Fine.")})
				c.now = c.now.Add(time.Hour)
				list, err := l.Artifacts(t.Context(), ledger.ArtifactsRequest{})
				if err != nil || list.Total != 1 {
					t.Fatalf("%+v, %v", list, err)
				}
				id := list.Artifacts[0].ID
				gone(t, l, ids)
				a := artifact(t, l, id)
				if a.Forgotten != nil || a.Title != "my own" ||
					!strings.Contains(readHandle(t, l, id), "shared leaked") {
					t.Errorf("%+v", a)
				}
				if how != message && (len(a.Refs) > 1 || a.Hint != "") {
					t.Errorf("it names what was forgotten: %+v", a)
				}
				// On request it goes, and what a session receives then goes with that session.
				forget(t, l, id)
				again := hand(t, l, ledger.AppendMessagesRequest{Messages: secretResult("c", "shared")}).Session
				forget(t, l, again)
				wantCode(t, second(l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: id})), fault.NotFound)
			})
		}
	}
}

package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// limitedLedger is a ledger with limits, as config.LimitsSet returns them, and a clock.
func limitedLedger(t *testing.T, limits ...config.LimitSet) *followedLedger {
	t.Helper()
	e, c := testEnv()
	l, err := openOptions(t.Context(), engine.Options{State: t.TempDir(), Env: e,
		Settings: engine.Settings{Limits: limits}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return &followedLedger{Local: l, clock: c}
}

func mostTokens(scope string, n float64) config.LimitSet {
	return config.LimitSet{Key: "limits." + scope + ".tokens", Most: n, From: "ctxledger.yaml:1", As: "MaxTotalTokens"}
}

// A session whose requests no proxy sees cannot be stopped: it is warned once when its limit is near, and once when it is
// reached, by what is recorded of its answers and of its subagents.
func TestAFollowedSessionIsWarnedOfItsLimit(t *testing.T) {
	l := limitedLedger(t, mostTokens("session", 1_000))
	subagent := spent("explorer", true, 500)
	for _, step := range []struct {
		entry sessions.NewEntry
		want  string // what is told in all
	}{
		{spent("", false, 299), ""},
		{subagent, ""},
		{spent("", false, 1), "800 tokens of the 1,000 tokens that MaxTotalTokens in ctxledger.yaml:1 allows (80%)"},
		{spent("", false, 100), "800 tokens"},
		{spent("", false, 100), "800 tokens; 1,000 tokens"},
		{spent("", false, 100), "800 tokens; 1,000 tokens"},
	} {
		id := l.comes(t, step.entry)
		told := status(t, l.Local, id).Warned
		wants := strings.Split(step.want, "; ")
		if step.want == "" {
			wants = nil
		}
		if len(told) != len(wants) {
			t.Fatalf("%+v, want %q", told, step.want)
		}
		for i, want := range wants {
			if !strings.Contains(told[i].String(), "this session has used "+want) {
				t.Errorf("%s, want %s", told[i], want)
			}
		}
	}
}

// What is recorded of answers counts where it is more than what a proxy measured: of a session of which a part did not pass
// the proxy. What both saw counts once. Nothing else of the session is forgotten when it is compacted.
func TestALimitCountsWhatIsRecordedAndMeasuredOnce(t *testing.T) {
	l := limitedLedger(t, mostTokens("session", 100), mostTokens("agent", 100))
	used := func(id, agent string) string {
		t.Helper()
		got, err := l.Limits(t.Context(), ledger.LimitsRequest{Session: id, Agent: agent})
		if err != nil || len(got.Spent) != 2 {
			t.Fatal(got, err)
		}
		return fmt.Sprint(got.Spent[0].Used, " ", got.Spent[1].Used, " ", got.Spent[0].Estimate)
	}
	id := l.comes(t, asking("go"), spent("", false, 40), spent("explorer", true, 20))
	if got := used(id, "Explorer"); got != "60 20 false" {
		t.Errorf("without a proxy: %s", got)
	}
	for i, want := range []string{"60 40 false", "60 50 false", "75 75 false"} {
		q := ledger.ModelRequest{At: l.clock.now, Dialect: "anthropic", Status: 200, Model: "m",
			Usage: sessions.Usage{Input: 20, Output: 5}}
		of := ledger.LiveSession{Session: id}
		if _, err := l.NoteRequest(t.Context(), ledger.NoteRequestRequest{LiveSession: of, Request: q}); err != nil {
			t.Fatal(err)
		}
		if got := used(id, ""); got != want {
			t.Errorf("after %d requests: %s, want %s", i+1, got, want)
		}
	}
	if _, err := l.Limits(t.Context(), ledger.LimitsRequest{Session: "ffffffff"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("an unknown session: %v", err)
	}
}

// A conversation that a host hands in has no next request once its limit is reached. Without usage it is estimated, and that
// is said; of an estimate nothing is charged.
func TestAConversationThatIsHandedInStopsAtItsLimit(t *testing.T) {
	of := func(texts ...string) (out [][]byte) {
		for i, text := range texts {
			role := []transcript.Role{transcript.RoleUser, transcript.RoleAssistant}[i%2]
			out = append(out, transcript.NewMessage(transcript.Anthropic, role, text))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		limit config.LimitSet
		usage *sessions.Usage
		want  string // of the error; "~" of a warning; "": neither
	}{
		{"reached", mostTokens("session", 30), &sessions.Usage{Input: 20, CacheRead: 7, Output: 3},
			"this session has used 30 tokens of the 30 tokens that MaxTotalTokens in ctxledger.yaml:1 allows (100%)"},
		{"near", mostTokens("session", 35), &sessions.Usage{Input: 30}, "~this session has used 30 tokens"},
		{"far", mostTokens("session", 300), &sessions.Usage{Input: 30}, ""},
		{"estimated", mostTokens("session", 20), nil, "this session has used ≈"},
		{"an estimate has no price", config.LimitSet{Key: "limits.session.usd", Most: 0.000001, From: "f:1"}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := limitedLedger(t, c.limit)
			done, err := l.AppendMessages(t.Context(), ledger.AppendMessagesRequest{Model: "claude-sonnet-4-5",
				Messages: of("Go on with the work.", "I did all of it today."), Usage: c.usage})
			if err != nil {
				t.Fatal(err)
			}
			near, err := ledger.WithinLimits(t.Context(), l, done.Session, ledger.Reader{})
			stops := c.want != "" && c.want[0] != '~'
			switch {
			case stops != fault.Is(err, fault.Limited) || !stops && err != nil:
				t.Errorf("%v", err)
			case stops:
				if !strings.Contains(err.Error(), c.want) ||
					!strings.Contains(fault.HintOf(err), "raise MaxTotalTokens there") {
					t.Errorf("%v: %s", err, fault.HintOf(err))
				}
			case (c.want != "") != (len(near) == 1) || c.want != "" && !strings.Contains("~"+near[0].String(), c.want):
				t.Errorf("%v, want %s", near, c.want)
			}
		})
	}
}

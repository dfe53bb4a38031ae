package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/replay"
	"ctxledger.dev/internal/env"
)

// session reads the first lines of the recorded session, with a compaction by its host before the line
// given, 0 for none.
func session(t *testing.T, most, at int) *replay.Session {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/sessions/shop.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))[:most]
	if at > 0 {
		summary, err := json.Marshal(map[string]any{
			"type": "user", "uuid": "5b0b5b0b-0000-4000-8000-000000000001", "isCompactSummary": true,
			"message": map[string]string{"role": "user",
				"content": "We worked on the shop: pricing.Gross rounds in integers. " +
					fmt.Sprint(make([]int, 1500))},
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines[:at:at], append([][]byte{append(summary, '\n')}, lines[at:]...)...)
	}
	file := filepath.Join(t.TempDir(), "shop.jsonl")
	if err := os.WriteFile(file, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	r, err := agents.Read(opened, file)
	if err != nil {
		t.Fatal(err)
	}
	return &replay.Session{Name: "shop", State: t.TempDir(), About: r.About, Entries: r.Entries, Summaries: r.Summaries}
}

const (
	some    = 330 // lines: almost half of the session
	halfway = 200 // a line between two requests
)

func TestRetentionIsMeasuredAtEachCompactionOfTheHost(t *testing.T) {
	s := session(t, some, halfway)
	if len(s.Summaries) != 1 {
		t.Fatalf("summaries at %v", s.Summaries)
	}
	kept, err := measure(t.Context(), env.System(), s, 10)
	if err != nil || len(kept) != 1 {
		t.Fatal(len(kept), err)
	}
	k := kept[0]
	if k.Outcome != compaction.Compacted || !k.Restorable || k.Calls < 10 {
		t.Errorf("%+v", k)
	}
	for name, text := range map[string]text{"ours": k.Ours, "words": k.Words, "tail": k.Tail} {
		if text.Tokens == 0 || text.Tokens > k.Tokens {
			t.Errorf("%s has %d tokens, the host's %d", name, text.Tokens, k.Tokens)
		}
	}
	if k.Half.Tokens > k.Tokens/2 || k.Half.Tokens == 0 {
		t.Errorf("half has %d of %d", k.Half.Tokens, k.Tokens)
	}
	if f := k.Ours.Figures; f.Hard < k.Host.Figures.Hard || f.Files < 1 || f.Bind < 0.98 || !f.Lists.Known() {
		t.Errorf("%+v", f)
	}
	if none, err := measure(t.Context(), env.System(), s, 100_000); err != nil || len(none) != 0 {
		t.Errorf("measured with few calls behind it: %v %v", none, err)
	}
}

func TestASessionWithoutACompactionHasNothingToMeasure(t *testing.T) {
	kept, err := measure(t.Context(), env.System(), session(t, some, 0), 0)
	if err != nil || len(kept) != 0 {
		t.Error(kept, err)
	}
}

func TestSumsAreWeightedByRequests(t *testing.T) {
	a := replay.Report{Outcomes: []replay.Outcome{{Policy: "none", Requests: 2, Steps: 1, Units: 4, Priced: true}, {},
		{Units: 2}}}
	b := replay.Report{Outcomes: []replay.Outcome{{Policy: "none", Requests: 3, Broken: 3, Units: 8}, {}, {Units: 10}}}
	got := sum([]replay.Report{a, b})
	if len(got) != 3 || got[0].Requests != 5 || got[0].Stable != 0.25 || got[0].Units != 12 || got[0].Priced {
		t.Errorf("%+v", got)
	}
	if a.Ratio(replay.Ours) != 0.5 || b.Ratio(replay.Ours) != 1.25 || (replay.Report{}).Ratio(replay.Ours) != 1 {
		t.Errorf("ratios: %v %v", a.Ratio(replay.Ours), b.Ratio(replay.Ours))
	}
}

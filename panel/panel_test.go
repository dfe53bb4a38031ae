package panel

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/carried"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/window"
)

// TestCases compares the texts of the panels in testdata/cases/*.txtar, each with its figures as JSON. They are specified: nothing
// rewrites them.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			heads := sectionHead.FindAllStringSubmatchIndex(string(raw), -1)
			var p Panel
			for i, at := range heads {
				end := len(raw)
				if i+1 < len(heads) {
					end = heads[i+1][0]
				}
				section, text := string(raw[at[2]:at[3]]), string(raw[at[1]:end])
				if section == "panel" {
					if err := json.Unmarshal([]byte(text), &p); err != nil {
						t.Fatal(err)
					}
					p.Compacts = map[bool]string{false: "/compact", true: "compact_conversation"}[p.Sends]
					p = p.derived()
					continue
				}
				got, known := map[string]string{"text": p.String(), "more": p.More(), "level": string(p.Level)}[section]
				if got += "\n"; !known || got != text {
					t.Errorf("%s:\n%s\nwant\n%s", section, got, text)
				}
			}
		})
	}
}

// sectionHead is the line above a section of a case.
var sectionHead = regexp.MustCompile(`(?m)^-- (\w+) --\n`)

func TestNumbersAreRoundedBeforeTheyGetAUnit(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 950: "950", 999: "999", 1_000: "1.0k", 1_400: "1.4k", 1_949: "1.9k",
		1_950: "2.0k", 9_949: "9.9k", 9_960: "10k",
		29_400: "29k", 29_500: "30k", 999_499: "999k", 999_600: "1.0M", 1_200_000: "1.2M", 12_345_678: "12.3M",
	} {
		if got := Short(n); got != want {
			t.Errorf("%d is %q, not %q", n, got, want)
		}
	}
}

// TestThePanelIsOfTheStatus: which figures of a status it takes, by who sends the conversation.
func TestThePanelIsOfTheStatus(t *testing.T) {
	st := ledger.Status{Use: ledger.Use{
		Window: 200_000, Held: measured(50_000), Measured: 50_000, Requests: 3,
		Fixed: &tokens.Count{N: 10_000}, Used: measured(30_000),
		Threshold: 80_000, CompactsAt: 160_000, CompactsFrom: "you set `it`", Model: "a`b\nc",
		Scale: tokens.Scale{N: tokens.Scaled},
	}, ClearsAt: 48_000, Proxy: &ledger.ProxyUse{System: 4_000},
		Calls: ledger.Calls{N: 2, Began: 20_000, Last: &sessions.Usage{Input: 49_000, Output: 1_000}}}
	host := Of(st, carried.Report{}, 7)
	if host.CompactsAt != 160_000 || host.ClearsAt != 0 || host.Free != 110_000 || host.Growth != 30_000 ||
		host.System.N != 4_000 || host.Said != 40_000 || host.Tools != 6_000 || host.Model != "ab c" ||
		host.CompactsFrom != "you set it" || host.Overhead != 7 {
		t.Errorf("of a host: %+v", host)
	}
	for agent, want := range map[string]string{"claude-code": "/compact", "gemini": "", "file": ""} {
		st.Session.Host = agent
		p := Of(st, carried.Report{}, 0)
		if p.Compacts != want || strings.Contains(p.String(), "/compact") != (want != "") {
			t.Errorf("%s is compacted by %q: %s", agent, p.Compacts, p)
		}
	}
	st.Sends, st.Calls, st.CompactsAt = true, ledger.Calls{Compacted: true}, 80_000
	ours := Of(st, carried.Report{}, 0)
	if ours.CompactsAt != 80_000 || ours.ClearsAt != 48_000 || ours.Held.N != 40_000 || ours.Held.Exact ||
		ours.Growth != 0 || ours.Free != 40_000 || ours.Compacts != "compact_conversation" {
		t.Errorf("of ours after a compaction: %+v", ours)
	}
	st.Proxy.System = 11_000
	if Of(st, carried.Report{}, 0).System != nil {
		t.Error("a system prompt is larger than all that is fixed")
	}
	if empty := Of(ledger.Status{}, carried.Report{}, 0); !empty.None {
		t.Errorf("no model was called: %+v", empty)
	}
	unmeasured := Of(ledger.Status{Use: ledger.Use{Window: 200_000, Held: tokens.Count{N: 10_000},
		Own: []ledger.Category{{Name: window.Assistant.String()}}}}, carried.Report{}, 0)
	raw, err := json.Marshal(unmeasured)
	const besides = "its system prompt and tools come on top of that"
	if !strings.Contains(unmeasured.String(), "\n- "+besides) ||
		!strings.Contains(string(raw), `"besides":"`+besides) || err != nil {
		t.Errorf("nobody says what was not measured: %s\n%s, %v", unmeasured, raw, err)
	}
	said := ledger.Status{Use: ledger.Use{Own: []ledger.Category{{Name: window.Assistant.String()}}}}
	if Of(said, carried.Report{}, 0).None {
		t.Error("an answer that was not measured is one")
	}
}

func measured(n int) tokens.Count { return tokens.Count{N: n, Exact: true, Upper: n} }

package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/report"
	"ctxledger.dev/sessions"
)

// respellings are what gateways and hosts do to the ids of a session file, without another answer being given.
var respellings = map[string]func(text []byte) []byte{
	"one id for all answers": func(text []byte) []byte {
		return messageID.ReplaceAll(text, []byte(`"id":"chatcmpl-0"`))
	},
	"one id, requests without ids": func(text []byte) []byte {
		return requestID.ReplaceAll(messageID.ReplaceAll(text, []byte(`"id":"chatcmpl-0"`)), nil)
	},
	"counters that begin again": func(text []byte) []byte { return requestID.ReplaceAll(counted(text, 4), nil) },
	"history written again":     func(text []byte) []byte { return slices.Concat(text, text) },
	"history written again under one id": func(text []byte) []byte {
		text = requestID.ReplaceAll(messageID.ReplaceAll(text, []byte(`"id":"chatcmpl-0"`)), nil)
		return slices.Concat(text, text, text)
	},
}

var (
	messageID = regexp.MustCompile(`"id":"msg_[^"]*"`)
	requestID = regexp.MustCompile(`"request(?:Id|Ref)":"[^"]*",`)
)

// counted gives the answers of a session the numbers below n, again and again.
func counted(text []byte, n int) []byte {
	given := map[string]string{}
	return messageID.ReplaceAllFunc(text, func(id []byte) []byte {
		if given[string(id)] == "" {
			given[string(id)] = fmt.Sprintf(`"id":"chatcmpl-%d"`, len(given)%n)
		}
		return []byte(given[string(id)])
	})
}

// TestIdsDoNotDecideWhatIsCounted: recorded sessions whose ids are not what they should be have the same totals, and the
// same records are parts of the same answers in the same order. CTXLEDGER_RECORDED names a directory of further sessions.
func TestIdsDoNotDecideWhatIsCounted(t *testing.T) {
	files := []string{"../../testdata/sessions/shop.jsonl", "../../testdata/sessions/compacted.jsonl"}
	if dir := os.Getenv("CTXLEDGER_RECORDED"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		total, parts := measured(t, text)
		for name, respell := range respellings {
			if got, p := measured(t, respell(bytes.Clone(text))); got != total || !slices.Equal(p, parts) {
				t.Errorf("%s, %s: total %+v, want %+v; the same parts: %v", file, name, got, total,
					slices.Equal(p, parts))
			}
		}
	}
}

// part is a record of a conversation: its id, and the number of the answer that it is a part of.
type part struct {
	id     string
	answer int
}

// measured returns what an audit counts of a session, after comparing it with what an import counts, and its records.
func measured(t *testing.T, text []byte) (report.Spent, []part) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, text)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := agents.Read(f, path)
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	var sum sessions.Usage
	answers := map[string]int{}
	for _, e := range s.Entries {
		if e.Usage != nil && !e.Copied {
			sum = sum.Add(*e.Usage)
		}
		if e.HostID == "" {
			continue
		}
		if _, known := answers[e.Group]; !known {
			answers[e.Group] = len(answers)
		}
		parts = append(parts, part{e.HostID, answers[e.Group]})
	}
	total := run(t, path).Total
	repeats := bytes.Contains(text, []byte("agent_progress")) // which an import does not count
	if u := total.Usage; !repeats && (u.Input != sum.Input || u.Output != sum.Output ||
		u.CacheRead != sum.CacheRead ||
		u.Written() != sum.CacheWrite) {
		t.Errorf("the audit counts %+v, an import %+v", u, sum)
	}
	return total, parts
}

package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

func TestOutputOfCommandsIsRenderedAtBirth(t *testing.T) {
	progress := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\r\x1b[32m%5d of %d files\x1b[0m", i+1, n)
		}
		return b.String() + "\nerror: disk full\n"
	}
	long := strings.Repeat("\x1b[1ma line that stays\x1b[0m\n", 4000)
	for _, c := range []struct {
		name, tool, output string
		shown              string // in the view; "": the output itself
	}{
		{"larger than what is offloaded", "Bash", progress(2000), " 2000 of 2000 files\nerror: disk full"},
		{"smaller than that", "Bash", progress(200), "  200 of 200 files\nerror: disk full"},
		{"not worth an artifact", "Bash", progress(20), ""},
		{"rendered and still too large", "Bash", long, "\n   1  a line that stays\n   2  a line that stays\n" +
			"   3  a line that stays\n... [3,985 lines truncated] ...\n3989  a line"},
		{"nothing to render", "Bash", strings.Repeat("line\r\n", 100), ""},
		{"not of a command", "Read", progress(200), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			id := hand(t, l, ledger.AppendMessagesRequest{Messages: append(spell("A"),
				toolUse("c", c.tool, `{"command":"make"}`),
				raw(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":%s}]}`,
					quoted(t, c.output)))}).Session
			m, err := transcript.Decode(transcript.Anthropic, render(t, l, id)[2])
			if err != nil {
				t.Fatal(err)
			}
			got, handle := m.Parts[0].Text, log(t, l, id)[2].Results[0].Artifact
			if c.shown == "" {
				if got != c.output || handle != "" {
					t.Errorf("artifact %q stands for %.80q: %.300s", handle, c.output, got)
				}
				return
			}
			if !strings.Contains(got, c.shown) || strings.ContainsAny(got, "\x1b\r") || len(got) >= len(c.output) {
				t.Errorf("the view shows %.600q", got)
			}
			if kept := readHandle(t, l, handle); kept != c.output {
				t.Errorf("the handle reads %.80q", kept)
			}
		})
	}
}

func quoted(t *testing.T, s string) []byte {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

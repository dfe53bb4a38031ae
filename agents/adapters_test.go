package agents

import (
	"testing"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/env"
)

// Every row of the table has what importing, following and auditing call.
func TestAdaptersAreComplete(t *testing.T) {
	seen := map[sessionfile.Agent]bool{"": true}
	e := env.Env{Home: t.TempDir(), Lookup: func(string) string { return "" }}
	for _, a := range Adapters() {
		if seen[a.Agent] || a.Label == "" || a.Where == "" {
			t.Errorf("agent %q: known before, without a label, or without a hint", a.Agent)
		}
		seen[a.Agent] = true
		if a.Base(e) == "" || a.Dirs(e, []string{"/w"}, func(string, error) {}) != nil || a.IsSession("x.exe") {
			t.Errorf("%s: a base that does not exist holds something", a.Agent)
		}
		if a.Identify("/p/x", "").ID == "" || a.Reported(nil) {
			t.Errorf("%s: a file without records has no id, or an empty line reports something", a.Agent)
		}
		if a.Decoder("/p/x")(&sessionfile.Record{Line: sessionfile.Line{Text: []byte("no record")}}) {
			t.Errorf("%s: any text is a record", a.Agent)
		}
	}
}

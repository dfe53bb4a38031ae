package cli

import (
	"strings"
	"testing"

	"ctxledger.dev/agents/audit"
	"ctxledger.dev/internal/redact"
)

// TestALongLineIsNotDamaged: a line of a session file above the limit was called damaged.
func TestALongLineIsNotDamaged(t *testing.T) {
	var said strings.Builder
	a := &action{masks: redact.New(nil), messages: &said}
	found := audit.Audit{Damaged: []audit.Damaged{{Path: "a.jsonl", Damage: audit.Damage{Long: 1, First: 2}},
		{Path: "b.jsonl", Damage: audit.Damage{Broken: 2, First: 3}}}}
	found.Files = 2
	if err := sayUnread(a, found, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.jsonl: 1 line longer than 16.8 MB left out, the first on line 2",
		"b.jsonl: 2 damaged lines left out, the first on line 3"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is not in %q", want, said.String())
		}
	}
}

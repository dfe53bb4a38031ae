package workspace

import (
	"testing"

	"ctxledger.dev/internal/env"
)

func TestTheHostsOwnSessionComesFirst(t *testing.T) {
	for _, x := range []struct {
		name string
		vars map[string]string
		want string
	}{
		{"no host", nil, ""},
		{"Claude Code", map[string]string{"CLAUDE_CODE_SESSION_ID": "c"}, "c"},
		{"a host that sets those of others too",
			map[string]string{"QWEN_CODE_SESSION_ID": "q", "CLAUDE_CODE_SESSION_ID": "c"}, "q"},
	} {
		e := env.Env{Lookup: func(name string) string { return x.vars[name] }}
		if got := HostSession(e); got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
	}
}

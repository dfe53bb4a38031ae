package records

import (
	"testing"

	"ctxledger.dev/agents"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
)

// recorded is a ledger with a session that the real Claude Code recorded.
func recorded(b *testing.B) (Reader, string) {
	b.Helper()
	local := must(engine.Open(b.Context(),
		engine.Options{State: b.TempDir(), Workspace: "/home/dev/shop", Env: env.System()}))
	b.Cleanup(func() { must(0, local.Close()) })
	return Reader{API: local, Now: noon}, must(agents.Import(b.Context(), local,
		agents.Source{Path: "../testdata/sessions/shop.jsonl"}, nil)).Session
}

func BenchmarkTree(b *testing.B) {
	r, session := recorded(b)
	for b.Loop() {
		for _, parent := range []string{"", "sessions", "sessions/" + session, "artifacts", "changes"} {
			must(r.Nodes(b.Context(), parent))
		}
	}
}

func BenchmarkSession(b *testing.B) {
	r, session := recorded(b)
	for b.Loop() {
		must(r.Text(b.Context(), Address{Kind: KindSession, ID: session}))
	}
}

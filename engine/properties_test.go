package engine_test

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// anyPolicy switches rules on and off.
func anyPolicy(r *rand.Rand) *window.Policy {
	p := window.Default()
	p.Filter = window.Filter{
		TextOnly: r.IntN(6) == 0, Turns: r.IntN(2) * r.IntN(4), Messages: r.IntN(2) * (1 + r.IntN(12)),
		Exact: r.IntN(2) == 0, CapFraction: 0.5,
	}
	p.ResultChars, p.ReplayChars, p.BatchChars, p.OldWords = r.IntN(2)*30, r.IntN(2)*20, 1, r.IntN(2) == 0
	p.ToolPairs, p.InTurnTokens = r.IntN(2)*2, r.IntN(2)*60
	p.Evict = window.EvictPolicy{MaxTokens: r.IntN(3) * 200, Window: r.IntN(5)}
	p.Clear = window.ClearPolicy{Trigger: 0.000001 * float64(r.IntN(2)), Keep: 1, AtLeast: 1, Inputs: r.IntN(2) == 0}
	return &p
}

var anyHandle = regexp.MustCompile(`(?:Artifact: |read_artifact\(id=\\*")([0-9a-f]{12,64})`)

// Whatever the policy and the conversation, for every provider: the view is valid, twice the same, and only as
// large as it says; what was recorded stays as it was; and every handle that is shown can be read.
func TestInvariant3And2HoldForAnyPolicyAndProvider(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, handles := open(t), 0
			for seed := range uint64(cases.Some(30)) {
				r := rand.New(rand.NewPCG(seed, 29))
				lines := formattest.RandomTalk(r, transcript.Takes(p.Format, transcript.RoleSystem))
				id := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: p.Messages(lines...)}).Session
				stored, reader := originals(t, l, id, 0, 0), ledger.Reader{Agent: "any", Policy: anyPolicy(r)}
				made, err := l.EditView(t.Context(),
					ledger.EditViewRequest{Session: id, Reader: reader, Reason: "manual"})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if made.Over != (made.TokensAfter.Upper > made.Threshold) {
					t.Errorf("seed %d: %d tokens are over %d: %t", seed, made.TokensAfter.Upper, made.Threshold,
						made.Over)
				}
				view := viewOf(t, l, id, reader)
				if again := viewOf(t, l, id, reader); again != view {
					t.Errorf("seed %d: two views of one log differ", seed)
				}
				if !bytes.Equal(originals(t, l, id, 0, 0), stored) {
					t.Errorf("seed %d: what was recorded changed", seed)
				}
				if err := transcript.Valid(p.Format,
					bytes.Split([]byte(strings.TrimSpace(view)), []byte("\n"))); view != "" && err != nil {
					t.Fatalf("seed %d: %v\n%s\n%+v", seed, err, strings.Join(lines, "\n"), *reader.Policy)
				}
				for _, m := range anyHandle.FindAllStringSubmatch(view, -1) {
					handles++
					if _, err := l.ReadArtifact(t.Context(), ledger.ReadArtifactRequest{ID: m[1]}); err != nil {
						t.Errorf("seed %d: handle %s: %v", seed, m[1], err)
					}
				}
			}
			if handles < cases.Some(12) {
				t.Errorf("%d handles: the test shows nothing", handles)
			}
		})
	}
}

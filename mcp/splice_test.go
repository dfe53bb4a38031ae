package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// A host that keeps its own list and shortens it by the answers has, compaction after compaction, what the
// session's view has: to a ledger that knows nothing of it all, its list comes to the same messages, byte for
// byte. That holds whatever the list is like.
func TestSplicingMakesTheView(t *testing.T) {
	for _, p := range formattest.Providers() {
		t.Run(p.Name, func(t *testing.T) {
			f, fresh := newFixture(t, nil), newFixture(t, nil)
			spliced := 0
			for seed := range uint64(4) {
				r := rand.New(rand.NewPCG(seed, 31))
				var mine [][]byte
				session := ""
				for round := range 3 {
					lines := formattest.RandomTalk(r, round == 0 && transcript.Takes(p.Format, transcript.RoleSystem))
					lines = slices.DeleteFunc(lines, func(l string) bool { return l == "c" }) // see below
					mine = append(mine, p.Messages(fmt.Sprintf("u talk-%d-%d %s", seed, round,
						strings.Repeat("words ", 300)), "a ok")...)
					mine = append(mine, p.Messages(lines...)...)
					var told struct {
						Session string
						Splice  *splice
					}
					text := callRaw(t, f,
						fmt.Sprintf(
							`{"messages":[%s],"format":%q,"keep_turns":%d,"return":"splice","budget_tokens":600}`,
							bytes.Join(mine, []byte(",")), p.Format, 1+r.IntN(3)))
					if json.Unmarshal([]byte(text), &told) != nil || told.Splice == nil {
						continue // nothing was compacted
					}
					spliced++
					mine = slices.Concat(mine[:told.Splice.From], [][]byte{told.Splice.Message}, mine[told.Splice.To:])
					if session = told.Session; round > 0 && session != told.Session {
						t.Errorf("seed %d: the conversation is in session %s and in %s", seed, session, told.Session)
					}
					want := viewOf(t, f, session)
					got := viewOf(t, fresh, handed(t, fresh, p, mine))
					if !slices.EqualFunc(want, got, bytes.Equal) {
						t.Fatalf("seed %d, round %d, splice [%d,%d): the list is\n%.3000s\nnot\n%.3000s", seed, round,
							told.Splice.From, told.Splice.To, p.Brief(t, got), p.Brief(t, want))
					}
				}
			}
			if spliced < 8 {
				t.Errorf("%d splices: the test shows nothing", spliced)
			}
		})
	}
}

// viewOf returns the view of a session.
func viewOf(t *testing.T, f *fixture, session string) [][]byte {
	t.Helper()
	v, err := ledger.Messages(t.Context(), f.local, ledger.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, m := range v.Messages {
		out = append(out, toolOfStub.ReplaceAll(m.JSON, nil))
	}
	return out
}

// toolOfStub is what a stub says of the call: of two with one content the first.
var toolOfStub = regexp.MustCompile(`Tool: \w+`)

// handed hands a conversation in and returns its session.
func handed(t *testing.T, f *fixture, p formattest.Provider, messages [][]byte) string {
	t.Helper()
	array := "[" + string(bytes.Join(messages, []byte(","))) + "]"
	done, _, err := ledger.HandIn(t.Context(), f.local, ledger.AppendMessagesRequest{Format: p.Format}, []byte(array))
	if err != nil {
		t.Fatal(err)
	}
	return done.Session
}

// The provider's own compaction stays before our summary: only the provider can read it. What
// was before it stays too in a list that the host keeps, where it costs nothing: the provider passes over it.
func TestSpliceKeepsTheProvidersOwnCompaction(t *testing.T) {
	p := formattest.Providers()[2]
	var mine [][]byte
	for i := range 12 {
		if i == 4 {
			mine = append(mine, p.Messages("c")...)
		}
		mine = append(mine, p.Messages(fmt.Sprintf("u request-%d %s", i, strings.Repeat("words ", 60)), "a ok +x",
			"t x=1", "a done")...)
	}
	f := newFixture(t, nil)
	var told struct {
		Session string
		Splice  splice
	}
	text := callRaw(t, f,
		fmt.Sprintf(`{"messages":[%s],"keep_turns":2,"return":"splice"}`, bytes.Join(mine, []byte(","))))
	perTurn := len(p.Messages("u go", "a ok +x", "t x=1", "a done"))
	err := json.Unmarshal([]byte(text), &told)
	if err != nil || told.Splice.From != 4*perTurn+1 || told.Splice.To != len(mine)-2*perTurn {
		t.Fatalf("splice [%d,%d) of %d, %v", told.Splice.From, told.Splice.To, len(mine), err)
	}
	if got := p.Brief(t, viewOf(t, f, told.Session)); !strings.HasPrefix(got, "a compacted | u [STATE") {
		t.Errorf("the view is %.100s", got)
	}
	next := slices.Concat(mine[:told.Splice.From], [][]byte{told.Splice.Message}, mine[told.Splice.To:],
		p.Messages("u more"))
	for _, list := range [][][]byte{next, append(viewOf(t, f, told.Session), p.Messages("u more", "a yes")...)} {
		before := viewOf(t, f, told.Session)
		if s := handed(t, f, p, list); s != told.Session {
			t.Errorf("what is handed back goes on in session %s, not in %s", s, told.Session)
		}
		if now := viewOf(t, f, told.Session); len(now) != len(before)+1 {
			t.Errorf("the view has %d messages, and %d before", len(now), len(before))
		}
	}
}

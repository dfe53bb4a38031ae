package engine_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/testonly/cases"
	"ctxledger.dev/internal/testonly/formattest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// routed is how a view ends whose compaction removed the handoff call.
const routed = `[Resume: pre-compaction routing signal from main]\nsrc/handoff.go`

// handsOver is a beginning of a conversation in which the agent hands over by a keyword.
func (p provider) handsOver() [][]byte {
	all := p.Messages("u go", "a +handoff", "t handoff=ok")
	for i := range all {
		all[i] = bytes.ReplaceAll(all[i], []byte("path"), []byte("route_keyword"))
	}
	return all
}

// Design, invariants 3, 4 and 5 with a routing signal, for every provider and whatever a conversation is like: a compaction
// that removes the handoff call leaves its keyword at the end of the view, once; it counts in the size; the requests after it
// have it at the same place; and the next compaction moves it to the end again.
func TestInvariant3TheRoutingSignalEndsACompactedView(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l, ended := open(t), 0
			for seed := range uint64(cases.Some(20)) {
				r := rand.New(rand.NewPCG(seed, 47))
				lines := append(formattest.RandomTalk(r, false), "u carry on")
				handed := slices.Concat(p.handsOver(), p.Messages(fmt.Sprint("u seed ", seed)), p.Messages(lines...))
				id := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: handed}).Session
				for range 2 {
					mode := []compaction.Mode{compaction.Intent, compaction.Window}[r.IntN(2)]
					done := compact(t, l, id, compaction.Options{Keep: 1, Budget: 700, Mode: mode})
					p.sound(t, l, id, handed)
					before := render(t, l, id)
					last := string(before[len(before)-1])
					n := strings.Count(string(bytes.Join(before, nil)), routed)
					if done.Outcome == compaction.Compacted && (n != 1 || !strings.Contains(last, routed)) {
						t.Fatalf("seed %d: %d times, %q:\n%s", seed, n, done.Summary.Resume, p.Brief(t, before))
					}
					if done.Outcome == compaction.Compacted {
						ended++
					}
					for _, line := range []string{"a well", "u " + strings.Repeat("more ", 800), "a +z99", "t z99=ok",
						"a done", "u next"} {
						more := p.Messages(line)
						handed = append(handed, more...)
						hand(t, l, ledger.AppendMessagesRequest{Session: id, Since: true, Format: p.Format,
							Messages: more})
						now := render(t, l, id)
						if len(now) < len(before) || !slices.EqualFunc(before, now[:len(before)], bytes.Equal) {
							t.Fatalf("seed %d, %.20q: the request is no longer\n%s\nbut\n%s", seed, line,
								p.Brief(t, before), p.Brief(t, now))
						}
						if transcript.Sendable(p.Format, now) == nil {
							before = now
						}
					}
				}
			}
			if ended < cases.Some(20) {
				t.Errorf("%d views end with it: the test shows nothing", ended)
			}
		})
	}
}

// A host that keeps the view with the signal, and hands it in again, goes on with the same session; and one whose call is
// still in flight gets the signal behind its result.
func TestAViewWithARoutingSignalIsKnownAgain(t *testing.T) {
	for _, p := range providers {
		t.Run(p.Name, func(t *testing.T) {
			l := open(t)
			handed := slices.Concat(p.handsOver(),
				p.Messages("u "+strings.Repeat("much ", 900), "a ok", "u on", "a +x1"))
			id := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: handed}).Session
			if done := compact(t, l, id, compaction.Options{Keep: 1}); done.Summary.Resume == "" {
				t.Fatalf("%s: %s", done.Outcome, done.Why)
			}
			if view := render(t, l, id); strings.Contains(string(bytes.Join(view, nil)), routed) {
				t.Errorf("it stands between a call and its result: %s", p.Brief(t, view))
			}
			next := ledger.AppendMessagesRequest{Session: id, Since: true, Format: p.Format,
				Messages: p.Messages("t x1=ok")}
			hand(t, l, next)
			view := render(t, l, id)
			if !strings.Contains(string(view[len(view)-1]), routed) {
				t.Errorf("it does not end the view: %s", p.Brief(t, view))
			}
			next.Messages = p.Messages("a done", "u "+strings.Repeat("more ", 900), "a fine", "u now")
			hand(t, l, next)
			compact(t, l, id, compaction.Options{Keep: 1})
			kept := append(render(t, l, id), p.Messages("a yes")...)
			if !strings.Contains(string(kept[len(kept)-2]), routed) {
				t.Fatalf("%s", p.Brief(t, kept))
			}
			got := hand(t, l, ledger.AppendMessagesRequest{Format: p.Format, Messages: kept})
			if got.Session != id || got.Added != 1 {
				t.Errorf("a host that kept the view has %+v, not session %s", got, id)
			}
		})
	}
}

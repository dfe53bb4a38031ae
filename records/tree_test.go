package records

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// worked is a session with all there is: two turns, a compaction, an artifact, changes, a memory.
func worked(l *opened) (session string) {
	long := strings.Repeat("a line of the log that is long enough to be kept outside\n", limits.OffloadChars/50)
	session = l.say("", append(append(append(
		[][]byte{user("Fix `Add`,\nplease: [it](command:rm) is wrong.")},
		l.use("Read", map[string]any{"file_path": "/ws/src/add.go"}, "package add\n", false)...),
		l.use("Bash", map[string]any{"command": "cat big.log"}, long, false)...),
		assistant("The log says:\n```\n# it is no heading\n```\nNow I edit."))...)
	l.say(session, l.use("Edit", map[string]any{"file_path": "/ws/src/add.go", "old_string": "a - b",
		"new_string": "a + b\n"}, "edited", false)...)
	l.say(session, l.use("Bash", map[string]any{"command": "go test ./..."}, "exit 1", true)...)
	l.say(session, user("And now the docs."), assistant("Done."), user("Thanks."), assistant("Bye."))
	return session
}

// tree draws the tree, a line a node.
func (l *opened) tree() string {
	var b strings.Builder
	l.walk("", func(n Node) {
		live := ""
		if n.Live {
			live = " live"
		}
		fmt.Fprintf(&b, "%-40s %s | %s | %s%s | handle %q | %s\n", n.ID, n.Kind, n.Label, n.Description, live, n.Handle,
			n.URI)
	})
	return b.String()
}

func TestTheTreeOfALedger(t *testing.T) {
	l := newLedger(t)
	if got := must(l.Nodes(t.Context(), "")); len(got) != 4 || got[0].Description != "not followed" ||
		got[0].Tooltip != "session files are not followed: no daemon is in use" || got[0].Children ||
		got[3].Description != "not known" || got[3].Tooltip != got[0].Tooltip {
		t.Errorf("an empty ledger has %+v", got)
	}
	session := worked(l)
	must(ledger.Compact(t.Context(), l,
		ledger.PlanCompactionRequest{Session: session, Options: compaction.Options{Keep: 1}}, "", false))
	l.remember("test runner", "how tests are run", "Use go test.")
	l.keep("put by hand", "a note")
	golden(t, "tree.txt", l.tree())
}

// TestWhatASessionHoldsIsCountedForItsModel: an artifact, alone and below its session, and the results in its text.
func TestWhatASessionHoldsIsCountedForItsModel(t *testing.T) {
	l := newLedger(t)
	long := strings.Repeat("a line of the log that is long enough to be kept outside\n", limits.OffloadChars/50)
	o200k := tokens.O200kBase.CountString(long)
	for _, c := range []struct{ model, want string }{
		{"claude-sonnet-4-5", tokens.Builtin().For("claude-sonnet-4-5").Of(o200k).Tokens()},
		{"gpt-5", chars.Plural(o200k, "token")},
	} {
		session := must(l.AppendMessages(t.Context(), ledger.AppendMessagesRequest{Host: "test", Model: c.model,
			Format:   transcript.Anthropic,
			Messages: l.use("Bash", map[string]any{"command": "cat big.log"}, long, false)})).Session
		counted := 0
		l.walk("", func(n Node) {
			if n.Kind == KindArtifact {
				counted++
				if !strings.Contains(n.Description, c.want) || !strings.Contains(n.Tooltip, c.want) {
					t.Errorf("%s: %q, %q, not %s", c.model, n.Description, n.Tooltip, c.want)
				}
			}
		})
		if text := must(l.Text(t.Context(), Address{Kind: KindSession, ID: session})); counted == 0 ||
			!strings.Contains(text, "`Bash` `cat big.log`: "+c.want) {
			t.Errorf("%s: %d artifacts, and the session is %s", c.model, counted, text)
		}
		l = newLedger(t)
	}
}

// TestEverythingIsOnOnePage has more of everything than a page holds.
func TestEverythingIsOnOnePage(t *testing.T) {
	l := newLedger(t)
	const n = 2*pageSize + 5
	writes := [][]byte{user("session 0")}
	var work sync.WaitGroup                   // together, so that one commit has many
	files := make(chan struct{}, pageSize/10) // but few with a file open: some systems allow 64
	for i := range n {
		writes = append(writes,
			l.use("Write", map[string]any{"file_path": fmt.Sprintf("/ws/%d.txt", i), "content": "x"}, "ok", false)...)
		work.Go(func() {
			files <- struct{}{}
			defer func() { <-files }()
			l.keep(fmt.Sprintf("content %d", i), fmt.Sprintf("title %d", i))
		})
		work.Go(func() { l.remember(fmt.Sprintf("memory %03d", i), "", "x") })
		if i > 0 {
			work.Go(func() { l.say("", user(fmt.Sprintf("session %d", i)), assistant("yes")) })
		}
	}
	l.say("", writes...)
	work.Wait()
	ids, labels, more := map[string]bool{}, map[Kind]map[string]int{}, map[string]int{}
	l.walk("", func(n Node) {
		if ids[n.ID] {
			t.Errorf("%s stands twice", n.ID)
		}
		ids[n.ID] = true
		if n.Kind == KindMore {
			more[n.Label]++
		}
		if labels[n.Kind] == nil {
			labels[n.Kind] = map[string]int{}
		}
		labels[n.Kind][n.Label]++
	})
	// changes are below their session, too
	for kind, times := range map[Kind]int{KindSession: 1, KindArtifact: 1, KindMemory: 1, KindChange: 2} {
		if len(labels[kind]) != n {
			t.Errorf("%d of %d %ss are there", len(labels[kind]), n, kind)
		}
		for label, got := range labels[kind] {
			if got != times {
				t.Errorf("%s %s is there %d times", kind, label, got)
			}
		}
	}
	if len(more) != 2 || more["105 more"] != 5 || more["5 more"] != 5 {
		t.Errorf("what follows on next pages is %v", more)
	}
	for _, list := range []string{"sessions", "sessions/@100", "artifacts/@200", "memories", "changes"} {
		if got := len(must(l.Nodes(t.Context(), list))); got > pageSize+1 {
			t.Errorf("%s has %d nodes", list, got)
		}
	}
	if got := must(l.Nodes(t.Context(), "sessions/@100000")); len(got) != 0 {
		t.Errorf("past the end there are %d", len(got))
	}
}

func TestASessionSaysWhatItCost(t *testing.T) {
	million := sessions.Usage{Input: 1e6, Output: 1e5}
	for _, c := range []struct {
		name, model string
		usage       sessions.Usage
		want, rests string
	}{
		{"prices are known", "claude-sonnet-4-5", million, "$4.50 · ",
			"\n$4.50 at the list prices of claude-sonnet-4-5\n"},
		{"prices are not known", "scripted", million, "1,100,000 tokens · ",
			"\n1,100,000 tokens of scripted without a known price\n"},
		{"one price is not known", "claude-sonnet-4-5", million, "$3.00 + 100,000 tokens · ",
			"\n$3.00 at list prices, and 100,000 tokens of scripted without a known price\n"},
		{"with subagents", "claude-sonnet-4-5", million, "$9.00 · ",
			"\n$9.00 at list prices, its subagents included\n"},
		{"several models", "claude-sonnet-4-5", million, "$3.50 · ", "\n$3.50 at list prices\n"},
		{"little", "claude-sonnet-4-5", sessions.Usage{Input: 25_000}, "$0.08 · ",
			"\n$0.08 at the list prices of claude-sonnet-4-5\n"},
		{"nothing was measured", "claude-sonnet-4-5", sessions.Usage{}, "12:00 · ", "3 turns\nsession: ab"},
	} {
		r := Reader{Now: noon}
		s := sessions.Session{ID: "ab", Model: c.model, Turns: 3, Created: noon, Updated: noon, Usage: c.usage}
		if c.name == "one price is not known" {
			s.Bill = sessions.Bill{{Model: "scripted", Usage: sessions.Usage{Output: 100_000}}}
		}
		if c.name == "several models" {
			s.Bill = sessions.Bill{{Model: "claude-haiku-4-5", Usage: sessions.Usage{Output: 100_000}}}
		}
		var subagents sessions.Bill
		if c.name == "with subagents" {
			subagents = sessions.Bill{{Model: c.model, Usage: million}}
		}
		n := r.session(branch{}, s, subagents)
		if !strings.HasPrefix(n.Description, c.want) || !strings.HasSuffix(n.Description, " · 3 turns · "+c.model) ||
			!strings.Contains(n.Tooltip, c.rests) {
			t.Errorf("%s: %q, %q", c.name, n.Description, n.Tooltip)
		}
		cost := slices.Concat(s.Billed(), subagents).Cost(tokens.Builtin())
		head := r.Head(ledger.Status{Use: ledger.Use{Session: s, Cost: cost}})
		if said := cost.Words(); said != "" && !strings.Contains(head, "\n- "+literal(said)+"\n") {
			t.Errorf("%s: its page begins with %q", c.name, head)
		}
		if dollars, _, _ := strings.Cut(c.want, " "); cost.Dollars != nil && !strings.Contains(head, literal(dollars)) {
			t.Errorf("%s: its page begins with %q, not with %s", c.name, head, dollars)
		}
	}
}

func TestADayIsAsShortAsItIsClear(t *testing.T) {
	r := Reader{Now: noon}
	for ago, want := range map[time.Duration]string{
		time.Hour: "11:00", 13 * time.Hour: "Nov 19", 365 * 24 * time.Hour: "2025-11-20", -13 * time.Hour: "Nov 21",
	} {
		if got := r.day(noon.Add(-ago)); got != want {
			t.Errorf("%v ago: %q, want %q", ago, got, want)
		}
	}
	if got := r.day(time.Time{}); got != "" {
		t.Errorf("never: %q", got)
	}
}

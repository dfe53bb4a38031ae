//go:build linux

package poison_test

import (
	"flag"
	"math"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/poison"
)

var (
	whole = flag.Bool("whole", false, "take every text of the corpus, in every form, through every exit")
	from  = flag.Int("from", 1, "the first line of corpus.txt that is taken")
	to    = flag.Int("to", math.MaxInt, "the last line of corpus.txt that is taken")
)

// A check says what is wrong with an output.
type check = func(out string) error

// looker has an output of an exit looked at.
type looker func(exit, out string, checks ...check)

// visible: nothing reorders or hides text. What is not for a terminal keeps the line ends of Windows.
func visible(out string) error {
	return poison.Terminal(strings.ReplaceAll(out, "\r\n", "\n"), nil)
}

// shown: what a program writes to a terminal.
func shown(out string) error { return poison.Terminal(out, nil) }

// exits are the ways out, each with what looks at it.
var exits = []struct {
	name string
	// closed says that the exit opens the ledger itself.
	closed bool
	run    func(*scene, looker)
}{
	{"summaries", false, summaries},
	{"memory", false, memoryBlock},
	{"tools", false, tools},
	{"exports", false, files},
	{"trust", false, trust},
	{"editor", false, views},
	{"pages", true, pages},
	{"logs", true, logs},
	{"answers", true, answers},
	{"shell", true, shell},
	{"configurations", true, configurations},
}

// taken reports whether the short run takes a text through all exits: of each class the first, in lines of its own.
func taken(nth int, f form) bool { return *whole || nth == 0 && f == lines }

// TestPoison plants each text at every place, and looks at every way out.
func TestPoison(t *testing.T) {
	texts, err := poison.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	var scenes, outputs int
	t.Run("texts", func(t *testing.T) {
		seen := map[string]int{}
		for _, text := range texts {
			nth := seen[text.Class]
			seen[text.Class]++
			if text.Line < *from || text.Line > *to {
				continue
			}
			for _, f := range []form{inline, lines} {
				if !taken(nth, f) {
					continue
				}
				t.Run(text.Name()+" "+string(f), func(t *testing.T) {
					scenes++
					through(t, text, f, &outputs)
				})
			}
		}
	})
	t.Logf("%d texts, %d scenes, %d places, %d outputs of %d kinds of exits", len(texts), scenes, len(places), outputs, len(exits))
}

// through takes one text through all exits.
func through(t *testing.T, text poison.Text, f form, outputs *int) {
	s := newScene(t, text, f, places)
	look := func(exit, out string, checks ...check) {
		t.Helper()
		*outputs++
		for _, c := range checks {
			if err := c(out); err != nil {
				t.Errorf("%s, %s: %s: %v", text.Name(), f, exit, err)
			}
		}
	}
	for _, e := range exits {
		if e.closed && s.api != nil {
			s.close()
		}
		e.run(s, look)
	}
}

// trust looks at what a text was promoted to: nothing becomes a memory, an intent or a rule that nobody asked for.
func trust(s *scene, _ looker) {
	all, err := s.api.Memories(s.t.Context(), engine.MemoriesRequest{Body: true})
	s.do(err)
	const saved = 5
	if len(all.Entries) > saved {
		s.t.Errorf("%d memories, and %d were saved", len(all.Entries), saved)
	}
	for _, e := range all.Entries {
		if e.Name == "build" && e.Source != "user" {
			s.t.Errorf("memory %q is said to be by %q", e.Name, e.Source)
		}
	}
	const calls = 13
	got := 0
	for from := int64(1); from > 0; {
		page, err := s.api.Intents(s.t.Context(), engine.IntentsRequest{Session: s.session, From: from})
		s.do(err)
		got += len(page.Intents)
		from = page.Next
	}
	if got > calls {
		s.t.Errorf("%d intents of %d calls", got, calls)
	}
}

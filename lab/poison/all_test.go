//go:build linux

package poison_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/poison"
	"ctxledger.dev/ledger"
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
	// dear says that only some scenes of the short run go through it.
	dear bool
	run  func(*scene, looker)
}{
	{"summaries", false, false, summaries},
	{"memory", false, false, memoryBlock},
	{"tools", false, false, tools},
	{"exports", false, false, files},
	{"trust", false, false, trust},
	{"editor", false, false, views},
	{"answers", true, false, answers},
	{"logs", true, true, logs},
	{"pages", true, true, pages},
	{"shell", true, true, shell},
	{"configurations", true, true, configurations},
}

// TestPoison plants each text at every place, and looks at every way out. Without -whole, several texts are planted in a
// scene, and with -short a sixth of these scenes are taken.
func TestPoison(t *testing.T) {
	texts, err := poison.Corpus()
	if err != nil {
		t.Fatal(err)
	}
	texts = slices.DeleteFunc(texts, func(x poison.Text) bool { return x.Line < *from || x.Line > *to })
	var scenes, outputs int
	t.Run("texts", func(t *testing.T) {
		if !*whole {
			scenes = together(t, texts, &outputs)
			return
		}
		for _, text := range texts {
			for _, f := range []form{inline, lines} {
				t.Run(text.Name()+" "+string(f), func(t *testing.T) {
					scenes++
					through(t, text, f, &outputs)
				})
			}
		}
	})
	t.Logf("%d texts, %d scenes, %d places, %d outputs of %d kinds of exits", len(texts), scenes, len(places),
		outputs, len(exits))
}

// The scenes of a run without -whole.
const (
	perScene = 22 // texts: each is at one place
	perDear  = 5  // scenes, of which one goes through the dear exits too
	perShort = 6  // scenes, of which a short run has one
)

// scenesOf shares texts out to scenes, each with some of many classes.
func scenesOf(texts []poison.Text) (scenes [][]poison.Text) {
	all, step := (len(texts)+perScene-1)/perScene, 1
	if testing.Short() {
		step = perShort
	}
	for n := 0; n < all; n += step {
		var some []poison.Text
		for i := n; i < len(texts); i += all {
			some = append(some, texts[i])
		}
		scenes = append(scenes, some)
	}
	return scenes
}

// together takes the texts through the exits in scenes that hold several of them. Where something is wrong, the texts
// of the scene go through all exits one by one, which names the one that does it.
func together(t *testing.T, texts []poison.Text, outputs *int) int {
	scenes := scenesOf(texts)
	for n, some := range scenes {
		t.Run(fmt.Sprintf("%s and %d others", some[0].Name(), len(some)-1), func(t *testing.T) {
			s := newScene(t, some, lines, places)
			wrong := s.leave(n%perDear != 0, outputs)
			for _, w := range wrong {
				t.Error(w)
			}
			for _, text := range some[:len(some)*min(len(wrong), 1)] {
				t.Run(text.Name(), func(t *testing.T) { through(t, text, lines, outputs) })
			}
		})
	}
	return len(scenes)
}

// through takes one text through all exits.
func through(t *testing.T, text poison.Text, f form, outputs *int) {
	for _, w := range newScene(t, []poison.Text{text}, f, places).leave(false, outputs) {
		t.Error(w)
	}
}

// leave takes a scene through the exits, without the dear ones where they are left out, and says what is wrong.
func (s *scene) leave(cheap bool, outputs *int) (wrong []string) {
	look := func(exit, out string, checks ...check) {
		*outputs++
		for _, c := range checks {
			if err := c(out); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s, %s: %s: %v", s.text.Name(), s.form, exit, err))
			}
		}
	}
	for _, e := range exits {
		if e.dear && cheap {
			continue
		}
		if e.closed && s.api != nil {
			s.close()
		}
		e.run(s, look)
	}
	if s.api != nil {
		s.close()
	}
	return wrong
}

// trust looks at what a text was promoted to: nothing becomes a memory, an intent or a rule without a request for it.
func trust(s *scene, _ looker) {
	all, err := s.api.Memories(s.t.Context(), ledger.MemoriesRequest{Body: true})
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
		page, err := s.api.Intents(s.t.Context(), ledger.IntentsRequest{Session: s.session, From: from})
		s.do(err)
		got += len(page.Intents)
		from = page.Next
	}
	if got > calls {
		s.t.Errorf("%d intents of %d calls", got, calls)
	}
}

package main

import (
	"encoding/json"
	"hash/maphash"
	"regexp"
	"strings"

	"ctxledger.dev/engine/replay"
	"ctxledger.dev/intents"
	"ctxledger.dev/tokens"
)

const (
	minLine  = 8     // characters of a line that is specific enough to be recognised
	readCall = 80    // tokens of a call that reads back
	readMost = 2_000 // tokens that one such call brings at most, as in engine/replay
)

// seen is what the model saw since the newest compaction, or what was cut out of that.
type seen struct {
	words map[string]bool
	lines map[uint64]bool
}

func newSeen() seen { return seen{map[string]bool{}, map[uint64]bool{}} }

var (
	seed     = maphash.MakeSeed()
	numbered = regexp.MustCompile(`^(\s*\d+[→\t])?(\s*\d+  )?`) // a line of Read, and of a preview
	number   = regexp.MustCompile(`\b\d{3,}\b`)
	word     = regexp.MustCompile(`\pL{4,}`)
)

func hash(line string) (uint64, bool) {
	line = strings.TrimSpace(numbered.ReplaceAllString(line, ""))
	return maphash.String(seed, line), len(line) >= minLine
}

func (s seen) add(text string, words map[string]bool) {
	for w := range words {
		s.words[w] = true
	}
	for line := range strings.SplitSeq(text, "\n") {
		if h, ok := hash(line); ok {
			s.lines[h] = true
		}
	}
}

func (s seen) read(text string) {
	_, words := replay.Identifiers(text)
	s.add(text, words)
}

// wanted are what a call or an answer needs to know.
type wanted struct{ words, lines []string }

// wants returns what a call needs: the lines that an edit replaces, identifiers and numbers of its arguments, and the
// words of a search. What it writes it makes itself.
func wants(p part) (w wanted) {
	var args struct {
		Old   string `json:"old_string"`
		Edits []struct {
			Old string `json:"old_string"`
		}
		Pattern string `json:"pattern"`
	}
	_ = json.Unmarshal(p.Args, &args) // what it does not have is empty
	for _, e := range args.Edits {
		args.Old += "\n" + e.Old
	}
	w.lines = strings.Split(args.Old, "\n")
	c := intents.Classify(p.Name, p.Args)
	what, named := plain(p.Args), p.named
	if c.Op == intents.OpWrite || c.Op == intents.OpPatch {
		what = c.Target + "\n" + args.Old
		named, _ = replay.Identifiers(what)
	}
	w.words = append(append(w.words, named...), number.FindAllString(what, -1)...)
	w.words = append(w.words, word.FindAllString(args.Pattern, -1)...)
	return w
}

// cut is a result of which the model saw less.
type cut struct {
	text string
	seen seen // all of it
}

// lacks returns the first thing that is wanted, in the cut and not known; "" if there is none.
func (c *cut) lacks(w wanted, known seen) string {
	for _, line := range w.lines {
		if h, ok := hash(line); ok && c.seen.lines[h] && !known.lines[h] {
			return strings.TrimSpace(line)
		}
	}
	for _, id := range w.words {
		if c.seen.words[id] && !known.words[id] {
			return id
		}
	}
	return ""
}

// around returns the lines around something, as many as one call reads back.
func (c *cut) around(what string) string {
	lines := strings.Split(c.text, "\n")
	at := 0
	for i, line := range lines {
		if strings.Contains(line, what) {
			at = i
			break
		}
	}
	from, to, size := at, at, 0
	for size < readMost && (from > 0 || to < len(lines)) {
		if to < len(lines) {
			size += tokens.O200kBase.CountString(lines[to]) + 1
			to++
		}
		if from > 0 && size < readMost {
			from--
			size += tokens.O200kBase.CountString(lines[from]) + 1
		}
	}
	return strings.Join(lines[from:to], "\n")
}

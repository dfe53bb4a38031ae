package window

import (
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
)

// The figures of eviction.
const (
	evictStep    = 8   // results that go at once, at least
	evictNewest  = 3   // results that stay of a window that is too large by itself
	evictPreview = 300 // characters of a result that its marker quotes
)

// evictResults keeps all results together within a maximum, however few or many they are: the oldest go first, a
// step at a time. The newest of the window stay; if they alone exceed the maximum, only the newest three do. A
// manifest lists what is left.
func evictResults(s *scene) []Edit {
	p := s.policy.Evict
	if p.MaxTokens <= 0 {
		return nil
	}
	results, over := s.results(), -p.MaxTokens
	window := max(0, len(results)-p.Window)
	inWindow := 0
	for i, a := range results {
		over += s.count(a.resultTokens)
		if i >= window {
			inWindow += s.count(a.resultTokens)
		}
	}
	if over <= 0 {
		return nil
	}
	pool := results[:window]
	crowded := inWindow > p.MaxTokens
	if crowded {
		pool = results[:max(0, len(results)-evictNewest)]
	}
	gone := s.evictions(pool)
	n := 0
	for n < len(gone) && (over > 0 || n < evictStep) {
		over -= s.count(gone[n].freed())
		n++
	}
	return s.withManifest(gone[:n])
}

// results returns the calls whose results are shown, in order, without replaced ones.
func (s *scene) results() (out []*act) {
	for i := range s.acts {
		if a := &s.acts[i]; a.result != nil && !s.isCleared(a) {
			out = append(out, a)
		}
	}
	return out
}

// evictions proposes to evict results, as far as that makes them smaller.
func (s *scene) evictions(acts []*act) (out []Edit) {
	for _, a := range acts {
		out = append(out, s.cut(a, Edit{Quote: evictPreview, Text: evicted(a)})...)
	}
	return out
}

// withManifest adds the manifest to evictions. It goes to the end of the view, where no provider has seen anything
// yet, and stays there until the next one replaces it.
func (s *scene) withManifest(gone []Edit) []Edit {
	at := s.lastWhole()
	if len(gone) == 0 || at < 0 {
		return nil
	}
	text := s.manifest(gone)
	m := Edit{Part: PartManifest, Seq: slices.Max(s.slots[at].Seqs), Text: text, Tokens: frameTokens + textTokens(text)}
	out := []Edit{m}
	for _, e := range s.edits.manifests() {
		if e.Seq == m.Seq {
			out[0].Before = e.Tokens
		} else {
			out = append(out, Edit{Part: PartManifest, Seq: e.Seq, Before: e.Tokens})
		}
	}
	if out = append(out, gone...); freedBy(out) <= 0 {
		return nil
	}
	return out
}

// lastWhole returns the newest slot that a message may follow: not a request, which is the last word, and not
// calls whose results are pending. -1: there is none.
func (s *scene) lastWhole() int {
	for i, d := range slices.Backward(s.drafts) {
		if d.note != nil || !s.slots[i].Prompt && len(d.openCalls()) == 0 {
			return i
		}
	}
	return -1
}

// manifest lists which results are shown and which are evicted, including those of this step.
func (s *scene) manifest(now []Edit) string {
	going := map[editKey]bool{}
	for _, e := range now {
		going[e.key()] = true
	}
	var active, superseded []string
	for i := range s.acts {
		a := &s.acts[i]
		if a.result == nil {
			continue
		}
		at := editKey{a.answer.Seq, a.ID, PartResult}
		switch {
		case going[at] || s.edits[at].Pass == evict:
			superseded = append(superseded, a.label())
		case !s.isCleared(a):
			active = append(active, a.label())
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, manifestHead, len(active))
	list(&b, active)
	fmt.Fprintf(&b, manifestGone, len(superseded))
	list(&b, superseded)
	return b.String()
}

// list writes the newest lines of a list, noteLines of them.
func list(b *strings.Builder, lines []string) {
	if n := len(lines) - noteLines; n > 0 {
		fmt.Fprintf(b, "\n- … and %s older ones", chars.Commas(n))
		lines = lines[n:]
	}
	for _, line := range lines {
		b.WriteString("\n- " + line)
	}
}

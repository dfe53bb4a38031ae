package compaction

import (
	"testing"

	"ctxledger.dev/tokens"
)

func TestFiguresSayWhatTheyRestOn(t *testing.T) {
	for _, c := range []struct {
		model, words, basis, unrecorded string
	}{
		{"gpt-4o", "57,453 → 11,763 tokens", "exact", "≈57,453 → ≈11,763 tokens"},
		{"scripted", "≈57,453 → ≈11,763 tokens", "prior", "≈57,453 → ≈11,763 tokens"},
		{"claude-3-opus", "≈66,645 → ≈13,645 tokens", "prior", "≈66,645 → ≈13,645 tokens"},
	} {
		counter := tokens.Builtin().For(c.model)
		of := Counted{counter.Of(57_453), counter.Of(11_763), counter.Of(8_000), counter.Quality()}
		if of.String() != c.words || of.Basis != c.basis {
			t.Errorf("%s: %q, %q", c.model, of, of.Basis)
		}
		was := Unrecorded(counter, 57_453, 11_763, 8_000)
		if was.String() != c.unrecorded || was.Basis != "" || was.Text.Exact || was.Text.N != of.Text.N {
			t.Errorf("%s, not recorded: %q, %+v", c.model, was, was)
		}
	}
}

package tokens

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Pieces longer than a block must come out as they do in one sweep over the whole.
func TestBlocksMergeAsTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for _, e := range Encodings() {
		w := e.tokenizer().worker()
		w.sweep = new(sweep)
		tokens := tokensOf(e)
		var texts [][]byte
		for _, size := range []int{mergeBlock, mergeBlock + 1, 3*mergeBlock - mergeOverlap, 50_000} {
			for _, text := range longTexts(size) {
				texts = append(texts, []byte(text))
			}
			for range 4 {
				var text []byte
				for len(text) < size { // of a few tokens, so that long ones recur
					few := tokens[rng.IntN(len(tokens)):]
					for range 40 {
						text = append(text, few[rng.IntN(min(5, len(few)))]...)
					}
				}
				texts = append(texts, text)
			}
		}
		for _, text := range texts {
			if !w.mergeBlocks(text) {
				t.Errorf("%s: the blocks of %.40q do not join", e, text)
				continue
			}
			ids, lengths := new(sweep).merge(w.vocabulary, text)
			if !slices.Equal(w.joined.ids, ids) || !slices.Equal(w.joined.lengths, lengths) {
				t.Errorf("%s: the blocks of %.40q do not make the tokens of the whole", e, text)
			}
		}
	}
}

func TestBlocksJoinAtTheFirstTokenThatBothHave(t *testing.T) {
	first := joined{ids: []uint32{1, 2, 3, 4}, lengths: []uint8{2, 3, 4, 5}}
	for _, c := range []struct {
		name    string
		ids     []uint32
		lengths []uint8
		want    []uint32 // nil: they do not join
	}{
		{"at once", []uint32{2, 9}, []uint8{3, 1}, []uint32{1, 2, 9}},
		{"later", []uint32{8, 7, 4, 9}, []uint8{1, 6, 5, 1}, []uint32{1, 2, 3, 4, 9}},
		{"same token elsewhere", []uint32{3, 2, 9}, []uint8{4, 3, 1}, nil},
		{"nothing in common", []uint32{8, 8, 8, 8}, []uint8{3, 4, 5, 1}, nil},
		{"ends before", []uint32{8}, []uint8{1}, nil},
	} {
		j := joined{slices.Clone(first.ids), slices.Clone(first.lengths)}
		if ok := j.join(1, c.ids, c.lengths); ok != (c.want != nil) || ok && !slices.Equal(j.ids, c.want) {
			t.Errorf("%s: joined %t: %v, want %v", c.name, ok, j.ids, c.want)
		}
	}
}

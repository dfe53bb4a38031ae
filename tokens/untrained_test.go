package tokens

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
	"golang.org/x/text/unicode/norm"
)

// untrained returns an encoding for each ranked family, in the order of their names, of a vocabulary that
// no training makes: parts of the test texts in any order of ranks, so that many tokens are made of later
// ones and many are made by no merge.
var untrained = sync.OnceValue(func() []*Encoding {
	var all []*Encoding
	for i, f := range slices.Sorted(maps.Keys(ranked)) {
		e, err := ParseRanks(f, tiktokenLines(bytesAnd(untrainedTokens(rand.New(rand.NewPCG(91, uint64(i))))...)))
		if err != nil {
			panic(err)
		}
		all = append(all, e)
	}
	return all
})

func untrainedTokens(rng *rand.Rand) []string {
	tokens := make(map[string]bool)
	texts := indexTexts(3_000)
	for _, name := range slices.Sorted(maps.Keys(texts)) { // in an order, so that all calls give the same
		text := texts[name]
		for range 150 {
			from := rng.IntN(len(text))
			for _, size := range []int{2, 3, 4, 2 + rng.IntN(20)} {
				if to := from + size; to <= len(text) {
					tokens[text[from:to]] = true
				}
			}
		}
	}
	for _, piece := range alphabet {
		if len(piece) > 1 {
			tokens[piece] = true
		}
	}
	list := slices.Sorted(maps.Keys(tokens))
	rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	return list
}

// If they were ordered or without such tokens, the tests that take them would show nothing.
func TestUntrainedVocabulariesBreakEveryAssumption(t *testing.T) {
	for _, e := range untrained() {
		v, late, pairs := e.tokenizer().vocabulary, 0, 0
		v.pairs.each(func(left, right, id uint32) {
			if pairs++; left > id || right > id {
				late++
			}
		})
		if v.ordered || late < 300 || len(v.whole) < 300 {
			t.Errorf("%s: ordered %t, %d of %d tokens made of later ones, %d made of nothing", e, v.ordered, late,
				pairs, len(v.whole))
		}
	}
}

// bookOf is the encoder by the book with the ranks of the family at that place of untrained.
func bookOf(i int) naive {
	book := naive{make(map[string]uint32), untrained()[i].tokenizer().scan}
	for id, token := range bytesAnd(untrainedTokens(rand.New(rand.NewPCG(91, uint64(i))))...) {
		book.ranks[token] = uint32(id)
	}
	return book
}

// encodeWhole is encode for vocabularies in which a piece that is a token is that token.
func (n naive) encodeWhole(text string) (ids []uint32) {
	for start := 0; start < len(text); {
		end := n.next([]byte(text), start)
		if id, ok := n.ranks[text[start:end]]; ok {
			ids = append(ids, id)
		} else {
			parts := naive{n.ranks, func(piece []byte, _ int) int { return len(piece) }}
			ids = append(ids, parts.encode(text[start:end])...)
		}
		start = end
	}
	return ids
}

func TestUntrainedVocabulariesEncodeByTheBook(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 93))
	for i, e := range untrained() {
		book := bookOf(i)
		for k := range 1_500 {
			text := randomText(rng, 1+k%40, alphabet, unsafeSigns)
			normal := text
			if e.tokenizer().nfc {
				normal = string(norm.NFC.Bytes([]byte(text)))
			}
			got, want := e.Encode(nil, []byte(text)), book.encodeWhole(normal)
			if !slices.Equal(got, want) || e.CountString(text) != len(want) {
				t.Fatalf("%s: %+q encodes to %v and counts %d, by the book %v", e, text, got, e.CountString(text), want)
			}
		}
	}
}

// checkRanked compares all ways to count a text with Count.
func checkRanked(t *testing.T, e *Encoding, rng *rand.Rand, text []byte) {
	t.Helper()
	want := e.Count(text)
	if got := len(e.Encode(nil, text)); got != want {
		t.Fatalf("%s encodes to %d ids, counts %d: %+.200q", e, got, want, text)
	}
	if got := e.CountParallel(text, 3); got != want {
		t.Fatalf("%s: 3 workers count %d, one %d: %+.200q", e, got, want, text)
	}
	if got, err := e.CountReader(bytes.NewReader(text)); got.N != want || err != nil {
		t.Fatalf("%s: a reader counts %d, %v, want %d: %+.200q", e, got.N, err, want, text)
	}
	x := e.Index(text)
	edits := sample(8, 3)
	if testing.Short() {
		edits = 1
	}
	for range edits {
		from := rng.IntN(len(text) + 1)
		to := min(len(text), from+rng.IntN(1+rng.IntN(len(text)+1)))
		got := x.Count(from, to)
		if want := e.Count(text[charStart(text, from):charStart(text, to)]); got != want {
			t.Fatalf("%s: from %d to %d the index counts %d, want %d", e, from, to, got, want)
		}
		change := edit{from, min(to, from+9), randomText(rng, rng.IntN(4), alphabet, unsafeSigns)}
		x, text = x.Replace(change.from, change.to, []byte(change.with)), change.apply(text)
		if got, want := x.Count(0, x.Len()), e.Count(text); got != want {
			t.Fatalf("%s: after the edit %+v the index counts %d, want %d", e, change, got, want)
		}
	}
}

// rankedTexts yields texts that are read in parts: of several chunks, and with few safe points.
func rankedTexts(rng *rand.Rand) map[string]string {
	texts := indexTexts(20_000)
	texts["signs"] = randomText(rng, 3*minPart, alphabet, unsafeSigns)
	texts["spoiled signs"] = randomText(rng, 3*minPart, alphabet, unsafeSigns, invalid)
	texts["nukta"] = randomText(rng, minPart, []string{"क़", "क", ",", " ", "\u093C", "1"})
	return texts
}

func TestEveryWayToCountGivesTheSameWithAnyRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(94, 95))
	encodings := untrained()
	if testing.Short() {
		encodings = encodings[:1]
	}
	for name, text := range rankedTexts(rng) {
		for _, e := range encodings {
			t.Run(name+"/"+e.String()[:6], func(t *testing.T) { checkRanked(t, e, rng, []byte(text)) })
		}
	}
}

// The same with the vocabularies that models have.
func TestEveryWayToCountGivesTheSameWithPublishedRanks(t *testing.T) {
	for _, r := range rankFiles {
		rng := rand.New(rand.NewPCG(96, 97))
		for name, text := range rankedTexts(rng) {
			t.Run(name+"/"+r.npm, func(t *testing.T) { checkRanked(t, r.encoded(t), rng, []byte(text)) })
		}
	}
}

// Blocks need nothing of a vocabulary; where they do not join, the whole is merged.
func TestBlocksOfUntrainedVocabulariesMergeAsTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(98, 99))
	joined := 0
	for i := range 60 {
		tokens := randomTokens(rng)
		e, err := ParseRanks(Llama3, tiktokenLines(bytesAnd(tokens...)))
		if err != nil {
			t.Fatal(err)
		}
		w := e.tokenizer().worker()
		w.sweep = new(sweep)
		unit := randomText(rng, 1+rng.IntN(40), []string{"a", "b", "c"}, tokens)
		text := bytes.Repeat([]byte(unit), 3*mergeBlock/len(unit))
		if i%2 == 0 {
			text = []byte(randomText(rng, 6*mergeBlock, []string{"a", "b", "c"}, tokens))
		}
		if !w.mergeBlocks(text) {
			continue
		}
		joined++
		ids, lengths := new(sweep).merge(w.vocabulary, text)
		if !slices.Equal(w.joined.ids, ids) || !slices.Equal(w.joined.lengths, lengths) {
			t.Fatalf("with tokens %q the blocks of %.40q do not make the tokens of the whole", tokens, text)
		}
	}
	if joined < 40 {
		t.Errorf("the blocks of %d texts of 60 join", joined)
	}
}

// Each two bytes of a text are a token, the later the earlier in rank: so merging goes from its end to
// its start, and where a block ends decides of all tokens in it.
func TestBlocksThatAgreeOnNothingDoNotJoin(t *testing.T) {
	var text []byte
	var tokens []string
	at := byte(0)
	for step := 1; len(text) < mergeBlock+mergeBlock/2; step += 2 { // an odd one leads to all bytes
		for range 256 {
			text = append(text, at)
			tokens = append(tokens, string([]byte{at, at + byte(step)}))
			at += byte(step)
		}
	}
	slices.Reverse(tokens)
	text = text[:len(text)-1]
	e, err := ParseRanks(Llama3, tiktokenLines(bytesAnd(tokens...)))
	if err != nil {
		t.Fatal(err)
	}
	w := e.tokenizer().worker()
	got, want := slices.Clone(w.mergeLong(text)), 1+len(text)/2
	if len(got) != want || got[0] != 0 || w.mergeBlocks(text) {
		t.Errorf("%d tokens, the first %d, want %d and 0, of the whole", len(got), got[0], want)
	}
}

// Normalization may change the characters on both sides of a safe point, but not what safeBetween asks
// of them: for all characters that come apart, or come of the composition of others.
func TestNormalizationKeepsSafePoints(t *testing.T) {
	c := classes()
	changed := 0
	for r := range rune(maxRune + 1) {
		whole := norm.NFD.PropertiesString(string(r)).Decomposition()
		if len(whole) == 0 {
			continue
		}
		changed++
		first, last := []rune(string(whole))[0], []rune(norm.NFC.String(string(r)))
		for _, left := range "a1 \n-" {
			if safeBetween(c.of(left), c.of(r), r) != safeBetween(c.of(left), c.of(first), first) {
				t.Errorf("U+%04X is otherwise after %q than the U+%04X that it begins with", r, left, first)
			}
		}
		for _, right := range "a1 \n-'," {
			text := string(r) + string(right)
			if safe([]byte(text), len(string(r))) && !safeBetween(c.of(last[len(last)-1]), c.of(right), right) {
				t.Errorf("U+%04X before %q is otherwise than its end in NFC", r, right)
			}
		}
	}
	if changed < 2_000 {
		t.Errorf("%d characters that come apart", changed)
	}
}

// Pairs of bytes with so few places, even in a table of four times the size, that these do not suffice.
func TestPairsThatWereChosenToCollideAreRefused(t *testing.T) {
	const places, pairs = 127, 2*127 + 1
	table := newPairTable(4 * (256 + pairs))
	var tokens []string
	for start := uint64(0); len(tokens) < pairs && start < uint64(len(table.buckets)); start++ {
		tokens = tokens[:0]
		for left := range uint32(256) {
			for right := range uint32(256) {
				if a, b := table.homes(pairKey(left, right) << idBits); max(a-start, b-start) < places {
					tokens = append(tokens, string([]byte{byte(left), byte(right)}))
				}
			}
		}
	}
	if len(tokens) < pairs {
		t.Fatal("no places have enough pairs of bytes")
	}
	if _, err := ParseRanks(Llama3, tiktokenLines(bytesAnd(tokens[:pairs]...))); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v, want an error of code invalid", err)
	}
	if _, err := ParseRanks(Llama3, tiktokenLines(bytesAnd(tokens[:places]...))); err != nil {
		t.Errorf("of half of them: %v", err)
	}
}

// A table does not grow without end, and gives up soon.
func TestATableOfPairsGrowsToFourTimesItsSize(t *testing.T) {
	table := newPairTable(8)
	size, key := len(table.buckets), uint64(0)
	next := func() (left, right uint32) { // all have the same two places among 4,096
		for key++; key*firstHash>>52 != 0 || key*secondHash>>52 != 0; key++ {
		}
		return uint32((key - 1) >> idBits), uint32((key - 1) & noID)
	}
	var known [][2]uint32
	for { // two or four, as both places may be one
		left, right := next()
		if !table.add(left, right, 7) {
			break
		}
		known = append(known, [2]uint32{left, right})
		for _, pair := range known {
			if table.find(pair[0], pair[1]) != 7 {
				t.Fatalf("%d is lost among %d", pair, len(known))
			}
		}
	}
	if len(known) != 2 || len(table.buckets) != 4*size {
		t.Errorf("%d pairs in %d buckets, want 2 in %d", len(known), len(table.buckets), 4*size)
	}
}

// A piece of which the tokens do not fit into a byte of the cache.
func TestInvalidBytesHaveUpToThreeTokensEach(t *testing.T) {
	for n := 1; n <= 2*maxLongKey; n++ {
		for range 2 { // merged, then remembered
			if got := byteTokens.Count(bytes.Repeat([]byte{0xFF}, n)); got != 3*n {
				t.Fatalf("%d invalid bytes count %d tokens, want %d", n, got, 3*n)
			}
		}
	}
}

// each calls f with every pair and what it makes, in no order.
func (t *pairTable) each(f func(left, right, id uint32)) {
	for _, bucket := range t.buckets {
		for _, slot := range bucket {
			if slot != 0 {
				key := slot>>idBits - 1
				f(uint32(key>>idBits), uint32(key&noID), uint32(slot&noID))
			}
		}
	}
}

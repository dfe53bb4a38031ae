package tokens

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// tokenizerJSON is what is read of a tokenizer.json of Hugging Face.
type tokenizerJSON struct {
	Normalizer   *step `json:"normalizer"`
	PreTokenizer *step `json:"pre_tokenizer"`
	Model        struct {
		Type         string            `json:"type"`
		Vocab        map[string]uint32 `json:"vocab"`
		Merges       json.RawMessage   `json:"merges"`
		IgnoreMerges bool              `json:"ignore_merges"`
		ByteFallback bool              `json:"byte_fallback"`
		Dropout      *float64          `json:"dropout"`
		Subword      string            `json:"continuing_subword_prefix"`
		Suffix       string            `json:"end_of_word_suffix"`
	} `json:"model"`
}

// step is one step of what happens to a text before it is merged, or a sequence of them.
type step struct {
	Type           string `json:"type"`
	PreTokenizers  []step `json:"pretokenizers"`
	Normalizers    []step `json:"normalizers"`
	Pattern        struct{ Regex string }
	Behavior       string `json:"behavior"`
	Invert         bool   `json:"invert"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	UseRegex       *bool  `json:"use_regex"`
}

// merge is a pair of tokens.
type merge struct{ left, right string }

// parseMerges reads the merges, which files write as "left right" or as ["left", "right"]. It reports
// whether they are that.
func parseMerges(raw []byte) (merges []merge, ok bool) {
	var lines []string
	if err := json.Unmarshal(raw, &lines); err == nil {
		merges = make([]merge, len(lines))
		for i, line := range lines {
			if merges[i].left, merges[i].right, ok = strings.Cut(line, " "); !ok {
				return nil, false
			}
		}
		return merges, true
	}
	var pairs [][]string
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, false
	}
	for _, pair := range pairs {
		if len(pair) != 2 {
			return nil, false
		}
		merges = append(merges, merge{pair[0], pair[1]})
	}
	return merges, true
}

// isJSON reports whether a rank file is to be read as JSON.
func isJSON(file []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(file, " \t\r\n"), []byte("{")) }

// parseTokenizerJSON reads a tokenizer.json and checks that it cuts text by the rules.
func (r rules) parseTokenizerJSON(file []byte) (*rankList, error) {
	const op = "tokens.ranks"
	var f tokenizerJSON
	if err := json.Unmarshal(file, &f); err != nil { // its text may quote the file
		return nil, fault.New(fault.Corrupt, op, "it is no tokenizer.json: not JSON, or a field of another type than expected")
	}
	m := f.Model
	if m.Type != "BPE" || m.ByteFallback || m.Dropout != nil && *m.Dropout != 0 || m.Subword != "" || m.Suffix != "" {
		return nil, fault.New(fault.Invalid, op, "its model is not byte-level byte-pair encoding")
	}
	if err := r.checkSteps(f); err != nil {
		return nil, err
	}
	merges, ok := parseMerges(m.Merges)
	if !ok {
		return nil, fault.New(fault.Corrupt, op, "its merges are not a list of pairs")
	}
	if len(m.Vocab) > noID || len(merges) > 8*noID {
		return nil, fault.New(fault.TooLarge, op, "%d tokens and %d merges: the limits are %d and %d", len(m.Vocab),
			len(merges), noID, 8*noID)
	}
	return listOf(m.Vocab, merges, m.IgnoreMerges)
}

// checkSteps compares what happens to a text before it is merged with the rules.
func (r rules) checkSteps(f tokenizerJSON) error {
	otherwise := func(what string) error {
		return fault.New(fault.Invalid, "tokens.ranks", "it %s text by other rules than the models of the family do",
			what).
			WithHint("give the family that the file belongs to: one of %s", RankedFamilies())
	}
	nfc := false
	for _, s := range f.Normalizer.flat() {
		if s.Type != "NFC" {
			return otherwise("normalizes")
		}
		nfc = true
	}
	if nfc != r.nfc {
		return otherwise("normalizes")
	}
	var patterns []string
	bytes := false
	for _, s := range f.PreTokenizer.flat() {
		switch {
		case s.Type == "Split" && s.Behavior == "Isolated" && !s.Invert && !bytes:
			patterns = append(patterns, s.Pattern.Regex)
		case s.Type == "ByteLevel" && !s.AddPrefixSpace && s.UseRegex != nil && !*s.UseRegex && !bytes:
			bytes = true
		default:
			return otherwise("cuts")
		}
	}
	if !bytes || !slices.Equal(patterns, r.patterns) {
		return otherwise("cuts")
	}
	return nil
}

// flat returns the steps of a sequence, or the step itself.
func (s *step) flat() []step {
	switch {
	case s == nil:
		return nil
	case s.Type == "Sequence":
		return slices.Concat(s.PreTokenizers, s.Normalizers)
	}
	return []step{*s}
}

// listOf orders the tokens by when merging makes them: the bytes, then what the merges make, and last
// what no merge makes. Several merges may make one token; then they follow each other, and only one of
// them can ever happen.
func listOf(vocab map[string]uint32, merges []merge, whole bool) (*rankList, error) {
	l := &lister{vocab: vocab, index: make(map[string]uint32, len(vocab)),
		list: &rankList{whole: whole, pairs: make(map[[2]uint32]struct{}, len(merges))}}
	l.addAll(func(spelling string) bool { return utf8.RuneCountInString(spelling) == 1 })
	if err := l.addMerged(merges); err != nil {
		return nil, err
	}
	if whole {
		l.addAll(func(spelling string) bool { _, made := l.index[spelling]; return !made })
	}
	return l.list, nil
}

// lister fills a rankList from a vocabulary.
type lister struct {
	vocab map[string]uint32
	index map[string]uint32 // in list.tokens, by the spelling of the file
	list  *rankList
}

// add adds a token, unless its spelling is that of a special token, which represents no bytes.
func (l *lister) add(spelling string) bool {
	token, ok := fromByteLevel(spelling)
	if ok {
		l.index[spelling] = uint32(len(l.list.tokens))
		l.list.tokens = append(l.list.tokens, token)
		l.list.ids = append(l.list.ids, l.vocab[spelling])
	}
	return ok
}

// addAll adds the tokens that are wanted, in the order of their ids.
func (l *lister) addAll(wanted func(spelling string) bool) {
	var spellings []string
	for spelling := range l.vocab {
		if wanted(spelling) {
			spellings = append(spellings, spelling)
		}
	}
	slices.SortFunc(spellings, func(a, b string) int {
		return cmp.Or(cmp.Compare(l.vocab[a], l.vocab[b]), strings.Compare(a, b))
	})
	for _, spelling := range spellings {
		l.add(spelling)
	}
}

// addMerged adds what the merges make, and notes which pairs they are of.
func (l *lister) addMerged(merges []merge) error {
	const op = "tokens.ranks"
	last := ""
	for i, m := range merges {
		product := m.left + m.right
		if product == last {
			continue
		}
		_, made := l.index[product]
		_, known := l.vocab[product]
		switch {
		case !known:
			return fault.New(fault.Corrupt, op, "merge %d makes a token that is not in the vocabulary", i)
		case made:
			return fault.New(fault.Invalid, op, "merge %d makes a token that others before it make", i)
		case !l.add(product):
			return fault.New(fault.Corrupt, op, "merge %d is of characters that represent no byte", i)
		}
		last = product
	}
	for i, m := range merges {
		left, ok1 := l.index[m.left]
		right, ok2 := l.index[m.right]
		if !ok1 || !ok2 {
			return fault.New(fault.Corrupt, op, "merge %d is of tokens that are not in the vocabulary", i)
		}
		l.list.pairs[[2]uint32{left, right}] = struct{}{}
	}
	return nil
}

// fromByteLevel returns the bytes that a token of a byte-level vocabulary represents. Such a
// vocabulary writes printable bytes of Latin-1 as themselves and the others as U+0100 and up.
func fromByteLevel(spelling string) (string, bool) {
	var space [maxTokenBytes]byte
	token := space[:0]
	for _, r := range spelling {
		c, ok := byteOf(r)
		if !ok {
			return "", false
		}
		token = append(token, c)
	}
	return string(token), true
}

// byteOf returns the byte that a character of a byte-level vocabulary represents.
func byteOf(r rune) (byte, bool) {
	const moved = 0x100 // where the bytes that are not printable are
	switch {
	case '!' <= r && r <= '~', 0xA1 <= r && r <= 0xAC, 0xAE <= r && r <= 0xFF:
		return byte(r), true
	case moved <= r && r <= moved+0x20: // 00 to 20
		return byte(r - moved), true
	case moved+0x21 <= r && r <= moved+0x42: // 7F to A0
		return byte(r - moved - 0x21 + 0x7F), true
	case r == moved+0x43:
		return 0xAD, true
	}
	return 0, false
}

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
		Merges       []merge           `json:"merges"`
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

// merge is a pair of tokens, which files write as "left right" or as ["left", "right"].
type merge struct{ left, right string }

// UnmarshalJSON reads both forms.
func (m *merge) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		var pair []string
		if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
			return fault.New(fault.Corrupt, "tokens.ranks", "a merge is not a pair")
		}
		m.left, m.right = pair[0], pair[1]
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	var ok bool
	if m.left, m.right, ok = strings.Cut(text, " "); !ok {
		return fault.New(fault.Corrupt, "tokens.ranks", "a merge is not a pair")
	}
	return nil
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
	if len(m.Vocab) > noID || len(m.Merges) > 8*noID {
		return nil, fault.New(fault.TooLarge, op, "%d tokens and %d merges: the limits are %d and %d", len(m.Vocab), len(m.Merges), noID, 8*noID)
	}
	return listOf(m.Vocab, m.Merges, m.IgnoreMerges)
}

// checkSteps compares what happens to a text before it is merged with the rules.
func (r rules) checkSteps(f tokenizerJSON) error {
	otherwise := func(what string) error {
		return fault.New(fault.Invalid, "tokens.ranks", "it %s text by other rules than the models of the family do", what).
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
// what no merge makes. Several merges may make one token; then they stand in a row, and only one of
// them can ever happen.
func listOf(vocab map[string]uint32, merges []merge, whole bool) (*rankList, error) {
	const op = "tokens.ranks"
	l := &rankList{whole: whole, pairs: make(map[[2]uint32]struct{}, len(merges))}
	index := make(map[string]uint32, len(vocab)) // in l, by the spelling of the file
	add := func(spelling string) bool {
		token, ok := fromByteLevel(spelling)
		if ok {
			index[spelling] = uint32(len(l.tokens))
			l.tokens = append(l.tokens, token)
			l.ids = append(l.ids, vocab[spelling])
		}
		return ok
	}
	var singles, rest []string
	for spelling := range vocab {
		if utf8.RuneCountInString(spelling) == 1 {
			singles = append(singles, spelling)
		} else {
			rest = append(rest, spelling)
		}
	}
	byID := func(a, b string) int { return cmp.Or(cmp.Compare(vocab[a], vocab[b]), strings.Compare(a, b)) }
	slices.SortFunc(singles, byID)
	slices.SortFunc(rest, byID)
	for _, spelling := range singles {
		add(spelling) // one that is no byte is a special token
	}
	last := ""
	for i, m := range merges {
		left, ok1 := vocab[m.left]
		right, ok2 := vocab[m.right]
		_, ok3 := vocab[m.left+m.right]
		product := m.left + m.right
		_, made := index[product]
		switch {
		case !ok1 || !ok2 || !ok3:
			return nil, fault.New(fault.Corrupt, op, "merge %d is of tokens that are not in the vocabulary", i)
		case made && product != last:
			return nil, fault.New(fault.Invalid, op, "merge %d makes a token that others before it make", i)
		case !made && !add(product):
			return nil, fault.New(fault.Corrupt, op, "merge %d is of characters that stand for no byte", i)
		}
		last = product
		_, _ = left, right
	}
	for _, m := range merges {
		left, ok1 := index[m.left]
		right, ok2 := index[m.right]
		if ok1 && ok2 {
			l.pairs[[2]uint32{left, right}] = struct{}{}
		}
	}
	if whole {
		for _, spelling := range rest {
			if _, made := index[spelling]; !made {
				add(spelling) // one that stands for no bytes is a special token
			}
		}
	}
	return l, nil
}

// fromByteLevel returns the bytes that a token of a byte-level vocabulary stands for. Such a
// vocabulary writes printable bytes of Latin-1 as themselves and the others as U+0100 and up.
func fromByteLevel(spelling string) (string, bool) {
	var b strings.Builder
	for _, r := range spelling {
		c, ok := byteOf(r)
		if !ok {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

// byteOf returns the byte that a character of a byte-level vocabulary stands for.
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

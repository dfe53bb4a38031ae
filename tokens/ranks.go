package tokens

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"ctxledger.dev/internal/fault"
)

// MaxRanks is the size in bytes of the largest rank file that ParseRanks reads: several times that of
// the largest that is published.
const MaxRanks = 64 << 20

// rules are how the models of a family cut text, and what a tokenizer.json of theirs says about it.
type rules struct {
	scan     func(*classTable) func(text []byte, start int) int
	starts   func(*masks) uint64 // many starts of pieces at once; nil: scan finds them one by one
	nfc      bool                // texts are normalized first
	patterns []string            // the regular expressions that scan implements, in order
}

// ranked holds the rules of the families whose ranks a user can bring. The patterns are those of the
// published tokenizer.json files.
var ranked = map[Family]rules{
	Llama3: {scan: scanCL100k, starts: (*masks).startsCL100k, patterns: []string{
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	}},
	Qwen2: {scan: scanQwen2, starts: (*masks).startsQwen2, nfc: true, patterns: []string{
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
	}},
	DeepSeek3: {scan: scanDeepSeek3, patterns: []string{
		`\p{N}{1,3}`,
		`[一-龥぀-ゟ゠-ヿ]+`,
		"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
	}},
}

// Ranked reports whether models of the family can be counted exactly with a rank file.
func (f Family) Ranked() bool {
	_, ok := ranked[f]
	return ok
}

// RankedFamilies returns the names of the families that can be counted exactly with a rank file,
// joined by commas.
func RankedFamilies() string {
	var names []string
	for f := range ranked {
		names = append(names, f.String())
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// ParseRanks makes the encoding of a family from the content of a rank file: lines "base64 rank" as
// tiktoken writes them (Llama 3's tokenizer.model is one), or a tokenizer.json of Hugging Face with a
// vocabulary and merges. The encoding's name is that of the family with the SHA-256 of the file. It
// takes some tenths of a second.
//
// Errors, which quote nothing of the file: too_large beyond MaxRanks, 2^18 tokens or 255 bytes of a
// token; corrupt for a file that is damaged; invalid for one of another kind, of a tokenizer that cuts
// text by other rules than the family's, or with pairs that were chosen to collide.
func ParseRanks(f Family, file []byte) (*Encoding, error) {
	const op = "tokens.ranks"
	how, ok := ranked[f]
	if !ok {
		return nil, fault.New(fault.Invalid, op, "the family %q has no rules for rank files: use one of %s",
			f, RankedFamilies())
	}
	if len(file) > MaxRanks {
		return nil, fault.New(fault.TooLarge, op, "%d bytes are more than the limit of %d", len(file), MaxRanks)
	}
	read := parseTiktoken
	if isJSON(file) {
		read = how.parseTokenizerJSON
	}
	list, err := read(file)
	if err != nil {
		return nil, err
	}
	v, err := list.vocabulary()
	if err != nil {
		return nil, err
	}
	t := &tokenizer{vocabulary: v, nfc: how.nfc, scan: how.scan(classes()), starts: how.starts}
	return &Encoding{
		name:   fmt.Sprintf("%s@sha256:%x", f, sha256.Sum256(file)),
		tables: &tables{build: func() *tokenizer { return t }},
	}, nil
}

// rankList is what a rank file says: the tokens in the order in which merging makes them.
type rankList struct {
	tokens []string
	ids    []uint32               // by index in tokens: what the outside calls them
	pairs  map[[2]uint32]struct{} // left and right: what may merge; nil: whatever makes a token
	whole  bool                   // a piece that is a token is that token, whether merging makes it or not
}

// maxTokenBytes is the length of the longest token: sweep keeps lengths in a byte.
const maxTokenBytes = 255

// vocabulary builds the tables. A file says which tokens there are, but not always of which two
// tokens each is made. That is what merging leaves of its bytes before it makes the token itself:
// the surroundings of a stretch of text change nothing about how its inside merges. So tokens are
// added from short to long, each after all that can be inside it.
func (l *rankList) vocabulary() (*vocabulary, error) {
	const op = "tokens.ranks"
	if len(l.tokens) > noID {
		return nil, fault.New(fault.TooLarge, op, "%d tokens are more than the limit of %d", len(l.tokens), noID)
	}
	v := newVocabulary(len(l.tokens))
	if err := l.singles(v); err != nil {
		return nil, err
	}
	v.whole = make(map[string]uint32)
	var parts [maxTokenBytes]uint32
	for _, id := range l.byLength() {
		token := l.tokens[id]
		n := v.reduce(token, &parts)
		switch {
		case n == 1 || n > 2 && v.has(token):
			return nil, fault.New(fault.Corrupt, op, "token %d is there twice", l.ids[id])
		case n == 2 && l.listed(parts[0], parts[1]):
			if !v.pairs.add(parts[0], parts[1], id) {
				return nil, fault.New(fault.Invalid, op, "token %d finds no place in the table of pairs: no training makes such a vocabulary", l.ids[id])
			}
		case n == 2:
			return nil, fault.New(fault.Invalid, op, "token %d is not made as byte-pair encoding makes it", l.ids[id])
		case l.whole:
			v.whole[token] = id
		}
	}
	for i, id := range l.ids {
		if id != uint32(i) {
			v.ids = l.ids
		}
	}
	return v, nil
}

// singles adds the tokens of one byte; each byte must have one.
func (l *rankList) singles(v *vocabulary) error {
	var have [256]bool
	for id, token := range l.tokens {
		switch {
		case len(token) == 0 || len(token) > maxTokenBytes:
			return fault.New(fault.TooLarge, "tokens.ranks", "token %d has %d bytes: 1 to %d are read",
				l.ids[id], len(token), maxTokenBytes)
		case len(token) == 1 && have[token[0]]:
			return fault.New(fault.Corrupt, "tokens.ranks", "the byte %#02x has two tokens", token[0])
		case len(token) == 1:
			have[token[0]] = true
			v.bytes[token[0]] = uint32(id)
		}
	}
	for b, ok := range have {
		if !ok {
			return fault.New(fault.Corrupt, "tokens.ranks", "the byte %#02x has no token: the file is cut off, or no byte-level vocabulary", b)
		}
	}
	return nil
}

// byLength returns the indexes of the tokens of more than one byte, the shorter first.
func (l *rankList) byLength() []uint32 {
	order := make([]uint32, 0, len(l.tokens))
	for id, token := range l.tokens {
		if len(token) > 1 {
			order = append(order, uint32(id))
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return len(l.tokens[a]) - len(l.tokens[b]) })
	return order
}

func (l *rankList) listed(left, right uint32) bool {
	if l.pairs == nil {
		return true
	}
	_, ok := l.pairs[[2]uint32{left, right}]
	return ok
}

func (v *vocabulary) has(token string) bool {
	_, ok := v.whole[token]
	return ok
}

// reduce puts what merging makes of the bytes of text into parts and returns their number. It is the
// definition, and quadratic.
func (v *vocabulary) reduce(text string, parts *[maxTokenBytes]uint32) int {
	n := len(text)
	for i := range n {
		parts[i] = v.bytes[text[i]]
	}
	for n > 1 {
		at, best := 0, uint32(noID)
		for i := range n - 1 {
			if id := v.merged(parts[i], parts[i+1]); id < best {
				at, best = i, id
			}
		}
		if best == noID {
			break
		}
		n--
		parts[at] = best
		copy(parts[at+1:n], parts[at+2:n+1])
	}
	return n
}

package tokens

// Features are what an estimate of a closed tokenizer is computed from: how often a text has each
// Feature. They are additive: those of a whole are the sum of those of its texts.
type Features [features]int

// Feature is one of the things that tokenizers spend tokens on. The numbers are stored: append only.
type Feature int

// The features.
const (
	FeatureTokens   Feature = iota // o200k_base tokens
	FeatureWords                   // runs of letters; every byte beyond ASCII is a letter here
	FeatureLetters                 // ASCII letters
	FeatureMarks                   // ASCII punctuation and controls
	FeatureDigits                  // ASCII digits
	FeatureNonASCII                // code points beyond ASCII
	// o200k_base tokens less the runs of ASCII white space: those that follow another directly
	FeatureJoined
	FeatureCases  // runs of upper-case ASCII letters
	FeatureBlocks // texts, calls and results of a message, each of which a provider frames
	features
)

// FeaturesOf returns the features of one text, which is not a block of a message yet.
func FeaturesOf(text string) Features {
	var s shaper
	add(&s, text)
	return s.features(O200kBase.CountString(text))
}

// Plus returns the features of two texts together.
func (f Features) Plus(g Features) Features {
	for i := range f {
		f[i] += g[i]
	}
	return f
}

// The classes of bytes that tell features apart.
const (
	shapeOther = iota // punctuation and controls
	shapeLower
	shapeUpper
	shapeDigit
	shapeSpace // ASCII white space
	shapeTail  // 80–BF: inside a code point
	shapeLead  // C0–FF: starts a code point beyond ASCII
	shapes
)

// Seven counters of nine bits share a word. None of them overflows within a run of that many bytes.
const (
	shapeBits = 9
	shapeRun  = 1<<shapeBits - 1
)

// shaper counts all features but tokens and blocks of a text that comes in parts, in one pass without
// branches: what a byte adds follows from its class and that of the byte before it. The zero shaper is at
// the start of a text.
type shaper struct {
	last  uint8    // the class of the byte before
	found Features // FeatureJoined counts runs of white space until the tokens are known
}

// add takes the next part of the text.
func add[T string | []byte](s *shaper, text T) {
	last := s.last
	for len(text) > 0 {
		run := text[:min(len(text), shapeRun)]
		text = text[len(run):]
		sum := uint64(0)
		for i := range len(run) {
			k := shapeOf[run[i]]
			sum += steps[(last<<3|k)&63]
			last = k
		}
		for k := FeatureWords; k <= FeatureCases; k++ {
			s.found[k] += int(sum >> (shapeBits * int(k-FeatureWords)) & shapeRun)
		}
	}
	s.last = last
}

// Write is add. It never fails.
func (s *shaper) Write(part []byte) (int, error) {
	add(s, part)
	return len(part), nil
}

// features returns the features of the text, which has so many o200k_base tokens.
func (s *shaper) features(n int) Features {
	f := s.found
	f[FeatureTokens] = n
	f[FeatureJoined] = max(0, n-f[FeatureJoined])
	return f
}

// shapeOf is the class of every byte.
var shapeOf = func() (t [256]uint8) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z':
			t[b] = shapeLower
		case 'A' <= b && b <= 'Z':
			t[b] = shapeUpper
		case '0' <= b && b <= '9':
			t[b] = shapeDigit
		case b == ' ' || '\t' <= b && b <= '\r':
			t[b] = shapeSpace
		case b >= 0xC0:
			t[b] = shapeLead
		case b >= 0x80:
			t[b] = shapeTail
		}
	}
	return t
}()

// steps is what a byte adds to the counters after another, by the classes of both: 8 × before + here.
var steps = func() (t [64]uint64) {
	letter := func(k int) bool { return k == shapeLower || k == shapeUpper || k == shapeTail || k == shapeLead }
	for before := range shapes {
		for k := range shapes {
			add := func(f Feature, when bool) {
				if when {
					t[before<<3|k] += 1 << (shapeBits * int(f-FeatureWords))
				}
			}
			add(FeatureWords, letter(k) && !letter(before))
			add(FeatureLetters, k == shapeLower || k == shapeUpper)
			add(FeatureMarks, k == shapeOther)
			add(FeatureDigits, k == shapeDigit)
			add(FeatureNonASCII, k == shapeLead)
			add(FeatureJoined, k == shapeSpace && before != shapeSpace)
			add(FeatureCases, k == shapeUpper && before != shapeUpper)
		}
	}
	return t
}()

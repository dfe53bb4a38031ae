package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"testing"

	"ctxledger.dev/internal/fault"
)

// published has the SHA-256 of the published vocabulary file of each encoding, and its ids.
var published = map[*Encoding]struct {
	pairs []byte
	sum   string
	ids   int
}{
	O200kBase:  {o200kPairs, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199_998},
	CL100kBase: {cl100kPairs, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100_256},
}

// tokenBytes returns the bytes of every token, by id.
func tokenBytes(e *Encoding) [][]byte {
	body, err := pairsBody(e.String(), published[e].pairs)
	if err != nil {
		panic(err)
	}
	tokens := make([][]byte, len(body)/recordSize)
	for id := range tokens {
		left, right := record(body, id)
		if right == noID {
			tokens[id] = []byte{byte(left)}
		} else {
			tokens[id] = slices.Concat(tokens[left], tokens[right])
		}
	}
	return tokens
}

var (
	o200kTokens  = sync.OnceValue(func() [][]byte { return tokenBytes(O200kBase) })
	cl100kTokens = sync.OnceValue(func() [][]byte { return tokenBytes(CL100kBase) })
)

func tokensOf(e *Encoding) [][]byte {
	if e == CL100kBase {
		return cl100kTokens()
	}
	return o200kTokens()
}

func TestPairsRebuildThePublishedVocabulary(t *testing.T) {
	for e, want := range published {
		var file []byte
		for id, token := range tokensOf(e) {
			file = fmt.Appendf(file, "%s %d\n", base64.StdEncoding.EncodeToString(token), id)
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(file)); sum != want.sum {
			t.Errorf("%s: rebuilt file has SHA-256 %s, want %s", e, sum, want.sum)
		}
		if !bytes.Contains(want.pairs[:300], []byte("source "+want.sum+"\n")) {
			t.Errorf("%s: the header does not name the source", e)
		}
		if n := len(tokensOf(e)); n != want.ids {
			t.Errorf("%s: %d ids, want %d", e, n, want.ids)
		}
	}
}

// The caches and the sweep rest on these facts.
func TestEveryTokenMergesToItself(t *testing.T) {
	for _, e := range Encodings() {
		w := e.tokenizer().worker()
		for id, token := range tokensOf(e) {
			if len(token) > 255 {
				t.Errorf("%s: token %d has %d bytes, more than the sweep can hold", e, id, len(token))
			}
			short := []uint32(nil)
			if len(token) <= maxShort {
				short = w.mergeBytes(token)
			}
			long := w.mergeLong(token)
			if len(long) != 1 || long[0] != uint32(id) || short != nil && !slices.Equal(short, long) {
				t.Fatalf("%s: token %d %q merges to %v in the array, %v in the sweep", e, id, token, short, long)
			}
		}
	}
}

func TestDamagedVocabularyIsCorrupt(t *testing.T) {
	good := published[CL100kBase].pairs
	damage := map[string]func(b []byte) []byte{
		"a flipped bit in the body": func(b []byte) []byte { b[len(b)-7] ^= 1; return b },
		"a record cut off":          func(b []byte) []byte { return b[:len(b)-recordSize] },
		"a byte cut off":            func(b []byte) []byte { return b[:len(b)-1] },
		"another version":           func(b []byte) []byte { b[9] = '2'; return b },
		"another encoding":          func(b []byte) []byte { b[11] = 'x'; return b },
		"no header":                 func(b []byte) []byte { return b[bytes.Index(b, []byte("\n\n"))+2:] },
		"nothing":                   func([]byte) []byte { return nil },
	}
	for name, change := range damage {
		if _, err := parseVocabulary("cl100k_base", change(slices.Clone(good))); !fault.Is(err, fault.Corrupt) {
			t.Errorf("%s: error %v, want one of code corrupt", name, err)
		}
	}
}

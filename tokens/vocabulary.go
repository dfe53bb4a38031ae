package tokens

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the vocabularies
	"encoding/hex"
	"fmt"
	"sync"

	"ctxledger.dev/internal/fault"
)

// A .pairs file is a text header and a body. The header is five lines: "ctxpairs 1", the
// encoding with the number of ids, "source" and "body" with a SHA-256 each (of the published
// vocabulary file and of the body), and an empty line. The body has one little-endian record
// of five bytes for each id, left<<18 | right: the two tokens that merge into this one. A
// token of one byte has that byte as left and noID as right. Ids are in order of priority: the
// lower merges first.
var (
	//go:embed data/o200k_base.pairs
	o200kPairs []byte
	//go:embed data/cl100k_base.pairs
	cl100kPairs []byte
)

const (
	idBits     = 18
	noID       = 1<<idBits - 1 // no token; greater than every id, so that it never wins
	recordSize = 5             // bytes
)

// vocabulary is what merging needs to know: the token of each byte and of each pair.
type vocabulary struct {
	bytes [256]uint32
	pairs pairTable

	records []byte // of the .pairs file that it was made of: each token is one byte or made of two with lower ids

	bytePairsOnce  sync.Once
	bytePairsTable *[1 << 16]uint32 // by bytePairs

	splitOnce  sync.Once
	splitTable []split // by splits

	charactersOnce  sync.Once
	charactersTable *characters // by characters
}

// merged returns the token that left and right make together, or noID.
func (v *vocabulary) merged(left, right uint32) uint32 { return v.pairs.find(left, right) }

// parseVocabulary reads a .pairs file and builds the tables, or returns an error of code
// corrupt when the file is not what the generator wrote.
func parseVocabulary(name string, file []byte) (*vocabulary, error) {
	body, err := pairsBody(name, file)
	if err != nil {
		return nil, err
	}
	n := len(body) / recordSize
	v := newVocabulary(n)
	for id := range n {
		left, right := record(body, id)
		if right == noID {
			v.bytes[byte(left)] = uint32(id)
			continue
		}
		if left >= uint32(id) || right >= uint32(id) {
			// sweep relies on it
			return nil, fault.New(fault.Corrupt, "tokens.vocabulary", "%s: token %d is made of a later one", name, id)
		}
		if !v.pairs.add(left, right, uint32(id)) {
			return nil, fault.New(fault.Corrupt, "tokens.vocabulary", "%s: there is no place for token %d", name, id)
		}
	}
	v.records = body
	return v, nil
}

// newVocabulary returns a vocabulary with space for the pairs of n tokens.
func newVocabulary(n int) *vocabulary { return &vocabulary{pairs: newPairTable(n)} }

// bytePairs returns the token that two bytes make, first<<8|second, or noID: what pairs has of
// single bytes, where half of all questions find their answer nearby. The table is made when it
// is first needed.
func (v *vocabulary) bytePairs() *[1 << 16]uint32 {
	v.bytePairsOnce.Do(func() {
		v.bytePairsTable = new([1 << 16]uint32)
		for first, left := range v.bytes {
			for second, right := range v.bytes {
				v.bytePairsTable[first<<8|second] = v.merged(left, right)
			}
		}
	})
	return v.bytePairsTable
}

func record(body []byte, id int) (left, right uint32) {
	r := body[id*recordSize:][:recordSize]
	v := uint64(r[0]) | uint64(r[1])<<8 | uint64(r[2])<<16 | uint64(r[3])<<24 | uint64(r[4])<<32
	return uint32(v >> idBits), uint32(v & noID)
}

// pairsBody checks the header and the check sum of a .pairs file and returns its records.
func pairsBody(name string, file []byte) ([]byte, error) {
	header, body, _ := bytes.Cut(file, []byte("\n\n"))
	lines := bytes.Split(header, []byte("\n"))
	want := [][]byte{
		[]byte("ctxpairs 1"),
		fmt.Appendf(nil, "%s %d", name, len(body)/recordSize),
		nil, // the source, which only tests can compare
		bodyLine(body),
	}
	if len(lines) != len(want) || len(body)%recordSize != 0 {
		return nil, fault.New(fault.Corrupt, "tokens.vocabulary", "%s: not a file of merge pairs", name)
	}
	for i, line := range want {
		if line != nil && !bytes.Equal(lines[i], line) {
			return nil, fault.New(fault.Corrupt, "tokens.vocabulary", "%s: header line %d does not fit the body", name,
				i+1)
		}
	}
	return body, nil
}

func bodyLine(body []byte) []byte {
	sum := sha256.Sum256(body)
	return append([]byte("body "), hex.EncodeToString(sum[:])...)
}

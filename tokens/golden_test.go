package tokens

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// goldenResult is a number of tokens and the start of the SHA-256 of the ids as little-endian
// uint32, written by the reference as a pair.
type goldenResult struct {
	n    int
	hash string
}

func (g *goldenResult) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&g.n, &g.hash})
}

func resultOf(e *Encoding, text string) goldenResult {
	ids := e.encode(nil, []byte(text))
	var raw []byte
	for _, id := range ids {
		raw = binary.LittleEndian.AppendUint32(raw, id)
	}
	return goldenResult{len(ids), shortHash(raw)}
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func TestGoldenTextsEncodeAsTheReference(t *testing.T) {
	file, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cases := 0
	for lines := bufio.NewScanner(file); lines.Scan(); cases++ {
		var c struct {
			Text          string
			O200k, CL100k goldenResult
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		for e, want := range map[*Encoding]goldenResult{O200kBase: c.O200k, CL100kBase: c.CL100k} {
			if got := resultOf(e, c.Text); got != want {
				t.Errorf("%s: %+q: %v, want %v", e, c.Text, got, want)
			}
			if got := e.CountString(c.Text); got != want.n {
				t.Errorf("%s: count of %+q = %d, want %d", e, c.Text, got, want.n)
			}
		}
	}
	if cases < 1000 {
		t.Errorf("only %d cases", cases)
	}
}

// classTemplates are the surroundings in which every code point is counted, in place of c.
// Keep in step with TEMPLATES in internal/gen/oracle.mjs.
var classTemplates = []string{
	"c", "ac", "ca", " c", "cc", "!c", "c!", "c\n", "\nc", "c's",
	"Aca", "c/", "!c/", "ccc\n/", "1c", "c1", "\tc", "éc", "中c",
}

// TestEveryCodePointCountsAsTheReference compares every code point of the first two planes in
// every template, by a hash for each block of 4,096. Above, where there are ideographs and
// little else, and with -short it takes one block in sixteen.
func TestEveryCodePointCountsAsTheReference(t *testing.T) {
	golden, err := os.ReadFile("testdata/classes.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		var start rune
		var o200k, cl100k string
		if _, err := fmt.Sscanf(line, "%x %s %s", &start, &o200k, &cl100k); err != nil {
			t.Fatal(err)
		}
		if (testing.Short() || start >= 0x20000) && start&0xFFFF != 0 {
			continue
		}
		if got := blockHash(O200kBase, start); got != o200k {
			t.Errorf("o200k_base: a count in U+%04X..U+%04X differs", start, start+4095)
		}
		if got := blockHash(CL100kBase, start); got != cl100k {
			t.Errorf("cl100k_base: a count in U+%04X..U+%04X differs", start, start+4095)
		}
	}
}

// blockHash returns the hash of the counts of 4,096 code points in all templates.
func blockHash(e *Encoding, start rune) string {
	w := e.tokenizer().worker() // one for all: with the race detector the pool forgets at random
	var counts, text []byte
	for r := start; r < start+4096; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		for _, template := range classTemplates {
			text = text[:0]
			for _, c := range template {
				if c == 'c' {
					c = r
				}
				text = utf8.AppendRune(text, c)
			}
			counts = append(counts, byte(w.count(text)))
		}
	}
	return shortHash(counts)
}

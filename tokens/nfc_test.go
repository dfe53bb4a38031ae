package tokens

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// composing are texts that normalization changes, or leaves although it looks as if it would not.
var composing = []string{
	"e\u0301", "a\u0323\u0302", "a\u0302\u0323", "\u1100\u1161\u11A8", "\uAC00\u11A8", "\u212B", "\u0958", "\u2126",
	"\u0915\u093C", "\u0344", "\u03B1\u0345\u0301", "\u1EBF", "\u0300", "q\u0307\u0323", "\u0B47\u0B3E", "\u1025\u102E",
	"\U0001D15E", "\uF900", "\U0002F800", "a\u0315\u0300\u05AE\u0315b", "\u0CC6\u0CC2\u0CD5",
}

// Package norm is the definition, but for what it adds after 30 marks.
func checkNFC(t *testing.T, text []byte) {
	t.Helper()
	got := appendNFC(nil, text)
	if want := norm.NFC.Bytes(text); !bytes.Contains(want, []byte("\u034F")) && !bytes.Equal(got, want) {
		t.Fatalf("%+q is normalized to %+q, want %+q", text, got, want)
	}
	if again := appendNFC(nil, got); !bytes.Equal(again, got) {
		t.Fatalf("%+q is normalized to %+q, and that to %+q", text, got, again)
	}
}

func TestNormalizationIsThatOfTheStandard(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 20_000 {
		checkNFC(t, []byte(randomText(rng, 1+rng.IntN(12), composing, alphabet, invalid)))
	}
}

func TestLongRunsOfMarksAreOnlyOrdered(t *testing.T) {
	below, above := strings.Repeat("\u0323", 100), strings.Repeat("\u0301", 100)
	got := string(appendNFC(nil, []byte("q"+above+below+"e"+above+"\xFF"+above)))
	if want := "q" + below + above + "é" + above[2:] + "\xFF" + above; got != want {
		t.Errorf("got %+q, want %+q", got, want)
	}
}

func TestNormalTextIsNotCopied(t *testing.T) {
	text := []byte("déjà vu 中文 한글 \xFF")
	if got := (&tokenizer{nfc: true}).normal(text); &got[0] != &text[0] {
		t.Error("a text in NFC was copied")
	}
	if got := (&tokenizer{}).normal([]byte("e\u0301")); string(got) != "e\u0301" {
		t.Errorf("a tokenizer without normalization makes %+q", got)
	}
}

func FuzzNormalization(f *testing.F) {
	for _, s := range slices.Concat(composing, invalid) {
		f.Add([]byte("a" + s + s + " "))
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkNFC(t, text) })
}

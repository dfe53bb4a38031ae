package tokens

import (
	"bytes"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// goSourceSize is how much Go source the benchmarks read: enough to overflow every cache.
const (
	goSourceSize = 10 << 20
	proseSize    = 5 << 20
)

// goSource returns Go source of the standard library, in the order of its paths.
func goSource(tb testing.TB) []byte {
	return goText(tb, goSourceSize, func(file []byte) []byte { return file })
}

// prose returns English prose: comments of the standard library.
func prose(tb testing.TB) []byte { return goText(tb, proseSize, comments) }

// goText joins what extract takes from the Go files of the standard library up to size bytes.
func goText(tb testing.TB, size int, extract func([]byte) []byte) []byte {
	tb.Helper()
	root, err := exec.CommandContext(tb.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skip("the go command is not on the path")
	}
	var text []byte
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"),
		func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := os.ReadFile(path)
			text = append(text, extract(file)...)
			if len(text) >= size {
				return fs.SkipAll
			}
			return err
		})
	if err != nil || len(text) < size {
		tb.Skip("the sources of the Go standard library are not installed")
	}
	return text[:size]
}

// comments returns the text of the comments of five lines and more in a Go file: sentences,
// not licences, which are shorter, or code.
func comments(file []byte) []byte {
	var text, block []byte
	lines := 0
	for line := range bytes.Lines(file) {
		if sentence, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("//")); ok {
			block = append(append(block, bytes.TrimPrefix(sentence, []byte(" "))...), '\n')
			lines++
			continue
		}
		if lines >= 5 {
			text = append(append(text, block...), '\n')
		}
		block, lines = block[:0], 0
	}
	return text
}

// chinese returns clauses of Chinese words. It is made, since no Chinese text comes with Go: the
// words are the tokens of o200k_base that have no other characters, the more common ones more
// often, so that clauses are as long and as different as written ones.
func chinese(testing.TB) []byte {
	var words [][]byte
	for _, token := range tokensOf(O200kBase) {
		if utf8.Valid(token) &&
			!slices.ContainsFunc([]rune(string(token)), func(r rune) bool { return r < 0x4E00 || r > 0x9FFF }) {
			words = append(words, token)
		}
	}
	rng := rand.New(rand.NewPCG(21, 22))
	var text []byte
	for clause := 1; len(text) < proseSize; clause++ {
		for range 2 + rng.IntN(5) {
			text = append(text, words[int(math.Pow(float64(len(words)), rng.Float64()))-1]...)
		}
		if clause%4 == 0 {
			text = append(text, "。\n"...)
		} else {
			text = append(text, "，"...)
		}
	}
	return text
}

// BenchmarkCount counts text of several kinds with vectors, where the processor has them, and
// in pure Go.
func BenchmarkCount(b *testing.B) {
	for _, text := range []struct {
		name string
		load func(testing.TB) []byte
	}{{"go", goSource}, {"prose", prose}, {"chinese", chinese}} {
		b.Run(text.name, func(b *testing.B) { benchmarkCount(b, text.load(b)) })
	}
}

func benchmarkCount(b *testing.B, text []byte) {
	for _, e := range Encodings() {
		forEachClassifier(func() {
			name := "/go"
			if hasVectors() {
				name = "/vectors"
			}
			b.Run(e.String()+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					e.Count(text)
				}
			})
		})
	}
}

// BenchmarkCountParallel counts Go source with one goroutine and with two.
func BenchmarkCountParallel(b *testing.B) {
	text := goSource(b)
	for _, e := range Encodings() {
		for _, workers := range []int{1, 2} {
			b.Run(e.String()+"/"+strconv.Itoa(workers), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					e.CountParallel(text, workers)
				}
			})
		}
	}
}

// BenchmarkLongPiece counts texts of 1 MiB that are one piece, or pieces that no cache holds.
func BenchmarkLongPiece(b *testing.B) {
	const size = 1 << 20
	for name, text := range longTexts(size) {
		for _, e := range Encodings() {
			b.Run(name+"/"+e.String(), func(b *testing.B) {
				b.SetBytes(size)
				for b.Loop() {
					e.CountString(text)
				}
			})
		}
	}
}

// BenchmarkFirstCount builds the tables and counts 1 MB of prose, as a fresh process does.
func BenchmarkFirstCount(b *testing.B) {
	text := prose(b)[:1_000_000]
	for b.Loop() {
		e := bundled("o200k_base", o200kPairs, (*masks).startsO200k, asciiO200k, (*classTable).runeO200k)
		e.Count(text)
	}
}

// BenchmarkBuild is the time that the first count pays for the tables.
func BenchmarkBuild(b *testing.B) {
	b.Run("classes", func(b *testing.B) {
		for b.Loop() {
			if _, err := parseClasses(classFile); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("o200k_base", func(b *testing.B) {
		for b.Loop() {
			if _, err := parseVocabulary("o200k_base", o200kPairs); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkMerge finds where the sweep overtakes the array: see maxShort.
func BenchmarkMerge(b *testing.B) {
	w := O200kBase.tokenizer().worker()
	for _, size := range []int{8, 24, maxShort, 128} {
		piece := []byte(longTexts(size)["letters"])
		b.Run("array/"+sizeName(size), func(b *testing.B) {
			if size > maxShort {
				b.Skip("does not fit")
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				w.parts.mergeBytes(w.vocabulary, piece)
			}
		})
		b.Run("sweep/"+sizeName(size), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				w.mergeLong(piece)
			}
		})
	}
}

package redact

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// stream masks a text through a Writer that gets it in pieces of up to most bytes.
func stream(t *testing.T, r *Redactor, text string, seed uint64, most int) string {
	t.Helper()
	sizes := rand.New(rand.NewPCG(seed, 2))
	var out bytes.Buffer
	w := r.Writer(&out)
	for rest := text; rest != ""; {
		n := min(1+sizes.IntN(most), len(rest))
		if k, err := w.Write([]byte(rest[:n])); k != n || err != nil {
			t.Fatalf("wrote %d of %d: %v", k, n, err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// around places a secret at every border of what a Writer looks at, moved by the given number of bytes.
func around(t testing.TB, r *rand.Rand, moved int) string {
	var b strings.Builder
	for border := step; border < 4*step; border += step {
		k := kinds[r.IntN(len(kinds))]
		p, _ := contexts[r.IntN(len(contexts))].wrap(plant(t, r, k.kind, k.shapes[r.IntN(len(k.shapes))]))
		for b.Len() < border-moved {
			line := "\tif x := f.next(i); x != nil { return }\n"
			b.WriteString(line[:min(len(line), border-moved-b.Len())])
		}
		b.WriteString(p.text)
	}
	return b.String()
}

func TestAStreamIsMaskedLikeTheWhole(t *testing.T) {
	r := New([]byte("key"))
	sizes := rand.New(rand.NewPCG(11, 3))
	for seed := range uint64(16) {
		text := around(t, sizes, sizes.IntN(400))
		if seed%4 == 0 { // nothing but adjacent secrets
			text = some(t, seed, 1200)
		}
		want := r.String(text)
		if want == text {
			t.Fatal("nothing was masked")
		}
		if got := stream(t, r, text, seed, []int{100, 4096, 1 << 20}[seed%3]); got != want {
			t.Fatalf("seed %d: the stream differs from the whole at byte %d of %d", seed, differ(got, want), len(want))
		}
	}
}

// differ returns where two texts begin to differ.
func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestAStreamKnowsWhatStandsBeforeABorder places the border of what the Writer looks at between a name and its
// value, and into a run of base64 that is too long to be looked into.
func TestAStreamKnowsWhatStandsBeforeABorder(t *testing.T) {
	r := New([]byte("key"))
	random := rand.New(rand.NewPCG(1, 1))
	long := strings.Repeat("name of a shop ", maxRun/20) + plant(t, random, "", " ghp_{an:36} ").text
	for _, c := range []struct {
		text   string
		before int
	}{
		{`password: "` + plant(t, random, "", "{pw:12}").text + `"`, len(`password: "`)},
		{"--api-key " + plant(t, random, "", "{an:32}").text, len("--api-key ")},
		{base64.StdEncoding.EncodeToString([]byte(long)), 5000},
		{base64.StdEncoding.EncodeToString([]byte(long + long)), 5000},
	} {
		text := strings.Repeat(" ", step-c.before) + c.text + strings.Repeat(" ", maxWindow)
		if got, want := stream(t, r, text, 1, step), r.String(text); got != want {
			t.Errorf("%.40q: the stream differs from the whole", c.text)
		}
	}
}

func TestAStreamHoldsLittleBack(t *testing.T) {
	w := New(nil).Writer(&bytes.Buffer{})
	for range 64 {
		if _, err := w.Write(bytes.Repeat([]byte("ghp_0123456789"), 8<<10)); err != nil {
			t.Fatal(err)
		}
		if most := step + 2*maxWindow; cap(w.buf) > 2*most {
			t.Fatalf("%d bytes are held", cap(w.buf))
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestAStreamReportsWhatItsWriterSays(t *testing.T) {
	w := New(nil).Writer(broken{})
	if _, err := w.Write(make([]byte, 1<<20)); err == nil {
		t.Error("a failed write was not reported")
	}
	w = New(nil).Writer(broken{})
	_, _ = w.Write([]byte("x"))
	if err := w.Close(); err == nil {
		t.Error("a failed write was not reported by Close")
	}
}

func FuzzStream(f *testing.F) {
	f.Add(some(f, 1, 5), uint64(1), uint16(0))
	f.Add("password=\"", uint64(2), uint16(7))
	f.Add("-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA", uint64(3), uint16(40))
	f.Add("eyJ", uint64(4), uint16(3))
	quiet := strings.Repeat("x y ", (step+2*maxWindow)/4)
	f.Fuzz(func(t *testing.T, text string, seed uint64, moved uint16) {
		if len(text) > 1<<14 {
			return
		}
		// The text crosses the first border of what the Writer looks at.
		whole := quiet[:step-int(moved)] + text + quiet[:maxWindow+int(moved)]
		r := New([]byte("key"))
		if got, want := stream(t, r, whole, seed, 1<<17), r.String(whole); got != want {
			t.Fatalf("the stream differs from the whole at byte %d of %d", differ(got, want), len(want))
		}
	})
}

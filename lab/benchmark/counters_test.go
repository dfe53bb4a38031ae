package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// ownCounter builds and starts our counter.
func ownCounter(t *testing.T) (*counter, *bench) {
	t.Helper()
	b := &bench{temp: t.TempDir()}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", b.counterPath(own), "./counter").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c, err := b.startCounter(t.Context(), own, "o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

func TestACounterAnswersEveryLine(t *testing.T) {
	c, b := ownCounter(t)
	text, err := b.corpus("two words", []byte("hello world\nand what stands behind the last line"))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []struct {
		name    string
		n, runs int
	}{{"nothing", 0, 1}, {"count", 3, 5}, {"parallel", 3, 1}, {"piece", 1, 4}} {
		got, err := c.ask(task.name, text.path, task.runs, time.Minute, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if got.n != task.n || len(got.took) != task.runs || got.heap <= 0 {
			t.Errorf("%s: %+v", task.name, got)
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestACounterThatLeavesIsNotWaitedFor(t *testing.T) {
	c, b := ownCounter(t)
	if _, err := c.ask("count", filepath.Join(b.temp, "missing"), 1, 0, time.Minute); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
	if err := c.close(); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("it left with %v", err)
	}
}

func TestACounterThatTakesTooLongIsKilled(t *testing.T) {
	c, b := ownCounter(t)
	text, err := b.corpus("long", append(slices.Repeat([]byte("word "), 100_000), '\n'))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ask("count", text.path, 1<<20, time.Minute, time.Millisecond); !errors.Is(err, errSlow) {
		t.Errorf("error %v", err)
	}
	if err := c.close(); err == nil {
		t.Error("it was not killed")
	}
}

func TestAnAnswerThatIsNoneIsRefused(t *testing.T) {
	for _, line := range []string{"", "1 2 3", "1 2 3 x", "a b c d"} {
		if r, err := parseCounted(line); err == nil {
			t.Errorf("%q was read as %+v", line, r)
		}
	}
	r, err := parseCounted("7 1 2 30 10 20")
	if err != nil || r.n != 7 || r.allocations != 1 || r.heap != 2 || r.took.median() != 20 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestASpeedStandsBesideThoseOfNpm(t *testing.T) {
	took := func(n int, d time.Duration) counted { return counted{n: n, took: times{d}} }
	s := speeds{own: took(5, time.Second), pure: took(5, 2*time.Second), reference: took(5, 100*time.Second),
		"gpt-tokenizer": took(6, 50*time.Second), "ai-tokenizer": took(5, 60*time.Second), "js-tiktoken": took(4, 400*time.Second)}
	got := strings.Join(s.row(corpus{"Prose", "", 1e9}, "x"), "|")
	if want := "Prose, 1000 MB|x|5|1000|500|10|20 (+1)|16.7|2.5 (-1)|100; pure Go 50|50; pure Go 25"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

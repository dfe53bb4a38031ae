package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestQuantilesAreMeasuredValues(t *testing.T) {
	var up times
	for i := range 100 {
		up = append(up, time.Duration(100-i))
	}
	for _, c := range []struct {
		of   times
		q    float64
		want time.Duration
	}{
		{nil, 0.5, 0}, {times{7}, 0.99, 7}, {times{3, 1, 2}, 0.5, 2}, {times{4, 1}, 0.5, 1},
		{up, 0.5, 50}, {up, 0.99, 99}, {up, 1, 100}, {up, 0, 1},
	} {
		if got := c.of.at(c.q); got != c.want {
			t.Errorf("%v at %v is %v, not %v", c.of, c.q, got, c.want)
		}
	}
}

func TestFiguresReplaceOnlyWhatStandsBetweenTheMarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n" + beginMark + "old\n" + endMark + "after\n")
	for range 2 {
		if err := replace(path, "new\n"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "before\n"+beginMark+"new\n"+endMark+"after\n" {
		t.Errorf("%q, %v", got, err)
	}
	for _, broken := range []string{"", "no marks", beginMark, endMark + beginMark} {
		write(broken)
		if err := replace(path, "new\n"); err == nil {
			t.Errorf("%q was rewritten", broken)
		}
	}
}

func TestTheDocumentHasAPlaceForTheFigures(t *testing.T) {
	raw, err := os.ReadFile("../../" + document)
	if err != nil {
		t.Fatal(err)
	}
	before, after := strings.Index(string(raw), beginMark), strings.Index(string(raw), endMark)
	if before < 0 || after < before || !strings.Contains(string(raw[before:after]), "| read") && !strings.Contains(string(raw[before:after]), "`read_artifact`") {
		t.Error("the document holds no figures")
	}
}

func TestATableHasNoEmptyCells(t *testing.T) {
	var r report
	r.add("what", "1 ms", "", "", "3")
	r.add("", "1 ms", "x: 2 ms", "0.50 ×", "3")
	got := r.markdown("make bench", time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	if !strings.Contains(got, "Measured on 2026-11-20 with `make bench`") || !strings.Contains(got, "| what | 1 ms | – | – | 3 |\n| ″ | 1 ms | x: 2 ms | 0.50 × | 3 |\n") {
		t.Error(got)
	}
}

func TestGridsAndPicturesStandBehindTheTable(t *testing.T) {
	r := report{grids: []grid{{"A title.", []string{"text", "ours"}, [][]string{{"prose", "7 (+1)"}}}}, images: []image{{name: "x.svg", alt: "what"}}}
	r.add("what", "1 ms", "", "", "3")
	got := r.markdown("make bench", time.Now())
	if !strings.HasSuffix(got, "| 3 |\n\nA title.\n\n| text | ours |\n|---|---|\n| prose | 7 (+1) |\n\n![what](images/x.svg)\n") {
		t.Error(got)
	}
}

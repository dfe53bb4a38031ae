package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestACorpusIsFewSmallInputsOfAllSizes(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "testdata", "fuzz", "FuzzX")
	for n := range 40 {
		text := "go test fuzz v1\nstring(\"" + strings.Repeat("x", 200*n) + "\")\n"
		if err := os.WriteFile(filepath.Join(from, fmt.Sprint(n)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time adds nothing
		if n, err := selectCorpus(from, to); n != mostInputs || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	chosen, err := inputs(to)
	if err != nil || len(chosen) != mostInputs || chosen[0].name != "0" ||
		len(chosen[mostInputs-1].text) < mostBytes-400 {
		t.Errorf("%v, %v", chosen, err)
	}
}

func TestATargetThatNeverRanHasNoCorpus(t *testing.T) {
	to := filepath.Join(t.TempDir(), "FuzzX")
	if n, err := selectCorpus(filepath.Join(t.TempDir(), "none"), to); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("an empty directory was made")
	}
}

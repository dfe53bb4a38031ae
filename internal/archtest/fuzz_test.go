package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxCorpus is how much the inputs of all fuzz targets may take in the tree, in bytes.
const maxCorpus = 1500 << 10

// TestEveryFuzzTargetHasACorpus: go test tries the inputs in testdata/fuzz each time, and make fuzz begins with them.
func TestEveryFuzzTargetHasACorpus(t *testing.T) {
	targets, size := 0, int64(0)
	for _, f := range source(t) {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !f.test || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			targets++
			dir := filepath.Join("../..", f.dir, "testdata", "fuzz", fn.Name.Name)
			inputs, err := os.ReadDir(dir)
			if err != nil || len(inputs) == 0 {
				t.Errorf("%s: %s has no inputs in %s: run make fuzz ONLY=%s FUZZTIME=1m, then make fuzz-corpus, and commit them",
					f.dir, fn.Name.Name, strings.TrimPrefix(dir, "../../"), fn.Name.Name)
			}
			for _, in := range inputs {
				if info, err := in.Info(); err == nil {
					size += info.Size()
				}
			}
		}
	}
	if targets < 80 {
		t.Errorf("only %d fuzz targets found: the search is wrong", targets)
	}
	if t.Logf("%d fuzz targets with %d KB of inputs", targets, size>>10); size > maxCorpus {
		t.Errorf("the inputs of fuzz targets take %d bytes, more than %d: keep the smallest", size, maxCorpus)
	}
}

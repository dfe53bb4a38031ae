package taint

import (
	"os"
	"path/filepath"
)

// damaged damages the ledger, and looks at what is said of that.
func (p *place) damaged(s *search) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.state, "*", "blobs", "*", "*"))
	if err != nil || len(files) == 0 {
		p.t.Fatalf("no blobs: %v", err)
	}
	for _, f := range files {
		p.damage(f)
	}
	for _, c := range [][]string{{"ledger", "check"}, {"ledger", "check", "--json"}, {"ledger", "repair", "--json"}, {"ledger", "repair"}} {
		out, errs := p.run(c...)
		if len(out) < 20 {
			p.t.Errorf("%q says only %s%s", c, out, errs)
		}
		s.look(CLI, c[0]+" "+c[1], "of a damaged ledger", out)
		s.look(CLI, "standard error", "of a damaged ledger", errs)
	}
}

// damage flips a bit of a file.
func (p *place) damage(file string) {
	p.t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil || len(raw) == 0 {
		p.t.Fatal(file, err)
	}
	raw[len(raw)/2] ^= 1
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

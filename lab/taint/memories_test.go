package taint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/memory"
)

// remember imports memories with a canary in each of their fields.
func (p *place) remember(s *search, list []canary) {
	p.t.Helper()
	entries := make([]memory.Entry, 0, 2*len(list))
	for i, c := range list {
		e := memory.Entry{
			GUID: fmt.Sprintf("%032x", i+1), Name: fmt.Sprintf("canary-%d", i), Type: "project", Scope: memory.Project,
			Source:      "agent:" + c.text,
			Description: strings.ReplaceAll(c.text, "\n", " "), Body: c.text, Created: began, Updated: began,
		}
		entries = append(entries, e)
		if n := name(c); n != noName {
			e.GUID, e.Name = fmt.Sprintf("%032x", len(list)+i+1), n
			entries = append(entries, e)
		}
	}
	for name, raw := range memory.Export(entries) {
		p.write(filepath.Join("memories", name), string(raw))
	}
	// names what it does not take
	out, errs := p.run("memory", "import", filepath.Join(filepath.Dir(p.root), "memories"))
	s.look(CLI, "memory import", "", out)
	s.look(CLI, "standard error", "of memory import", errs)
}

// read returns what a file holds.
func (p *place) read(file string) string {
	p.t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(raw)
}

// files returns all files that a pattern names, as one text. There is one at least.
func (p *place) files(pattern ...string) string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(files) == 0 {
		p.t.Fatalf("%q names no file: %v", pattern, err)
	}
	var all strings.Builder
	for _, f := range files {
		all.WriteString(p.read(f))
	}
	return all.String()
}

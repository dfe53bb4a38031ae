package taint

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// plantedList are the canaries of a run: kinds and their shapes in turn, from all over the table however few they are.
func plantedList(t *testing.T) []canary {
	t.Helper()
	kinds, of := shapes(t)
	r := rand.New(rand.NewPCG(*seed, 0))
	list := make([]canary, *canaries)
	step := max(1, len(kinds)/len(list))
	for i := range list {
		kind := kinds[(i*step+int(*seed-1))%len(kinds)]
		list[i] = plant(r, kind, of[kind][i/len(kinds)%len(of[kind])])
	}
	return list
}

// TestNothingLeavesThroughMaskedExits plants secrets in every field of what is recorded, and looks at every exit of the
// table.
func TestNothingLeavesThroughMaskedExits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it looks at processes below /proc")
	}
	list := plantedList(t)
	s := newSearch(t, list)
	p := newPlace(t)
	p.remember(s, list)
	all := p.handIn(s, list)
	p.record(session(p.root, list)) // so that it is the newest, which lives
	p.models(s, list)
	all = append(all, p.compact(s, p.session))
	words := p.words(list)
	p.editor(s, list, all, words["ARTIFACT"])
	p.agent(s, list, all, words["ARTIFACT"])
	p.web(s, list)
	p.hooks(s, list)
	p.now = p.now.Add(48 * time.Hour) // when sessions may expire
	p.commands(s, words, all)
	p.refusals(s, list)
	p.damaged(s)
	programs(s, list)
	s.finish()
}

// page looks at the page of an audit.
func (p *place) page(s *search) {
	file := filepath.Join(filepath.Dir(p.root), "page.html")
	out, errs := p.must("audit", "--html", file, p.file)
	s.look(CLI, "audit", "--html", out)
	s.look(CLI, "standard error", "of audit --html", errs)
	s.look(File, "the page of `audit --html`", "", p.read(file))
}

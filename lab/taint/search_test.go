package taint

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// missed are the kinds of secrets of which pieces may leave through masked exits, because the rules cannot find them in
// some field: of each kind so many canaries at most, and why. A kind that is missed no more has to go.
var missed = map[string]struct {
	most int
	why  string
}{}

// unshown are exact exits that the test does not look at.
var unshown = map[string]string{
	"the stack of a crash": "a daemon that can be made to crash is a defect: there is none to look at",
}

// outputs are what was seen of one exit.
type outputs struct {
	n, bytes, masks int
	gave            bool // a secret, as exact exits do
}

// search looks for pieces of secrets in what leaves, and keeps account of the exits.
type search struct {
	t       *testing.T
	known   *pieces
	exits   map[string]Exit // by face and name
	seen    map[string]*outputs
	escaped map[string]map[*canary]bool // by kind, of those that may
}

func newSearch(t *testing.T, list []canary) *search {
	s := &search{t: t, known: piecesOf(list), exits: map[string]Exit{}, seen: map[string]*outputs{},
		escaped: map[string]map[*canary]bool{}}
	for _, x := range Exits() {
		s.exits[x.Face+" "+x.Name] = x
	}
	return s
}

// look searches what left through an exit. of says in which way, for a reader.
func (s *search) look(face, name, of, text string) {
	s.t.Helper()
	x, ok := s.exits[face+" "+name]
	if !ok {
		s.t.Errorf("%s %s is not in the table of exits", face, name)
		return
	}
	o := s.seen[face+" "+name]
	if o == nil {
		o = &outputs{}
		s.seen[face+" "+name] = o
	}
	o.n, o.bytes, o.masks = o.n+1, o.bytes+len(text), o.masks+strings.Count(text, "[masked:")
	found := s.known.find(text)
	if x.Rule == Exact {
		o.gave = o.gave || len(found) > 0
		return
	}
	s.report(face+" "+name+" "+of, found)
}

// report fails for what left, one canary of each kind, and records what may leave.
func (s *search) report(exit string, found map[*canary]string) {
	s.t.Helper()
	kinds := map[string]string{}
	for c, where := range found {
		if _, ok := missed[c.kind]; !ok {
			kinds[c.kind] = where
			continue
		}
		if s.escaped[c.kind] == nil {
			s.escaped[c.kind] = map[*canary]bool{}
		}
		s.escaped[c.kind][c] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		s.t.Errorf("%s: a piece of a secret of kind %s leaves: …%q…", exit, kind, kinds[kind])
	}
}

// finish compares what was seen with the table: every masked exit was looked at and had something to mask, and every
// exact one gave a secret back.
func (s *search) finish() {
	s.t.Helper()
	n, texts, bytes := 0, 0, 0
	for _, x := range Exits() {
		name := x.Face + " " + x.Name
		o := s.seen[name]
		switch {
		case x.Rule == Masked && o == nil:
			s.t.Errorf("%s is masked, and nothing was looked at: give it a command line in the table, or a function "+
				"in the test", name)
		case x.Rule == Masked && o.masks == 0 && !slices.Contains(plain, name):
			s.t.Errorf("%s masked nothing: no secret came near it", name)
		case x.Rule == Exact && (o == nil || !o.gave) && unshown[x.Name] == "":
			s.t.Errorf("%s is exact on purpose, and gave no secret back", name)
		}
		if o != nil {
			s.t.Logf("%-46s %-6s %4d outputs %9d bytes %6d masks", name, x.Rule, o.n, o.bytes, o.masks)
			n, texts, bytes = n+1, texts+o.n, bytes+o.bytes
		}
	}
	for kind, m := range missed {
		if got := len(s.escaped[kind]); got == 0 || got > m.most {
			s.t.Errorf("%d secrets of kind %s are missed, not 1 to %d: correct the table", got, kind, m.most)
		}
	}
	s.t.Logf("%d secrets, %d exits, %d outputs, %d bytes, %d kinds missed", *canaries, n, texts, bytes, len(s.escaped))
}

// plain are masked exits that show figures and ids alone, however much is recorded.
var plain = []string{
	"ctxledger install", "ctxledger uninstall", // nothing recorded is in the configurations of agents
	"ctxledger forget", "LSP workspace/executeCommand", // ids of sessions and counts
	"LSP textDocument/hover", "LSP textDocument/codeLens",
	"ctxledger resume", "ctxledger restore",
	// What is offered is masked before it is shown: engine: TestCandidatesAreBounded.
	"ctxledger memory accept", "ctxledger memory candidates", "ctxledger memory dismiss",
	"ctxledger config window", // of the newest session, whose model has a plain name
	"LSP ctxledger/diff",      // names of files: one with a secret is in records
}

package compaction

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
)

const (
	namesPerLine = 7
	// namesLead is how many names the line of a changed file has: what its edits were about.
	namesLead = 2
	// namesFile bounds the names below one file, namesTurn those of one turn.
	namesFile = 42
	namesTurn = 42
	// namesLeast is the worth below which a name is always left out: of such names fewer than one in fifteen was
	// used again.
	namesLeast = 0.02
	// namesLooked bounds the occurrences that are looked at, newest first, so that a huge session
	// is planned in time.
	namesLooked = 300_000
)

// How much a mention of a name says about whether it will be needed, by who made it: the user asked for
// it, the agent wrote it, or a tool only happened to print it.
const (
	saidByUser  = 3
	saidByAgent = 1
	saidByTool  = 0.2
)

// A name is an identifier with its worth and where it belongs.
type name struct {
	text    string
	said    float64 // how often it was said, weighted
	last    int     // the item of its newest mention
	owner   int     // index of a path, -1 none
	balance float64 // by how much the owner leads, as in a majority vote
	spread  int     // how often its file changed: names of everywhere belong nowhere
	seenAt  int     // the file of the newest occurrence
	used    bool    // the document prints it already
}

// names ranks the identifiers of the session by how likely later work needs them: how often they were
// said, by whom, how recently.
type names struct {
	src       *source
	byText    map[string]int
	all       []name
	paths     map[string]int
	lines     []*line // by path: the line above its names
	order     []string
	pathRanks *pathRanks
	edits     []map[int]int // by path: how often its edits say a name
	gone      []bool        // by path: its names are of no use any more
}

func (s *source) rankNames() *names {
	n := &names{src: s, byText: make(map[string]int), paths: make(map[string]int), pathRanks: s.rankPaths()}
	callPath := make(map[string]int)
	items := s.in.Items
	about := make([][]int, len(items))
	for i := range items {
		about[i] = n.place(&items[i], callPath)
	}
	looked := 0
	for i := len(items) - 1; i >= 0 && looked < namesLooked; i-- {
		it := &items[i]
		looked += len(it.Names)
		weight := weightOf(it)
		edit := len(about[i]) > 0 && changes(it)
		for _, text := range it.Names {
			e := n.count(text, weight, i, about[i])
			for _, p := range about[i] {
				if edit {
					n.edits[p][e]++
				}
			}
		}
	}
	return n
}

func weightOf(it *Item) float64 {
	switch {
	case isResult(it):
		return saidByTool
	case it.Prompt:
		return saidByUser
	default:
		return saidByAgent
	}
}

// changes reports whether an item makes calls that change files.
func changes(it *Item) bool {
	return slices.ContainsFunc(it.Calls, func(c sessions.Call) bool {
		return c.Op == intents.OpWrite || c.Op == intents.OpPatch
	})
}

// place says which files a message is about.
func (n *names) place(it *Item, callPath map[string]int) (paths []int) {
	for _, c := range it.Calls {
		if c.Target != "" && (c.Op == intents.OpWrite || c.Op == intents.OpPatch || c.Op == intents.OpRead) {
			p := n.path(n.src.present(n.src.path(c.Target)))
			callPath[c.ID] = p
			paths = append(paths, p)
		}
	}
	for _, r := range it.Results {
		if p, known := callPath[r.CallID]; known {
			paths = append(paths, p)
		}
	}
	return paths
}

func (n *names) path(p string) int {
	i, known := n.paths[p]
	if !known {
		i = len(n.order)
		n.paths[p] = i
		n.order = append(n.order, p)
		n.lines = append(n.lines, nil)
		n.edits = append(n.edits, make(map[int]int))
		n.gone = append(n.gone, false)
	}
	return i
}

// count takes one mention into account and returns the name's index.
func (n *names) count(text string, weight float64, item int, paths []int) int {
	i, known := n.byText[text]
	if !known {
		i = len(n.all)
		n.byText[text] = i
		n.all = append(n.all, name{text: text, owner: -1, seenAt: -1, last: item})
	}
	e := &n.all[i]
	e.said += weight
	for _, p := range paths {
		if e.seenAt != p {
			e.seenAt = p
			e.spread++
		}
		switch {
		case e.owner == p:
			e.balance += weight
		case e.balance < weight:
			e.owner, e.balance = p, weight-max(0, e.balance)
		default:
			e.balance -= weight
		}
	}
	return i
}

// worth is what a name is good for in the text, before its price: said often counts, said long ago counts
// less. It was fitted to what later calls of real sessions needed.
func (n *names) worth(e *name) float64 {
	const soon = 3 // items within which all mentions are as recent
	w := e.said / math.Sqrt(float64(len(n.src.in.Items)-e.last+soon))
	if n.src.focused(e.text) {
		w *= 4
	}
	return w
}

// price is about what a name costs in tokens: letters come in words, digits hardly do.
func price(text string) float64 {
	digits := 0
	for i := range len(text) {
		if '0' <= text[i] && text[i] <= '9' {
			digits++
		}
	}
	return 1 + float64(len(text)+4*digits)/4
}

// attach sets the line under which the names of a file are printed.
func (n *names) attach(path string, l *line) {
	if i, known := n.paths[path]; known {
		n.lines[i] = l
	}
}

// drop leaves out the names that belong to a file which is no longer there.
func (n *names) drop(path string) {
	if p, known := n.paths[path]; known {
		n.gone[p] = true
	}
}

// lead takes the names that say most about the edits of a file.
func (n *names) lead(path string) []string {
	p, known := n.paths[path]
	if !known {
		return nil
	}
	var list []int
	for e := range n.edits[p] {
		if useful(n.all[e].text, path) {
			list = append(list, e)
		}
	}
	score := func(i int) float64 {
		e := &n.all[i]
		s := n.worth(e) * float64(n.edits[p][i]) / float64(1+e.spread)
		if e.used {
			s /= 4 // printed elsewhere already
		}
		return s
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), strings.Compare(n.all[a].text, n.all[b].text))
	})
	var out []string
	for _, e := range list[:min(len(list), namesLead)] {
		n.all[e].used = true
		n.cover(n.all[e].text)
		out = append(out, oneLine(n.all[e].text, 80))
	}
	return out
}

// markPrinted marks the names in a text of the document as printed.
func (n *names) markPrinted(text string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}) {
		w = strings.Trim(w, ".")
		if i, known := n.byText[w]; known {
			n.all[i].used = true
			n.cover(w)
		}
	}
}

// isHash recognises an abbreviated hash or a part of an identifier made of hexadecimal digits.
func isHash(text string) bool {
	digits := 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c < 'a' || c > 'f':
			return false
		}
	}
	return digits > 0 && len(text) >= 6
}

// passing reports whether a name is a hash that a tool printed once or twice, as in a list of commits.
func passing(e *name) bool { return e.said < 2.5*saidByTool && isHash(e.text) }

// isHost recognises the name of a host, as in an address.
func isHost(text string) bool {
	dot := strings.LastIndexByte(text, '.')
	switch text[dot+1:] {
	case "com", "org", "net", "io", "dev", "ai":
		return dot > 0 && strings.ToLower(text) == text
	}
	return false
}

// useful leaves out what the path says already, and what no one would look for.
func useful(text, path string) bool {
	return len(text) >= 3 && len(text) <= 120 && !strings.ContainsAny(text, "/ ") && !strings.HasPrefix(text, "0x") &&
		text != "tool_use_error" && !strings.Contains(path, text) && !isHost(text)
}

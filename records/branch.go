package records

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// pageSize is the maximum number of nodes of a page, without the one that leads to the next page.
const pageSize = 100

// maxBranch is the maximum length of the id of a node with children, in bytes.
const maxBranch = 300

// branch is a page of a list, as the id of a node with children names it. The id is the path in the tree,
//
//	LIST, LIST/@PAGE, sessions/ID, sessions/ID/LIST/@PAGE, LIST/@PAGE/=FILE
//
// so that a record has a different id in each list: editors require unique ids.
type branch struct {
	kind    Kind   // of the list; KindSession or KindFile for the children of one
	session string // the session of the list; "": the whole ledger
	list    string // the id of the list
	here    string // the id of the page
	page    page
	file    string // of KindFile: see fileKey
}

// fileStep begins the step of an id that names a file.
const fileStep = "="

// page is the start of a page.
type page struct {
	skip   int   // number of nodes on earlier pages
	before int64 // of changes: the last one of the previous page; 0 on the first
	total  int   // of changes: their number, if before is set
}

// parseBranch parses the id of a node. Errors: invalid.
func parseBranch(id string) (branch, error) {
	var b branch
	way := walk{rest: strings.Split(id, "/")}
	ok := len(id) <= maxBranch && b.enter(&way, KindSessions, KindArtifacts, KindMemories, KindChanges)
	if ok && b.kind == KindSessions && len(way.rest) > 0 {
		b.session = way.next()
		b.kind, b.page = KindSession, page{}
		b.list = way.done
		ok = isDigits(b.session, hexDigits)
		if len(way.rest) > 0 && !strings.HasPrefix(way.rest[0], "@") {
			ok = ok && b.enter(&way, KindArtifacts, KindChanges)
		} else {
			ok = ok && b.turn(&way)
		}
	}
	if ok && b.kind == KindChanges && len(way.rest) > 0 {
		b.kind = KindFile
		b.file, ok = strings.CutPrefix(way.next(), fileStep)
		ok = ok && isDigits(b.file, hexDigits)
	}
	if !ok || len(way.rest) > 0 {
		return branch{}, fault.New(fault.Invalid, "records.tree", "%.1000q has no child nodes", id)
	}
	b.here = id
	return b, nil
}

// walk is a partly parsed path in the tree.
type walk struct {
	done string
	rest []string
}

// next returns the next step.
func (w *walk) next() string {
	step := w.rest[0]
	w.done, w.rest = strings.TrimPrefix(w.done+"/"+step, "/"), w.rest[1:]
	return step
}

// enter parses a list of one of these kinds and its page. It reports whether they are valid.
func (b *branch) enter(w *walk, kinds ...Kind) bool {
	b.kind = Kind(w.next())
	b.list = w.done
	return slices.Contains(kinds, b.kind) && b.turn(w)
}

// turn parses a page, if there is one. It reports whether it is valid.
func (b *branch) turn(w *walk) bool {
	if len(w.rest) == 0 || !strings.HasPrefix(w.rest[0], "@") {
		return true
	}
	skip, change, both := strings.Cut(w.next()[1:], "-")
	before, total, counted := strings.Cut(change, "-")
	var ok bool
	if b.page.skip, ok = number(skip); !ok || both != counted {
		return false
	}
	if !both {
		return true
	}
	n, ok := number(before)
	b.page.before = int64(n)
	if !ok {
		return false
	}
	b.page.total, ok = number(total)
	return ok
}

// number parses a positive number.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && isDigits(s, "0123456789")
}

// name returns a page as a step of a path.
func (p page) name() string {
	if p.before == 0 {
		return fmt.Sprintf("@%d", p.skip)
	}
	return fmt.Sprintf("@%d-%d-%d", p.skip, p.before, p.total)
}

// more returns the node that leads to the next page.
func (b branch) more(next page, left int) Node {
	return Node{ID: b.list + "/" + next.name(), Label: chars.Commas(left) + " more", Kind: KindMore, Children: true}
}

// pageOf returns the elements of a page of a whole list.
func pageOf[T any](b branch, all []T) []T {
	rest := all[min(b.page.skip, len(all)):]
	return rest[:min(pageSize, len(rest))]
}

// nodesOf returns the nodes of the elements of a page.
func nodesOf[T any](b branch, page []T, node func(branch, T) Node) []Node {
	nodes := make([]Node, 0, len(page)+1)
	for _, x := range page {
		nodes = append(nodes, node(b, x))
	}
	return nodes
}

// followed returns the nodes of a page with one for the next page, if there is one.
func (b branch) followed(nodes []Node, total int) []Node {
	skip := b.page.skip + len(nodes)
	if len(nodes) == 0 || skip >= total {
		return nodes
	}
	return append(nodes, b.more(page{skip: skip}, total-skip))
}

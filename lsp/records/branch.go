package records

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// pageSize is how many nodes a list has at most, without the one that stands for the rest.
const pageSize = 100

// maxBranch is the longest id of a node with children, in bytes.
const maxBranch = 300

// branch is what the id of a node with children names: a page of a list. The id is the way through the tree,
//
//	LIST, LIST/@PAGE, sessions/ID, sessions/ID/LIST/@PAGE
//
// so that the same thing has another id wherever it stands: editors want that.
type branch struct {
	kind    Kind   // of the list; KindSession is what lies below one
	session string // whose list; "": that of the ledger
	list    string // the id of the list
	here    string // the id of the page
	page    page
}

// page says where a page of a list begins.
type page struct {
	skip   int   // how many are on the pages before
	before int64 // of changes: the last one of the page before; 0 on the first
	total  int   // of changes: how many the list has, where before is set
}

// parseBranch reads the id of a node. Errors: invalid.
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
	if !ok || len(way.rest) > 0 {
		return branch{}, fault.New(fault.Invalid, "records.tree", "%.1000q is no node with children", id)
	}
	b.here = id
	return b, nil
}

// walk is a way through the tree.
type walk struct {
	done string
	rest []string
}

// next goes one step on.
func (w *walk) next() string {
	step := w.rest[0]
	w.done, w.rest = strings.TrimPrefix(w.done+"/"+step, "/"), w.rest[1:]
	return step
}

// enter goes into a list of one of these kinds, and to its page. It reports whether there is one.
func (b *branch) enter(w *walk, kinds ...Kind) bool {
	b.kind = Kind(w.next())
	b.list = w.done
	return slices.Contains(kinds, b.kind) && b.turn(w)
}

// turn goes to a page, if the way names one. It reports whether that is one.
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

// number reads a positive number.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && isDigits(s, "0123456789")
}

// name writes a page as a step of a way.
func (p page) name() string {
	if p.before == 0 {
		return fmt.Sprintf("@%d", p.skip)
	}
	return fmt.Sprintf("@%d-%d-%d", p.skip, p.before, p.total)
}

// more is the node for what follows on the next page.
func (b branch) more(next page, left int) Node {
	return Node{ID: b.list + "/" + next.name(), Label: chars.Commas(left) + " more", Kind: KindMore, Children: true}
}

// followed returns the nodes of a page of a list that has so many, with one for the rest.
func (b branch) followed(nodes []Node, total int) []Node {
	skip := b.page.skip + len(nodes)
	if len(nodes) == 0 || skip >= total {
		return nodes
	}
	return append(nodes, b.more(page{skip: skip}, total-skip))
}

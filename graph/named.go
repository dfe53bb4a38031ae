package graph

import (
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// maxHinted is how many operations an error names.
const maxHinted = 20

// Operation returns the operation that a person or an agent names: by one of its lines, or by the path of the block that
// contains it, of which one that sends something comes first. Errors: not_found; conflict where several operations of the block send
// something. Both name lines to choose from.
func (d *Document) Operation(name string) (*Operation, error) {
	const op = "graph.operation"
	wanted, err := strconv.Atoi(name)
	block := d.Find(name).Block
	var all, within []*Operation // that send something
	for _, o := range d.Operations {
		first, _ := d.Place(o.At.From)
		last, _ := d.Place(o.At.To)
		if err == nil && first <= wanted && wanted <= last {
			return o, nil
		}
		if len(d.Request(o)) > 0 {
			all = append(all, o)
			if o.Block == block {
				within = append(within, o)
			}
		}
	}
	short := chars.Short(name, 60)
	switch {
	case len(within) == 1:
		return within[0], nil
	case len(within) > 1:
		return nil, fault.New(fault.Conflict, op, "block %q of %s has %d operations that send something", short, d.Path,
			len(within)).WithHint("%s", d.choose(within))
	case block != nil && len(block.Operations()) == 1: // it sends nothing: Silent says why
		return block.Operations()[0], nil
	case len(all) == 0:
		return nil, fault.New(fault.NotFound, op, "%s has no operation that sends something", d.Path)
	}
	return nil, fault.New(fault.NotFound, op, "%s has no operation at %q", d.Path, short).WithHint("%s", d.choose(all))
}

// choose says on which lines operations begin, to name one.
func (d *Document) choose(all []*Operation) string {
	var lines []string
	for _, o := range all[:min(len(all), maxHinted)] {
		line, _ := d.Place(o.At.From)
		lines = append(lines, fmt.Sprintf("%d (@%s)", line, o.Name))
	}
	return "name a line of one: " + strings.Join(lines, ", ")
}

// Refer returns the reference of a path, with or without "/*". Errors: not_found, with the name that may be meant.
func (d *Document) Refer(path string) (Reference, error) {
	r := Reference{Path: strings.Trim(strings.TrimSpace(path), "/")}
	r.Path, r.Below = strings.CutSuffix(r.Path, "/*")
	m := d.Find(r.Path)
	if m.Block != nil {
		return r, nil
	}
	e := fault.New(fault.NotFound, "graph.block", "%s has no block %q", d.Path, chars.Short(m.Lost, 60))
	if in := m.In; in != nil {
		e.Message += " directly below " + in.Name()
	}
	if path := d.nearest(r.Path, d.blockNames(nil)); path != "" {
		return r, e.WithHint("did you mean %s?", path)
	}
	return r, e
}

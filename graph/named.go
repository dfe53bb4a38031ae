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
// contains it; of several the first that sends something. Errors: not_found, which names some that there are.
func (d *Document) Operation(name string) (*Operation, error) {
	wanted, err := strconv.Atoi(name)
	block := d.Find(name).Block
	var lines []string
	for _, o := range d.Operations {
		first, _ := d.Place(o.At.From)
		last, _ := d.Place(o.At.To)
		if err == nil && first <= wanted && wanted <= last || o.Block == block && len(d.Request(o)) > 0 {
			return o, nil
		}
		if len(lines) < maxHinted && len(d.Request(o)) > 0 {
			lines = append(lines, fmt.Sprintf("%d (@%s)", first, o.Name))
		}
	}
	e := fault.New(fault.NotFound, "graph.operation", "%s has no operation at %q", d.Path, chars.Short(name, 60))
	if len(lines) > 0 {
		return nil, e.WithHint("name a line of one: %s", strings.Join(lines, ", "))
	}
	return nil, e
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

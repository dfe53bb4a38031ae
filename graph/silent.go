package graph

import (
	"fmt"
	"strings"
)

// Silent says why an operation sends nothing: "it runs a command". It holds only for one of which Costs.Of says so.
func (d *Document) Silent(o *Operation) string {
	spec, known := operations[o.Name]
	switch at := o.Index; {
	case !known:
		return "there is no such operation"
	case d.grows().dead[at]:
		for d.grows().dead[at] { // the first one always runs
			at--
		}
		by := d.Operations[at]
		line, _ := d.Place(by.At.From)
		return fmt.Sprintf("it never runs, as @%s on line %d leaves", by.Name, line)
	case o.lacks():
		return "it has no " + strings.Join(spec.needs, " and no ")
	case o.own.idle:
		return "its parameters are not YAML (CG204)"
	case o.Name == "run":
		return "it runs a document, to which it gives nothing"
	case o.Name == "return":
		return "what it selects has no text"
	default:
		return "it " + spec.doc
	}
}

package artifacts

import (
	"bytes"
	"slices"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
)

// Bounds of one evaluation. A path can name the same bytes once per level of nesting, so the work
// is bounded as well as the input.
const (
	maxJSON     = 16 << 20  // bytes of content
	maxFound    = 1_000_000 // values at any step
	maxJSONWork = 256 << 20 // bytes looked at, about a second
)

// finder evaluates a path over JSON that is known to be valid, so walking needs no errors. A value is named by its span;
// nothing is decoded, so that numbers and the order of members stay as they are.
type finder struct {
	data []byte
	work int
}

// find returns the values at a path in the order in which the steps name them. When there are none,
// step is the index of the step that found nothing.
func (f *finder) find(path jsonPath) (found []jsonspan.Span, step int, err error) {
	found = []jsonspan.Span{jsonspan.New(f.data, jsonspan.MaxDepth).Value()}
	f.work = len(f.data)
	for i, s := range path {
		if s.kind == stepDeep {
			found, err = f.deep(found, s.name)
		} else {
			found, err = f.shallow(found, s)
		}
		if err != nil || len(found) == 0 {
			return nil, i, err
		}
	}
	return found, 0, nil
}

// shallow applies a step that goes one level down.
func (f *finder) shallow(in []jsonspan.Span, s jsonStep) (out []jsonspan.Span, err error) {
	for _, v := range in {
		out = append(out, f.children(v, s)...)
		if err := f.bounded(len(out)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// bounded returns an error when the evaluation has become too large.
func (f *finder) bounded(found int) error {
	if found > maxFound || f.work > maxJSONWork {
		return fault.New(fault.TooLarge, opRead,
			"`json_path` matches too many values (more than %s, or too deeply nested)", chars.Commas(maxFound)).
			WithHint(`narrow it with a range of elements: json_path="$.items[0:100]"`)
	}
	return nil
}

// at walks the value at a span.
func (f *finder) at(v jsonspan.Span) *jsonspan.Walker {
	return jsonspan.At(f.data, v, jsonspan.MaxDepth)
}

// each calls fn for each member (its name with the quotes) or element (the name empty) of a container.
func (f *finder) each(v jsonspan.Span, fn func(name, child jsonspan.Span)) {
	w := f.at(v)
	for name := range w.Inside {
		child := w.Value()
		f.work += child.To - child.From
		fn(name, child)
	}
}

// walk calls fn for each member at any depth of the value ahead, inner ones before the one that holds them, in a single
// pass.
func (f *finder) walk(w *jsonspan.Walker, fn func(name, child jsonspan.Span)) {
	from := w.Pos()
	if c := w.Peek(); c != '{' && c != '[' {
		f.work += w.Value().To - from
		return
	}
	for name := range w.Inside {
		child := jsonspan.Span{From: w.Pos()}
		f.walk(w, fn)
		if child.To = w.Pos(); !name.Empty() {
			fn(name, child)
		}
	}
}

// children returns the members or elements of v that a step names.
func (f *finder) children(v jsonspan.Span, s jsonStep) (out []jsonspan.Span) {
	isObject, isArray := f.data[v.From] == '{', f.data[v.From] == '['
	switch {
	case s.kind == stepMember && isObject:
		f.each(v, func(name, child jsonspan.Span) {
			if keyIs(name.In(f.data), s.name) {
				out = append(out[:0], child) // of repeated members the last one counts, as in decoders
			}
		})
	case s.kind == stepAll && (isObject || isArray):
		f.each(v, func(_, child jsonspan.Span) {
			if len(out) <= maxFound {
				out = append(out, child)
			}
		})
	case (s.kind == stepIndex || s.kind == stepRange) && isArray:
		out = f.elements(v, s)
	}
	return out
}

// elements returns the elements of an array that an index or a range names. It counts them first:
// bounds may count from the end, and an array may have millions.
func (f *finder) elements(v jsonspan.Span, s jsonStep) (out []jsonspan.Span) {
	n := 0
	f.each(v, func(_, _ jsonspan.Span) { n++ })
	from, to := s.within(n)
	i := 0
	f.each(v, func(_, child jsonspan.Span) {
		if from <= i && i < to && len(out) <= maxFound {
			out = append(out, child)
		}
		i++
	})
	return out
}

// deep returns the members called name anywhere inside the given values, in the order of the data,
// each once.
func (f *finder) deep(in []jsonspan.Span, name string) (out []jsonspan.Span, err error) {
	slices.SortFunc(in, func(a, b jsonspan.Span) int { return a.From - b.From })
	end := 0
	for _, v := range in {
		if v.From < end {
			continue // inside the value before, and found with it
		}
		end = v.To
		f.walk(f.at(v), func(key, child jsonspan.Span) {
			if len(out) <= maxFound && keyIs(key.In(f.data), name) {
				out = append(out, child)
			}
		})
		if err := f.bounded(len(out)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b jsonspan.Span) int { return a.From - b.From })
	return out, nil
}

// keyIs reports whether a member's key, in its quotes, is name.
func keyIs(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key[1:len(key)-1]) == name
	}
	return jsonspan.Unquote(key) == name
}

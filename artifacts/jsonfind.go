package artifacts

import (
	"bytes"
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// Bounds of one evaluation. A path can name the same bytes once per level of nesting, so the work
// is bounded as well as the input.
const (
	maxJSON     = 16 << 20  // bytes of content
	maxFound    = 1_000_000 // values at any step
	maxJSONWork = 256 << 20 // bytes looked at, about a second
)

// finder evaluates a path over JSON that is known to be valid. A value is named by where it lies;
// nothing is decoded, so that numbers and the order of members stay as they are.
type finder struct {
	data []byte
	work int
}

// value is where a value lies in the data: [from, to).
type value struct{ from, to int }

// find returns the values at a path in the order in which the steps name them. When there are none,
// step is the index of the step that found nothing.
func (f *finder) find(path jsonPath) (found []value, step int, err error) {
	found = []value{f.valueAt(0)}
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
func (f *finder) shallow(in []value, s jsonStep) (out []value, err error) {
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
		return fault.New(fault.TooLarge, opRead, "the json_path names too many values (more than %s, or too deeply nested)", chars.Commas(maxFound)).
			WithHint(`narrow it with a range of elements: json_path="$.items[0:100]"`)
	}
	return nil
}

// children returns the members or elements of v that a step names.
func (f *finder) children(v value, s jsonStep) (out []value) {
	isObject, isArray := f.data[v.from] == '{', f.data[v.from] == '['
	switch {
	case s.kind == stepMember && isObject:
		f.each(v, func(key []byte, child value) {
			if keyIs(key, s.name) {
				out = append(out[:0], child) // of repeated members the last one counts, as in decoders
			}
		})
	case s.kind == stepAll && (isObject || isArray):
		f.each(v, func(_ []byte, child value) {
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
func (f *finder) elements(v value, s jsonStep) (out []value) {
	n := 0
	f.each(v, func([]byte, value) { n++ })
	from, to := s.within(n)
	i := 0
	f.each(v, func(_ []byte, child value) {
		if from <= i && i < to && len(out) <= maxFound {
			out = append(out, child)
		}
		i++
	})
	return out
}

// deep returns the members called name anywhere inside the given values, in the order of the data,
// each once.
func (f *finder) deep(in []value, name string) (out []value, err error) {
	slices.SortFunc(in, func(a, b value) int { return a.from - b.from })
	end := 0
	for _, v := range in {
		if v.from < end {
			continue // inside the value before, and found with it
		}
		end = v.to
		f.walk(v.from, func(key []byte, child value) {
			if len(out) <= maxFound && keyIs(key, name) {
				out = append(out, child)
			}
		})
		if err := f.bounded(len(out)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b value) int { return a.from - b.from })
	return out, nil
}

// keyIs reports whether a member's key, in its quotes, is name.
func keyIs(key []byte, name string) bool {
	if bytes.IndexByte(key, '\\') < 0 {
		return string(key[1:len(key)-1]) == name
	}
	var s string
	return json.Unmarshal(key, &s) == nil && s == name
}

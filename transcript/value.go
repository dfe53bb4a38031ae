package transcript

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"ctxledger.dev/internal/jsonspan"
)

// Value returns a form of a message that all its spellings share: strings are compared by their characters, numbers by their
// exact decimal value, objects without the order of their members. Different values have different forms. Members of one
// name all count, in their order; halves of surrogate pairs stay what they are; a number whose exponent has more than 18
// digits is compared by its spelling.
//
// In the fields of the message, of its parts and of its calls some values are the same for every provider: a field that is
// null, an empty array or absent; a content that is a string or one part with that text; `cache_control` and none. What
// models and tools wrote (arguments, responses) is compared as it is.
// Errors: invalid for an unknown format and for what is not JSON.
func Value(f Format, message []byte) ([]byte, error) {
	c, err := codecOf(f)
	if err != nil {
		return nil, err
	}
	v := valuer{src: message, w: jsonspan.New(message, maxDepth), text: c.textType,
		out: make([]byte, 0, len(message)+len(message)/8)}
	v.value(true)
	return v.out, syntax(v.w.End())
}

// SameValue reports whether two messages have the same Value.
func SameValue(f Format, a, b []byte) bool {
	x, err := Value(f, a)
	if err != nil {
		return false
	}
	y, err := Value(f, b)
	return err == nil && bytes.Equal(x, y)
}

// holders are the fields whose objects, alone or in an array, have fields of the provider's own again.
var holders = map[string]bool{"content": true, "parts": true, "output": true, "summary": true, "tool_calls": true,
	"function": true, "custom": true, "function_call": true, "functionCall": true, "function_response": true,
	"functionResponse": true}

// valuer writes the form of one message. The form of each value begins with a byte for its kind and shows where it ends, so
// that different values have different forms.
type valuer struct {
	src     []byte
	w       *jsonspan.Walker
	text    func(role string) string // codec.textType
	out     []byte
	ordered []byte // members in their order, before they replace those in out
}

// field is a member in out.
type field struct {
	name, value Span
	none        bool // null or an empty array, in the provider's own fields
}

// value writes the value ahead. fields says whether its objects have the provider's own fields.
func (v *valuer) value(fields bool) {
	switch c := v.w.Peek(); c {
	case '{':
		v.object(fields)
	case '[':
		v.out = append(v.out, '[')
		for range v.w.Inside {
			v.value(fields)
		}
		v.out = append(v.out, ']')
	default:
		literal := v.w.Value().In(v.src)
		switch {
		case len(literal) == 0: // the walker keeps the error
		case c == '"':
			v.out = appendText(v.out, literal)
		case c == 't' || c == 'f' || c == 'n':
			v.out = append(v.out, c)
		default:
			v.out = appendNumber(v.out, literal)
		}
	}
}

// object writes the members of the object ahead in the order of their names.
func (v *valuer) object(fields bool) {
	var few [8]field
	members, inOrder := few[:0], true
	from := len(v.out)
	v.out = append(v.out, '{')
	for name := range v.w.Inside {
		m := field{name: emptyAt(len(v.out))}
		v.out = appendText(v.out, name.In(v.src))
		m.name.To = len(v.out)
		key := m.name.In(v.out)[textHead:]
		if fields && string(key) == "cache_control" {
			v.out = v.out[:m.name.From]
			continue // the walker passes over its value
		}
		v.value(fields && holders[string(key)])
		m.value = Span{From: m.name.To, To: len(v.out)}
		value := string(m.value.In(v.out))
		m.none = fields && (value == "n" || value == "[]")
		inOrder = inOrder && !m.none && (len(members) == 0 || v.byName(members[len(members)-1], m) <= 0)
		members = append(members, m)
	}
	if v.w.Err() != nil {
		return
	}
	if fields && v.unwrap(members) || !inOrder {
		slices.SortStableFunc(members, v.byName)
		v.ordered = v.ordered[:0]
		for i, m := range members {
			again := i > 0 && v.byName(members[i-1], m) == 0 || i+1 < len(members) && v.byName(m, members[i+1]) == 0
			if m.none && !again { // one of two members may be what counts
				continue
			}
			v.ordered = append(append(v.ordered, m.name.In(v.out)...), m.value.In(v.out)...)
		}
		v.out = append(v.out[:from+1], v.ordered...)
	}
	v.out = append(v.out, '}')
}

func (v *valuer) byName(a, b field) int { return bytes.Compare(a.name.In(v.out), b.name.In(v.out)) }

// unwrap gives a content that is an array of one part of text the text for its value, and reports whether there is one.
func (v *valuer) unwrap(members []field) (done bool) {
	if v.text == nil {
		return false
	}
	member := func(name string) *field {
		i := slices.IndexFunc(members, func(m field) bool { return string(m.name.In(v.out)[textHead:]) == name })
		if i < 0 {
			return nil
		}
		return &members[i]
	}
	for _, name := range []string{"content", "output"} {
		m := member(name)
		if m == nil || v.out[m.value.From] != '[' {
			continue
		}
		role := ""
		if m := member("role"); m != nil && v.out[m.value.From] == kindText {
			role = string(m.value.In(v.out)[textHead:])
		}
		head := appendText([]byte("[{"), []byte(`"text"`))
		tail := append(appendText(appendText(nil, []byte(`"type"`)), []byte(strconv.Quote(v.text(role)))), "}]"...)
		text, found := bytes.CutPrefix(m.value.In(v.out), head)
		text, ends := bytes.CutSuffix(text, tail)
		if found && ends && len(text) >= textHead && text[0] == kindText &&
			int(binary.BigEndian.Uint32(text[1:])) == len(text)-textHead {
			m.value = Span{From: m.value.From + len(head), To: m.value.To - len(tail)}
			done = true
		}
	}
	return done
}

// The form of a string: a byte for its kind, four for its length, and its characters in UTF-8.
const (
	kindText = 's'
	textHead = 1 + 4
)

// appendText writes a string literal. Behind 0xFF, which is in no UTF-8, is what is no character: half of a surrogate pair,
// or a byte.
func appendText(out, literal []byte) []byte {
	from := len(out)
	out = append(out, kindText, 0, 0, 0, 0)
	body := literal[1 : len(literal)-1]
	valid := utf8.Valid(body)
	for len(body) > 0 {
		r, n := jsonspan.Escape(body)
		switch {
		case n == 0 && valid:
			if n = bytes.IndexByte(body, '\\'); n < 0 {
				n = len(body)
			}
			out = append(out, body[:n]...)
		case n == 0:
			if r, n = utf8.DecodeRune(body); r == utf8.RuneError && n == 1 {
				out = append(out, 0xFF, 0)
			}
			out = append(out, body[:n]...)
		case utf16.IsSurrogate(r):
			out = append(out, 0xFF, byte(r>>8), byte(r))
		default:
			out = utf8.AppendRune(out, r)
		}
		body = body[n:]
	}
	binary.BigEndian.PutUint32(out[from+1:], uint32(len(out)-from-textHead))
	return out
}

// maxExponent is how many digits of an exponent are counted with.
const maxExponent = 18

// appendNumber writes a number as its digits, without zeros at either end, and the power of ten to multiply them by. Nothing
// is as long as the number would be in full.
func appendNumber(out, literal []byte) []byte {
	number, negative := bytes.CutPrefix(literal, []byte("-"))
	mantissa, power := number, []byte(nil)
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		mantissa, power = number[:i], number[i+1:]
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := bytes.TrimLeft(slices.Concat(whole, fraction), "0")
	if len(digits) == 0 {
		return append(out, "#0;"...)
	}
	size := bytes.TrimLeft(power, "+-0")
	if len(size) > maxExponent {
		return append(append(append(out, '%'), literal...), ';')
	}
	exponent, _ := strconv.ParseInt(string(size), 10, 64) // 0 for none
	if bytes.HasPrefix(power, []byte("-")) {
		exponent = -exponent
	}
	kept := bytes.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(kept) - len(fraction))
	out = append(out, '#')
	if negative {
		out = append(out, '-')
	}
	return append(strconv.AppendInt(append(append(out, kept...), 'e'), exponent, 10), ';')
}

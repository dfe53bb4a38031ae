package confedit

import (
	"bytes"
	"encoding/json"

	"github.com/tailscale/hujson"

	"ctxledger.dev/internal/fault"
)

// Remove takes an entry out of a text, or gives it the value that it replaced. What was made to hold it goes with it,
// unless it has come to hold something else. found is false if no form of the entry is there. Errors: those of Find.
func Remove(text []byte, u Undo, mine Mine) (out []byte, found bool, err error) {
	mark, text := split(text)
	state, value, err := Find(text, u.Entry, mine)
	if err != nil || state == Absent || state == Different && !mine(value) {
		return append([]byte(mark), text...), false, err
	}
	t, err := parse(text)
	if err != nil {
		return nil, false, err
	}
	if u.Was != nil {
		back := u.Entry
		back.Value = json.RawMessage(*u.Was)
		return append([]byte(mark), t.restore(back, value)...), true, nil
	}
	out, err = t.without(u, value)
	if err != nil {
		return nil, false, err
	}
	return append([]byte(mark), out...), true, nil
}

// restore puts a value back exactly as it was written.
func (t tree) restore(e Entry, found json.RawMessage) []byte {
	v, _, err := t.walk(e.Path)
	if err != nil {
		return t.text
	}
	if items, ok := t.items(v); e.List && ok {
		for _, x := range items {
			if bytes.Equal(t.raw(x.value), found) {
				v = x.value
				break
			}
		}
	}
	return splice(t.text, v.StartOffset, v.EndOffset, string(e.Value))
}

// without returns the text without an entry whose value was found, and without what was made to hold it.
func (t tree) without(u Undo, found json.RawMessage) ([]byte, error) {
	// The values that hold the entry, from the outermost.
	path := u.Path
	if !u.List {
		path = path[:len(path)-1]
	}
	made, depth := u.Made, len(path)
	for {
		holder, rest, err := t.walk(path[:depth])
		if err != nil || len(rest) > 0 {
			return t.text, err
		}
		items, _ := t.items(holder)
		n := -1
		for i, x := range items {
			switch {
			case depth == len(path) && u.List:
				if n < 0 && bytes.Equal(t.raw(x.value), found) {
					n = i
				}
			case x.name == u.Path[depth]:
				n = i
			}
		}
		if n < 0 {
			return t.text, fault.New(fault.Internal, op, "an entry is gone")
		}
		t.text = t.cut(items, n)
		if t, err = parse(t.text); err != nil {
			return nil, fault.Wrap(fault.Internal, op, err)
		}
		if holder, _, err = t.walk(path[:depth]); err != nil {
			return nil, fault.Wrap(fault.Internal, op, err)
		}
		inside := bytes.TrimSpace(t.text[holder.StartOffset+1 : holder.EndOffset-1])
		if len(items) > 1 || made > 0 && len(inside) > 0 {
			return t.text, nil
		}
		if made == 0 {
			return t.emptied(u, holder, inside), nil
		}
		made--
		depth--
	}
}

// emptied returns the text when the value that an entry was added to holds no item any more.
func (t tree) emptied(u Undo, holder hujson.Value, inside []byte) []byte {
	if u.Blank != nil && holder.StartOffset == t.top.StartOffset && len(inside) == 0 {
		return []byte(*u.Blank)
	}
	if u.Inside != nil && bytes.Equal(inside, bytes.TrimSpace([]byte(*u.Inside))) {
		return splice(t.text, holder.StartOffset+1, holder.EndOffset-1, *u.Inside)
	}
	return t.text
}

// cut returns the text without an item, and without the comma and the white space that were there for it.
func (t tree) cut(items []item, n int) []byte {
	x := items[n]
	from := len(bytes.TrimRight(t.text[:x.start], " \t\r\n"))
	switch {
	case x.comma == x.end:
		return splice(t.text, from, x.end+1, "")
	case x.comma >= 0: // a comment before it stays
		return splice(splice(t.text, x.comma, x.comma+1, ""), from, x.end, "")
	}
	out := splice(t.text, from, x.end, "")
	if n > 0 {
		comma := items[n-1].comma
		out = splice(out, comma, comma+1, "")
	}
	return out
}

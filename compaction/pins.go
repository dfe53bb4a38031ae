package compaction

import (
	"slices"
	"strings"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/pattern"
	"ctxledger.dev/sessions"
)

const (
	pinsHead = "[PINNED — verbatim]"
	// pinsMost bounds the pinned things of one call.
	pinsMost = 64
	below    = "(in full below)"
)

var messageID = pattern.Lazy(`^[0-9a-f]{12,32}(\.\d+)?$`)

// A pin is something that stays verbatim.
type pin struct {
	layout.Entry
	asked bool // by this call, not by an earlier one
}

// addPins adds what the caller pinned, and what earlier callers pinned.
func addPins(s *source, d *layout.Document) error {
	pins, ids, err := pinsOf(s)
	if err != nil {
		return err
	}
	s.pinned = ids
	b := d.Block(&layout.Block{Head: pinsHead})
	for i, p := range pins {
		d.Add(b, &layout.Line{Text: layout.Print(p.Entry), Class: layout.ClassPin, Must: p.asked,
			Anchor: "pin:" + p.Label, Pos: int64(i + 1)})
	}
	return nil
}

// pinsOf returns what this call pins, then what earlier ones did, and the ids of the messages among them. Earlier
// pins are parsed from the text of the earlier summary.
func pinsOf(s *source) ([]pin, map[string]bool, error) {
	ids := make(map[string]bool)
	var out []pin
	add := func(p pin) {
		p.Text = strings.TrimSpace(chars.Strip(p.Text))
		same := func(q pin) bool { return q.Text == p.Text && (p.Text != below || q.Label == p.Label) }
		if p.Text != "" && !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	for _, asked := range s.o.Pin {
		e, err := resolvePin(s, asked, ids)
		if err != nil {
			return nil, nil, err
		}
		add(pin{e, true})
	}
	earlier := layout.Unquote(layout.BlockWith(s.in.PreviousText, pinsHead))
	earlier = append(earlier, layout.Unquote(layout.BlockWith(s.in.PreviousText, windowHead))...)
	for _, e := range earlier {
		if id, ok := strings.CutPrefix(e.Label, "message "); ok {
			id, _, _ = strings.Cut(id, ",")
			if again, err := resolvePin(s, id, ids); err == nil {
				e = again
			}
		} else if e.Label != "pin" {
			continue // a request: requests are chosen again
		}
		add(pin{e, false})
	}
	return out, ids, nil
}

// resolvePin returns the text of a pin. not_found: it has the form of a message id, and no message has it.
func resolvePin(s *source, what string, ids map[string]bool) (layout.Entry, error) {
	if !messageID().MatchString(what) {
		return layout.Entry{Label: "pin", Text: what}, nil
	}
	what, _ = sessions.SplitHandle(what)
	for i := range s.in.Items {
		it := &s.in.Items[i]
		if !strings.HasPrefix(it.ID, what) {
			continue
		}
		e := layout.Entry{Label: "message " + handleOf(it.ID) + ", " + layout.Turn(it.Turn), Text: below}
		if i >= s.cut {
			return e, nil
		}
		if ids[it.ID] = true; isResult(it) {
			return textOfResults(s.in, it, e)
		}
		var err error
		e.Text, err = s.in.textOf(it)
		return e, err
	}
	return layout.Entry{}, fault.New(fault.NotFound, "compaction.plan", "pinned message %s is not in this session",
		what)
}

func textOfResults(in *Input, it *Item, e layout.Entry) (layout.Entry, error) {
	var parts []string
	for _, r := range it.Results {
		text, err := in.resultOf(it, r.CallID)
		if err != nil {
			return e, err
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	e.Text = strings.Join(parts, "\n")
	return e, nil
}

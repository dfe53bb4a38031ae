package compaction

import (
	"encoding/json"
	"slices"
	"sync"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// masked returns an input and options whose words are masked; messages are masked as they are loaded. Everything in a
// document or a brief is made from them, so that nothing is taken out of its label, or cut, before its secrets are gone.
func masked(in Input, o Options) (Input, Options) {
	if in.Mask == nil {
		return in, o
	}
	m := masker(in.mask)
	m.words(&in.Session.Title, &in.Session.Dir, &in.PreviousText, &o.Notes, &o.Focus, &o.Reason)
	o.Pin = slices.Clone(o.Pin)
	for i := range o.Pin {
		m.words(&o.Pin[i])
	}
	in.Operations, in.Items, in.Artifacts = slices.Clone(in.Operations), slices.Clone(in.Items),
		slices.Clone(in.Artifacts)
	for _, noted := range []*[]Noted{&in.Notes, &in.Attempts} {
		*noted = slices.Clone(*noted)
		for i := range *noted {
			m.words(&(*noted)[i].Text)
		}
	}
	for i := range in.Operations {
		m.operation(&in.Operations[i])
	}
	for i := range in.Items {
		m.calls(&in.Items[i].Calls)
	}
	for i := range in.Artifacts {
		m.words(&in.Artifacts[i].Label)
	}
	return in, o
}

// mask masks the secrets in a text after removing invisible characters, which could hide one.
func (in *Input) mask(text string) string {
	if in.Mask == nil || text == "" {
		return text
	}
	return in.Mask(chars.Strip(text))
}

// masker masks the secrets in a text.
type masker func(string) string

func (m masker) words(words ...*string) {
	for _, w := range words {
		*w = m(*w)
	}
}

// maskMessage masks the words of a message, and its arguments once they are asked for. It returns its size, too.
func (in *Input) maskMessage(read transcript.Message) (m message, size int) {
	m.Message = read
	m.Parts = slices.Clone(read.Parts)
	for i := range m.Parts {
		p := &m.Parts[i]
		size += len(p.Text) + len(p.Args)
		masker(in.mask).words(&p.Text, &p.Name)
		if args := p.Args; args != nil {
			if m.args == nil {
				m.args = make(map[string]func() json.RawMessage)
			}
			m.args[p.ID], p.Args = sync.OnceValue(func() json.RawMessage { return maskArgs(args, in.Mask) }), nil
		}
	}
	return m, size
}

// maskArgs masks arguments string by string: escapes hide nothing there.
func maskArgs(args json.RawMessage, mask func(string) string) json.RawMessage {
	if mask == nil {
		return args
	}
	var v any
	if json.Unmarshal(args, &v) != nil {
		return nil // no arguments that a tool could have read
	}
	m := masker(func(text string) string { return mask(chars.Strip(text)) })
	out, _ := json.Marshal(m.value(v)) // of what was just decoded
	return out
}

// value masks the strings in a JSON value, and the names of its members.
func (m masker) value(v any) any {
	switch v := v.(type) {
	case string:
		return m(v)
	case []any:
		for i := range v {
			v[i] = m.value(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, member := range v {
			out[m(k)] = m.value(member)
		}
		return out
	}
	return v
}

func (m masker) operation(op *Operation) {
	m.words(&op.Agent, &op.Name, &op.Target, &op.From, &op.Command, &op.Error, &op.Outcome)
}

func (m masker) calls(list *[]sessions.Call) {
	*list = slices.Clone(*list)
	for i := range *list {
		c := &(*list)[i]
		m.words(&c.Name, &c.Target, &c.From)
	}
}

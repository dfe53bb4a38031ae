package compaction

import (
	"encoding/json"
	"slices"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// masked returns an input and options whose words are masked. Everything in a document or a brief is made from
// them, so that nothing is taken out of its label, or cut, before its secrets are gone.
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
	if load := in.Message; load != nil {
		in.Message = func(seq int64) (transcript.Message, error) {
			msg, err := load(seq)
			msg.Parts = slices.Clone(msg.Parts)
			for i := range msg.Parts {
				m.part(&msg.Parts[i])
			}
			return msg, err
		}
	}
	in.Operations, in.Items, in.Artifacts = slices.Clone(in.Operations), slices.Clone(in.Items),
		slices.Clone(in.Artifacts)
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

// part masks the words of one part of a message. Arguments are masked string by string: escapes hide nothing there.
func (m masker) part(p *transcript.Part) {
	m.words(&p.Text, &p.Name)
	if len(p.Args) == 0 {
		return
	}
	var v any
	if json.Unmarshal(p.Args, &v) != nil {
		p.Args = nil // no arguments that a tool could have read
		return
	}
	p.Args, _ = json.Marshal(m.value(v)) // of what was just decoded
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

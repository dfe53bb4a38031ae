package compaction

import (
	"slices"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/sessions"
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
	in.Text, in.Reasoning = m.reader(in.Text), m.reader(in.Reasoning)
	if result := in.Result; result != nil {
		in.Result = func(seq int64, callID string) (string, error) {
			text, err := result(seq, callID)
			return m(text), err
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

// reader masks what a function returns; nil stays nil.
func (m masker) reader(read func(int64) (string, error)) func(int64) (string, error) {
	if read == nil {
		return nil
	}
	return func(seq int64) (string, error) {
		text, err := read(seq)
		return m(text), err
	}
}

func (m masker) operation(op *Operation) {
	m.words(&op.Agent, &op.Name, &op.Target, &op.From, &op.Command, &op.Error, &op.Outcome)
	op.Acts = slices.Clone(op.Acts)
	for i := range op.Acts {
		m.words(&op.Acts[i].From, &op.Acts[i].To)
	}
}

func (m masker) calls(list *[]sessions.Call) {
	*list = slices.Clone(*list)
	for i := range *list {
		c := &(*list)[i]
		m.words(&c.Name, &c.Target, &c.From)
	}
}

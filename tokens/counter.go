package tokens

import "strconv"

// Counter counts for one model. It is a small value; make one with For. The zero Counter is
// that of an unknown model.
type Counter struct {
	model     string
	family    family
	estimator *Estimator // nil: the family's prior
}

// For returns the counter of a model, by its name as a provider or an agent spells it:
// "gpt-4o", "claude-sonnet-4-5-20250929", "anthropic/claude-opus-4.6", "models/gemini-2.5-pro".
// OpenAI's models are counted exactly. Claude, Gemini and unknown models, "" among them, are
// estimated from the o200k_base count.
func For(model string) Counter {
	return Counter{model: model, family: lookup(model).family}
}

// Model returns the name that the counter was made for.
func (c Counter) Model() string { return c.model }

// With returns the counter with an estimator of its model that has learnt. One that has not changes
// nothing, nor does any where counts are exact. The estimator must not learn any more.
func (c Counter) With(e *Estimator) Counter {
	if e != nil && e.learned > 0 && !c.Exact() {
		c.estimator = e
	}
	return c
}

// Exact reports whether Count counts as the model's own tokenizer does.
func (c Counter) Exact() bool { return priors[c.family].exact }

// Quality says where counts come from: "exact", "calibrated(57)" on so many measurements, or "prior".
func (c Counter) Quality() string {
	switch {
	case c.Exact():
		return "exact"
	case c.estimator != nil:
		return "calibrated(" + strconv.FormatInt(c.estimator.learned, 10) + ")"
	}
	return "prior"
}

// Encoding returns the encoding that Count counts in: the model's own, or O200kBase for a
// model that is estimated.
func (c Counter) Encoding() *Encoding { return priors[c.family].encoding }

// Count returns the number of tokens of text.
func (c Counter) Count(text string) Count {
	if c.estimator != nil {
		return c.estimator.Estimate(FeaturesOf(text))
	}
	e := c.Encoding()
	n := e.CountString(text)
	if c.Exact() {
		return Count{N: n, Exact: true, Upper: n}
	}
	return c.Of(n)
}

// Of returns the count of a text whose o200k_base count is known. It is exact for models of
// that encoding only. With an estimator that has learnt, the text is taken to have the features of
// those that were measured, in the mean. A negative o200k counts as 0.
func (c Counter) Of(o200k int) Count {
	if c.estimator != nil {
		return c.estimator.estimateTokens(o200k)
	}
	n := max(o200k, 0)
	p := priors[c.family]
	if p.exact && p.encoding == O200kBase {
		return Count{N: n, Exact: true, Upper: n}
	}
	n = percent(n, p.share)
	return Count{N: n, Upper: percentUp(n, p.upper)}
}

// percent returns share percent of n, rounded to the nearest. Integers, because floats may
// differ by one between machines.
func percent(n, share int) int { return int((int64(n)*int64(share) + 50) / 100) }

// percentUp returns share percent of n, rounded up.
func percentUp(n, share int) int { return int((int64(n)*int64(share) + 99) / 100) }

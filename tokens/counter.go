package tokens

// Counter counts for one model. It is a small value; make one with a Registry. The zero Counter is
// that of an unknown model.
type Counter struct {
	model    string
	encoding *Encoding // the model's own; nil: estimate
	family   Family
}

// Model returns the name that the counter was made for.
func (c Counter) Model() string { return c.model }

// Encoding returns the encoding that Count counts in: the model's own, or O200kBase for a
// model that is estimated.
func (c Counter) Encoding() *Encoding {
	if c.encoding == nil {
		return O200kBase
	}
	return c.encoding
}

// Exact reports whether Count counts as the model's own tokenizer does.
func (c Counter) Exact() bool { return c.encoding != nil }

// Count returns the number of tokens of text.
func (c Counter) Count(text string) Count {
	n := c.Encoding().CountString(text)
	if c.Exact() {
		return Count{N: n, Exact: true, Upper: n}
	}
	return c.Of(n)
}

// Of returns the count of a text whose o200k_base count is known. It is exact for models of
// that encoding only. A negative o200k counts as 0.
func (c Counter) Of(o200k int) Count {
	n := max(o200k, 0)
	switch c.encoding {
	case O200kBase:
		return Count{N: n, Exact: true, Upper: n}
	case CL100kBase:
		return Count{N: n, Upper: percentUp(n, defaultUpper)} // Chinese takes 27 % more
	}
	p := priors[c.family]
	n = percent(n, p.share)
	return Count{N: n, Upper: percentUp(n, p.upper)}
}

// percent returns share percent of n, rounded to the nearest. Integers, because floats may
// differ by one between machines.
func percent(n, share int) int { return int((int64(n)*int64(share) + 50) / 100) }

// percentUp returns share percent of n, rounded up.
func percentUp(n, share int) int { return int((int64(n)*int64(share) + 99) / 100) }

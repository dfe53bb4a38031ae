package tokens

import (
	"io"
	"strconv"
)

// Counter counts for one model. It is a small value; make one with a Registry, or of an Encoding. The
// zero Counter is that of an unknown model.
type Counter struct {
	model     string
	encoding  *Encoding // the model's own; nil: estimate
	family    Family
	estimator *Estimator // nil: the family's prior
}

// Counter returns the counter of the models that have the encoding; it has no model's name.
func (e *Encoding) Counter() Counter { return Counter{encoding: e} }

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

// Quality says where counts come from: "exact", "calibrated(57)" on so many measurements, or "prior".
func (c Counter) Quality() string {
	switch {
	case c.Exact():
		return "exact"
	case c.estimator != nil:
		return "calibrated(" + strconv.FormatInt(c.Measurements(), 10) + ")"
	}
	return "prior"
}

// Measurements returns how many measurements correct the counts; 0: none.
func (c Counter) Measurements() int64 {
	if c.estimator == nil {
		return 0
	}
	return c.estimator.learned
}

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
	if c.estimator != nil {
		return c.estimator.Estimate(FeaturesOf(text))
	}
	return c.counted(c.Encoding().CountString(text))
}

// CountIn is Count for the bytes of an indexed text from from to before to: see Index.Count. The index must be of the
// counter's Encoding.
func (c Counter) CountIn(x *Index, from, to int) Count {
	if c.estimator != nil {
		return c.estimator.Estimate(x.Features(from, to))
	}
	return c.counted(x.Count(from, to))
}

// counted returns the count of a text that has n tokens in the counter's encoding; there is no estimator.
func (c Counter) counted(n int) Count {
	if c.Exact() {
		return Count{N: n, Exact: true, Upper: n}
	}
	return c.Of(n)
}

// CountReader is Count for the text that r yields, which is not held in memory. Errors: those of
// Encoding.CountReader; what was counted until then comes along.
func (c Counter) CountReader(r io.Reader) (Count, Reading, error) {
	if c.estimator != nil {
		var s shaper
		found, err := O200kBase.CountReader(io.TeeReader(r, &s))
		return c.estimator.Estimate(s.features(found.N)), found, err
	}
	found, err := c.Encoding().CountReader(r)
	return c.counted(found.N), found, err
}

// Of returns the count of a text whose o200k_base count is known. It is exact for models of
// that encoding only. With an estimator that has learnt, the text is taken to have the features of
// those that were measured, in the mean. A negative o200k counts as 0.
func (c Counter) Of(o200k int) Count {
	if c.estimator != nil {
		return c.estimator.estimateTokens(o200k)
	}
	n := max(o200k, 0)
	switch c.encoding {
	case O200kBase:
		return Count{N: n, Exact: true, Upper: n}
	case CL100kBase:
		return Count{N: n, Upper: percentUp(n, defaultUpper)} // Chinese takes 27% more
	}
	p := priors[c.family]
	n = percent(n, p.share)
	return Count{N: n, Upper: percentUp(n, p.upper)}
}

// OfFeatures returns the count of a text of which only its features are known.
func (c Counter) OfFeatures(f Features) Count {
	if c.estimator != nil {
		return c.estimator.Estimate(f)
	}
	return c.Of(f[FeatureTokens])
}

// percent returns share percent of n, rounded to the nearest. Integers, because floats may
// differ by one between machines.
func percent(n, share int) int { return int((int64(n)*int64(share) + 50) / 100) }

// percentUp returns share percent of n, rounded up.
func percentUp(n, share int) int { return int((int64(n)*int64(share) + 99) / 100) }

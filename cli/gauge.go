package cli

import (
	"context"
	"io"

	"ctxledger.dev/tokens"
)

// gauge counts texts for a model or in an encoding.
type gauge struct {
	model    string // "" where an encoding was asked for
	encoding *tokens.Encoding
	of       func(n int) tokens.Count // what n tokens of the encoding are for the model
	counter  *tokens.Counter          // of the model; nil where an encoding was asked for
}

// gaugeOf returns the gauge that the flags ask for. Errors: wrong use; those of models, and of a model's
// rank file.
func (a *app) gaugeOf(ctx context.Context, model, encoding string) (gauge, error) {
	switch {
	case model != "" && encoding != "":
		return gauge{}, misuse("give --model or --encoding, not both")
	case encoding != "":
		e, err := tokens.ParseEncoding(encoding)
		if err != nil {
			return gauge{}, usageError{error: err}
		}
		return gauge{encoding: e, of: exactly}, nil
	case model == "":
		return gauge{encoding: tokens.O200kBase, of: exactly}, nil
	}
	models, err := a.models()
	if err != nil {
		return gauge{}, err
	}
	m, err := models.Exact(model)
	if err != nil {
		return gauge{}, err
	}
	m = a.calibrated(ctx, m)
	g := gauge{model: model, encoding: m.Encoding(), of: m.Of, counter: &m}
	if m.Exact() {
		g.of = exactly
	}
	return g, nil
}

// exactly is for models whose own encoding counts.
func exactly(n int) tokens.Count { return tokens.Count{N: n, Exact: true, Upper: n} }

// read counts the text that r yields. Errors: those of r, too_large for what cannot be cut.
func (g gauge) read(r io.Reader) (tokens.Count, tokens.Reading, error) {
	if g.counter != nil {
		return g.counter.CountReader(r)
	}
	found, err := g.encoding.CountReader(r)
	return g.of(found.N), found, err
}

package cli

import (
	"context"

	"ctxledger.dev/tokens"
)

// counterOf returns the counter that the flags ask for. Errors: wrong use; those of models.
func counterOf(ctx context.Context, a *action, model, encoding string) (tokens.Counter, error) {
	switch {
	case model != "" && encoding != "":
		return tokens.Counter{}, misuse("give --model or --encoding, not both")
	case encoding != "":
		e, err := tokens.ParseEncoding(encoding)
		if err != nil {
			return tokens.Counter{}, usageError{error: err}
		}
		return e.Counter(), nil
	case model == "":
		return tokens.O200kBase.Counter(), nil
	}
	models, err := a.models()
	if err != nil {
		return tokens.Counter{}, err
	}
	return models.Counter(model, learnt(ctx, a, model))
}

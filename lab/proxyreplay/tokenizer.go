package main

import "ctxledger.dev/tokens"

// growth is by how much a request is larger than the one before.
type growth struct {
	model    string
	features tokens.Features // of what neither the model said nor the request before had
	answer   int64           // of the request before, as its provider reported it
	measured int64           // by how much it grew
	anew     bool            // the agent has compacted: features are of all that it has
}

// growths returns those of a session, request by request.
func (m *messagesOf) growths() (out []growth) {
	known := map[string]bool{}
	for i, q := range m.requests {
		g := growth{model: q.Model, anew: q.Compacted || i == 0, measured: int64(q.Usage.Prompt())}
		if !g.anew {
			g.answer = m.requests[i-1].Usage.Output
			g.measured -= int64(m.requests[i-1].Usage.Prompt())
		}
		for _, said := range m.of(q) {
			for _, b := range said.blocks {
				if fresh := !known[b.id]; (fresh && !b.said) || g.anew {
					g.features = g.features.Plus(tokens.FeaturesOf(b.text))
					g.features[tokens.FeatureBlocks]++
				}
				known[b.id] = true
			}
		}
		out = append(out, g)
	}
	return out
}

// halves are estimators by model that have learnt from every other session: sessions are predicted by those of the half
// that they are not in.
type halves [2]map[string]*tokens.Estimator

// of returns the estimator of a half for a model.
func (h *halves) of(half int, model string) *tokens.Estimator {
	if h[half] == nil {
		h[half] = map[string]*tokens.Estimator{}
	}
	if h[half][model] == nil {
		h[half][model] = tokens.NewEstimator(model)
	}
	return h[half][model]
}

// learn learns from a session.
func (h *halves) learn(half int, all []growth) {
	for _, g := range all {
		if !g.anew {
			h.of(half, g.model).Learn(g.features, g.measured-g.answer)
		}
	}
}

// sizes returns how large the requests of a session are by estimators. The first one is as recorded, since what it has
// besides messages is not known.
func (h *halves) sizes(half int, all []growth) (out []float64) {
	prompt, size := 0.0, 0.0
	for i, g := range all {
		guess := float64(h.of(half, g.model).Estimate(g.features).N)
		switch {
		case i == 0:
			size = float64(g.measured)
			prompt = size - guess
		case g.anew:
			size = prompt + guess
		default:
			size += guess + float64(g.answer)
		}
		out = append(out, size)
	}
	return out
}

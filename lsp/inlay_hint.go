package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"ctxledger.dev/lsp/anyfile"
)

// inlayHint shows the cost of large sections behind their names.
func (s *folder) inlayHint(_ context.Context, d *document,
	p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	least := s.snapshot().settings.Hints
	if least <= 0 {
		return nil, nil
	}
	from, to := bytesOf(d.text, p.Range)
	hints := []protocol.InlayHint{}
	yes := true
	for _, h := range anyfile.Hints(s.file(d), from, to, least) {
		hints = append(hints, protocol.InlayHint{
			Position: at(d.text, h.At), Label: protocol.String(h.Label + " tokens"), PaddingLeft: &yes,
			Tooltip: protocol.String("how many tokens this section has, counted on its own"),
		})
	}
	return hints, nil
}

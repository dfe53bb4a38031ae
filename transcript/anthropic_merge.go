package transcript

import (
	"bytes"

	"ctxledger.dev/internal/fault"
)

func mergeAnthropic(raws [][]byte) ([]byte, error) {
	var head anthropicMessage
	var results, rest [][]byte
	for i, raw := range raws {
		a, err := readAnthropic(raw)
		if err != nil {
			return nil, fault.New(fault.Invalid, op, "record %d: %v", i, err)
		}
		if i == 0 {
			head = a
		}
		if a.role != head.role {
			return nil, fault.New(fault.Invalid, op, "record %d has role %q, the first one %q", i, a.role, head.role)
		}
		if lit := a.content.In(raw); lit[0] == '"' && len(lit) > 2 {
			rest = append(rest, textBlock("text", lit))
		}
		for _, b := range a.blocks {
			block := b.at.In(raw)
			if b.part.Kind == KindResult && !b.part.Sealed {
				results = append(results, block)
			} else {
				rest = append(rest, block)
			}
		}
	}
	content := bytes.Join(append(results, rest...), []byte(","))
	content = append(append([]byte{'['}, content...), ']')
	return apply(raws[0], []splice{{head.content, content}}), nil
}

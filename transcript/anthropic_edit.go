package transcript

func editAnthropic(raw []byte, e Edits) ([]byte, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return nil, err
	}
	return a.edit(e, anthropicResult, func(b block, literal []byte) ([]splice, error) {
		return replaceText(b.node, "content", "text", literal)
	})
}

func mergeAnthropic(raws [][]byte) ([]byte, error) {
	return mergeBlocks(raws, readAnthropic, func(role string) string { return role })
}

// resultsFirst puts the results of a message in front of its other blocks, as Anthropic's documentation asks: hosts hand
// in texts and images before and between them.
func resultsFirst(raw []byte) ([]byte, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return nil, err
	}
	other := false
	for _, b := range a.blocks {
		if result := b.part.Kind == KindResult && !b.part.Sealed; result && other {
			return mergeAnthropic([][]byte{raw})
		} else if !result {
			other = true
		}
	}
	return raw, nil
}

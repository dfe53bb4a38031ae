package transcript

func editAnthropic(raw []byte, e Edits) ([]byte, error) {
	a, err := readAnthropic(raw)
	if err != nil {
		return nil, err
	}
	return a.edit(e, buildBlock, func(b block, literal []byte) ([]splice, error) {
		return replaceText(b.node, "content", "text", literal)
	})
}

func mergeAnthropic(raws [][]byte) ([]byte, error) {
	return mergeBlocks(raws, readAnthropic, func(role string) string { return role })
}

package transcript

func editGemini(raw []byte, e Edits) ([]byte, error) {
	c, err := readGemini(raw)
	if err != nil {
		return nil, err
	}
	c.rename(e.IDs)
	return c.edit(e, geminiResult, func(b block, literal []byte) ([]splice, error) {
		return geminiPart{b}.replaceText(literal)
	})
}

// rename gives the calls and results of a content the ids by which edits name them.
func (m blockMessage) rename(ids []string) {
	named := Message{Parts: m.parts()}
	Identify(&named, ids)
	for i := range m.blocks {
		m.blocks[i].part.ID = named.Parts[i].ID
	}
}

// replaceText returns the splices that put a literal in the place of a result's text.
func (p geminiPart) replaceText(literal []byte) ([]splice, error) {
	n, err := readNode(p.src, p.data, "functionResponse")
	if err != nil {
		return nil, err
	}
	at := n.get("response")
	if at.Empty() {
		end := n.at.To - 1
		return []splice{{emptyAt(end), joined(`,"response":`, string(response(literal, false)))}}, nil
	}
	text, _, err := readObject(p.src, at)
	if err != nil {
		return nil, err
	}
	if !text.Empty() {
		return []splice{{text, literal}}, nil
	}
	return []splice{{at, response(literal, p.part.IsError)}}, nil
}

func mergeGemini(raws [][]byte) ([]byte, error) {
	return mergeBlocks(raws, readGemini, func(role string) string {
		if role == "model" {
			return role
		}
		return "user" // who hands in results, too
	})
}

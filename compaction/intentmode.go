package compaction

// write makes the document for the compacted range. need is 0, or the tokens that it takes at least
// when the budget is too small for what must be in it.
func (s *source) write() (text string, need int, err error) {
	d := &document{}
	pinned, err := s.addPins(d)
	if err != nil {
		return "", 0, err
	}
	n := s.rankNames()
	if err := s.addRequests(d, n, pinned); err != nil {
		return "", 0, err
	}
	s.addOpen(d)
	s.addFiles(d, n)
	s.addCommands(d, n)
	s.addNotes(d)
	if err := s.addEarlier(d); err != nil {
		return "", 0, err
	}
	s.addNarrative(d)
	if err := s.addReasoning(d); err != nil {
		return "", 0, err
	}
	if err := s.addSaid(d); err != nil {
		return "", 0, err
	}
	s.addExplored(d, n)
	s.addArtifacts(d)
	s.addFailure(d)
	s.addBody(d)
	n.add(d)
	text, size, ok := d.fill(s.budget)
	if s.carry(d) {
		text, size, ok = d.fill(s.budget)
	}
	if more, err := s.retain(d, text); err != nil {
		return "", 0, err
	} else if more {
		text, size, ok = d.fill(s.budget)
	}
	if !ok {
		return text, d.need(size), nil
	}
	return text, 0, nil
}

package window

// leastResult is how much of a result stays when all of them have to be cut, in characters.
const leastResult = 200

// tokenWindow keeps all results together within a budget. First the oldest go, but none of the newest unit; if that is not
// enough, all that are left are cut to equal shares.
func tokenWindow(s *scene) (out []Edit) {
	budget := s.policy.InTurnTokens
	if budget <= 0 {
		return nil
	}
	over := -budget
	for i := range s.acts {
		over += s.count(s.acts[i].resultTokens)
	}
	var left []*act
	for i := range s.acts {
		a := &s.acts[i]
		switch {
		case a.result == nil:
		case over > 0 && a.unit != s.newest() && !s.isCleared(a):
			for _, e := range s.hide(a, kept(markResult, a.handle())) {
				out, over = append(out, e), over-s.count(e.freed())
			}
		case !s.isCleared(a) && a.result.Artifact == "":
			left = append(left, a)
		}
	}
	if over <= 0 {
		return out
	}
	return append(out, s.share(left, over)...)
}

// share cuts results to equal shares of what is left of a budget that they are over by so much.
func (s *scene) share(acts []*act, over int) (out []Edit) {
	total := 0
	for _, a := range acts {
		total += s.count(a.resultTokens)
	}
	if len(acts) == 0 || total == 0 {
		return nil
	}
	marker := textTokens(kept(markInTurn, acts[0].handle()))
	each := (total-over)/len(acts) - s.count(marker)
	for _, a := range acts {
		if s.count(a.resultTokens) <= each {
			continue
		}
		keep := max(leastResult, a.result.Chars*max(each, 0)/max(s.count(a.resultTokens), 1))
		out = append(out, s.cut(a, Edit{Head: keep, Text: kept(markInTurn, a.handle())})...)
	}
	return out
}

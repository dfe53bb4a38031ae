package window

// What stays of the answers between calls, in characters.
const (
	wordsStay    = 120
	argumentOver = 500
)

// oldWords shortens answers that make calls: their words, and long texts in the arguments of their
// calls. Answers without calls and the newest unit stay.
func oldWords(s *scene, b *batch) {
	if !s.policy.OldWords {
		return
	}
	seen := map[int]bool{}
	for i := range s.acts {
		a := &s.acts[i]
		if a.unit == s.newest() {
			break
		}
		if !seen[a.slot] {
			seen[a.slot] = true
			for _, e := range s.shortenWords(a.slot, Edit{Head: wordsStay, Text: markWords}) {
				b.add(e.freed()*charsPerToken, func() []Edit { return []Edit{e} })
			}
		}
		if a.Chars > argumentOver && !a.argsEdited {
			b.add(a.Chars, func() []Edit {
				return s.rewrite(a, Edit{Over: argumentOver, Text: kept(markArgument, a.entry.Handle())})
			})
		}
	}
}

package artifacts

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Search returns the passages of many artifacts that fit a query best, best first; equal ones in
// the order of docs. A limit of 0 means 10, the most is 50. It reads everything that docs yields,
// about 10 MB in a tenth of a second, in memory that does not grow with it. A Content is used only
// until docs yields the next one.
//
// Errors: invalid for a query without a word or a negative limit; corrupt.
func Search(docs iter.Seq2[Artifact, Content], query string, limit int) ([]Passage, error) {
	const usual = 10
	switch {
	case limit < 0:
		return nil, bad("limit=10", "limit=%d is not a number of passages, from 1 to %d", limit, maxPassages)
	case len(query) > maxPattern:
		return nil, bad(searchExample, "a query of %d bytes is longer than the limit of %d", len(query), maxPattern)
	case limit == 0:
		limit = usual
	}
	limit = min(limit, maxPassages)
	r, err := newRanker(query, limit)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for a, c := range docs {
		if a.Name != "" {
			names[a.ID] = a.Describe()
		}
		add := func(p passage) {
			if p.heading == nil {
				p.heading = []byte(a.Name) // whose words count, as those of a heading do
			}
			r.add(a.ID, p)
		}
		if err := passages(c, add); err != nil {
			return nil, err
		}
	}
	found := []Passage{}
	for _, c := range r.best(limit) {
		found = append(found, Passage{ID: c.id, Name: names[c.id], Lines: c.lines, Text: c.text, Score: c.score})
	}
	return found, nil
}

// readSearch shows the best passages of one content, each under a line that says where it is.
func readSearch(c Content, s Selection) (Page, error) {
	if s.After > maxSkip {
		return Page{}, bad(searchExample, "after=%d is more than %d: narrow the search", s.After, maxSkip)
	}
	r, err := newRanker(s.Search, int(s.After)+maxPassages)
	if err != nil {
		return Page{}, err
	}
	if err := passages(c, func(p passage) { r.add("", p) }); err != nil {
		return Page{}, err
	}
	best := r.best(int(s.After) + maxPassages)
	skip := min(int(s.After), len(best))
	text, shown := r.rows(best[skip:], max(s.Limit, minRows))
	p := Page{Text: text, Range: nOf("passage", "passages", skip, shown, r.hits)}
	if s.After += int64(shown); shown > 0 && skip+shown < r.hits && s.After <= maxSkip {
		p.Next = &s
	}
	return p, nil
}

// rows prints passages until limit characters are full, at least one, and returns how many: the first in full,
// of the others only matching lines with context, so that more of them fit.
func (r *ranker) rows(found []candidate, limit int) (text string, shown int) {
	var out strings.Builder
	chars := 0
	for _, c := range found {
		row := "[lines " + c.lines + "]\n"
		if c.heading != "" && !strings.HasPrefix(c.text, c.heading) {
			row = "[lines " + c.lines + " of " + c.heading[1:] + "\n"
		}
		said := c.text
		if shown > 0 {
			row, said = "\n"+row, r.around(said)
		}
		row += strings.TrimRight(prefix(said, limit-utf8.RuneCountInString(row)-2), "\n") + "\n"
		if chars += utf8.RuneCountInString(row); chars > limit {
			break
		}
		out.WriteString(row)
		shown++
	}
	return out.String(), shown
}

// beside is the number of context lines shown before and after a matching line.
const beside = 3

// around returns the lines of a passage that match the query, with context lines; "…" stands for omitted ones. A passage
// without a matching line was found by its heading, and is returned as it is.
func (r *ranker) around(passage string) string {
	lines := strings.Split(strings.TrimRight(passage, "\n"), "\n")
	last := -1 // the last one that is shown for the hits so far
	var out []string
	for i, line := range lines {
		if r.query.Holds(line) == 0 {
			continue
		}
		from := max(i-beside, last+1)
		if from > last+1 {
			out = append(out, "…")
		}
		to := min(i+beside+1, len(lines))
		if from < to {
			out = append(out, lines[from:to]...)
		}
		last = to - 1
	}
	switch {
	case last < 0:
		return passage
	case last < len(lines)-1:
		out = append(out, "…")
	}
	return strings.Join(out, "\n") + "\n"
}

// commaless prints a line number as selections want it.
func commaless(n int64) string { return strconv.FormatInt(n, 10) }

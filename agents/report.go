package agents

import "slices"

// reportLines is how many line numbers a report names of one kind; all are counted.
const reportLines = 20

// Report says what an import did. It covers the lines read by this call, not those that an
// earlier one had imported before.
type Report struct {
	Session string `json:"session"` // our id of the session
	Path    string `json:"path"`
	Entries int    `json:"entries"` // appended, without those that were known
	Bytes   int64  `json:"bytes"`   // of the parts of the file in which they are
	Offset  int64  `json:"offset"`  // bytes of the file that the ledger has seen in all

	Corrupt     Lines `json:"corrupt"`      // no JSON object: left out
	Partly      Lines `json:"partly"`       // holds records, which were read, and what is none: left out
	InvalidUTF8 Lines `json:"invalid_utf8"` // kept, byte for byte
	Oversize    Lines `json:"oversize"`     // longer than limits.Line: kept whole, not read

	// Torn says that the last line, TornLine, is the beginning of a record only. It was left for
	// a later import.
	Torn     bool  `json:"torn"`
	TornLine int64 `json:"torn_line,omitempty"`
}

// Lines counts lines of a file and names the first of them.
type Lines struct {
	Count   int     `json:"count"`
	Numbers []int64 `json:"numbers,omitempty"` // 1-based, at most 20
}

func (l *Lines) add(number int64) {
	if n := len(l.Numbers); n > 0 && l.Numbers[n-1] == number {
		return // another piece of the line
	}
	l.Count++
	if len(l.Numbers) < reportLines {
		l.Numbers = append(l.Numbers, number)
	}
}

// plus returns both sets of lines together.
func (l Lines) plus(m Lines) Lines {
	all := slices.Concat(l.Numbers, m.Numbers)
	return Lines{Count: l.Count + m.Count, Numbers: all[:min(len(all), reportLines)]}
}

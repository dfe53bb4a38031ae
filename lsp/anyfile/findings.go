package anyfile

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"ctxledger.dev/changes"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/pattern"
)

// Finding is a property of a file that makes it expensive or misleading for an agent.
type Finding struct {
	Code     string // one of Codes
	From, To int    // the part of the file, in bytes
	Message  string // with advice
	// Ignore is the path for .gitignore, relative to the workspace, with a slash at the end of a directory. "": ignoring
	// would not help.
	Ignore string
}

// The codes of findings. They are stable: settings name them.
const (
	LargeRead = "large-read" // Claude Code does not read it whole
	StaleRead = "stale-read" // the live session has read or written it, and it has changed since
	Generated = "generated"  // a generated or vendored file that agents see
	LongLines = "long-lines" // lines that the tools of some agents cut
)

// maxLine is the length in characters at which the tools of some agents cut lines: Gemini CLI, opencode and others do at
// 2,000. Claude Code (2.1.328) reads them whole.
const maxLine = 2000

// maxLines is the maximum number of long lines reported.
const maxLines = 20

// finders are the checks, sorted by code.
var finders = []struct {
	code string
	find func(File) []Finding
}{
	{Generated, generated},
	{LargeRead, largeRead},
	{LongLines, longLines},
	{StaleRead, outOfDate},
}

// Codes returns the codes of all findings, sorted.
func Codes() []string {
	var codes []string
	for _, f := range finders {
		codes = append(codes, f.code)
	}
	return codes
}

// Findings returns the findings of a file with one of the codes.
func Findings(f File, codes []string) []Finding {
	var all []Finding
	for _, x := range finders {
		if slices.Contains(codes, x.code) {
			all = append(all, x.find(f)...)
		}
	}
	return all
}

// first returns a finding about the whole file, located at its first line.
func (f File) first(code, format string, args ...any) []Finding {
	from, to := f.Text.Line(0)
	return []Finding{{Code: code, From: from, To: to, Message: fmt.Sprintf(format, args...)}}
}

func largeRead(f File) []Finding {
	if !f.Use.Whole && !f.Everywhere {
		return nil
	}
	size := f.Text.Len()
	if size > readBytes {
		return f.first(LargeRead, "Claude Code refuses to read all of this file: %s, the limit is %s.\n"+
			"Ask the agent to read only parts of it.", chars.Size(int64(size)), chars.Size(readBytes))
	}
	if size <= readTokens { // a token has a byte at least
		return nil
	}
	n := f.whole()
	if n.N <= readTokens {
		return nil
	}
	return f.first(LargeRead, "Too long for Claude Code to read at once: %s tokens, the limit is %s.\n"+
		"Ask the agent to read only parts of it.", n, chars.Commas(readTokens))
}

// outOfDate says what to do about a read that changes.StaleRead found out of date.
func outOfDate(f File) []Finding {
	if !f.Use.Stale {
		return nil
	}
	disk := f.saved()
	if disk.Gone || f.Use.Gone {
		return f.first(StaleRead, "Deleted %s since the followed session %s it.\n"+
			"The session's copy is out of date. Tell it that the file is gone.", changes.Who(f.Use.By, f.Use.Sub), f.Use.Knew())
	}
	again, line := "Have it read the file again.", f
	if disk.Text != nil { // which is what it reads
		f.Text = disk.Text
	}
	if read := CostOf(f).Read; read.N > 0 {
		again = "Have it read the file again, which costs, with line numbers, " + f.Meter.Say(read) + "."
	}
	return line.first(StaleRead, "Changed %s since the followed session %s it.\n"+
		"The session's copy is out of date. %s", changes.Who(f.Use.By, f.Use.Sub), f.Use.Knew(), again)
}

// generatedLine is what generators write, by the convention of Go or that of others.
var generatedLine = pattern.Lazy(`(?m)^\W*(Code generated .* DO NOT EDIT\.?|.*@generated\b.*)\W*$`)

// vendored is where other people's code is stored.
var vendored = pattern.Lazy(`((?:^|/)(?:vendor|node_modules|third_party|bower_components)/)|\.min\.(?:js|css)$`)

// head is how many bytes at the beginning of a file say that it was generated.
const head = 4 << 10

func generated(f File) []Finding {
	what, ignore := "", f.Path
	at := vendored().FindStringSubmatchIndex(f.Path)
	switch {
	case at != nil:
		what = "Vendored code"
		if end := at[3]; end > 0 {
			ignore = f.Path[:end] // the whole directory
		}
	case generatedLine().Match(bytes.ReplaceAll(f.Text.Bytes(0, head), []byte("\r"), nil)):
		what = "Generated"
	}
	if what == "" || f.Ignored == nil || f.Ignored() {
		return nil
	}
	found := f.first(Generated,
		"%s, but not ignored by git: agents that search will read it.\n"+
			"It has %s. If nobody needs %s in the repository, "+
			"add it to .gitignore, and remove what git already tracks with `git rm --cached`.",
		what, f.Meter.Say(f.whole()), ignore)
	found[0].Ignore = ignore
	return found
}

func longLines(f File) []Finding {
	var found []Finding
	for i := 0; i < f.Text.Lines() && len(found) < maxLines; i++ {
		from, to := f.Text.Line(i)
		if to-from <= maxLine {
			continue
		}
		if n := utf8.RuneCount(f.Text.Bytes(from, to)); n > maxLine {
			found = append(found, Finding{Code: LongLines, From: from, To: to, Message: fmt.Sprintf(
				"This line has %s characters: several agents see only the first %s.\nIt has %s. Gemini CLI, "+
					"opencode and others show an agent only its beginning; Claude Code reads the whole line.",
				chars.Commas(n), chars.Commas(maxLine), f.Meter.Say(f.count(from, to)))})
		}
	}
	return found
}

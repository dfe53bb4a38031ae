package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// row is one figure and the one it is compared with.
type row struct {
	what     string // "": as in the row above
	figure   string
	compared string // the figure to compare with; "" if there is none
	ratio    string
	runs     string
}

// grid is a separate table for measurements in two dimensions.
type grid struct {
	title  string // the sentences above it
	header []string
	rows   [][]string
}

// report is the tables so far.
type report struct {
	rows   []row
	grids  []grid
	images []image
}

// add appends a row.
func (r *report) add(what, figure, compared, ratio, runs string) {
	r.rows = append(r.rows, row{what, figure, compared, ratio, runs})
}

// markdown renders the report as in the document.
func (r *report) markdown(command string, at time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s with `%s`: %s/%s, %d cores, %s.\n\n", at.Format("2006-01-02"), command,
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	b.WriteString("| what | figure | compared with | ratio | runs |\n|---|---|---|---|---|\n")
	for _, x := range r.rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", ditto(x.what), x.figure, dash(x.compared), dash(x.ratio), x.runs)
	}
	for _, g := range r.grids {
		g.write(&b)
	}
	for _, i := range r.images {
		fmt.Fprintf(&b, "\n![%s](%s/%s)\n", i.alt, images, i.name)
	}
	return b.String()
}

// write appends the table as Markdown.
func (g grid) write(b *strings.Builder) {
	line := func(cells []string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }
	fmt.Fprintf(b, "\n%s\n\n", g.title)
	line(g.header)
	b.WriteString(strings.Repeat("|---", len(g.header)) + "|\n")
	for _, cells := range g.rows {
		line(cells)
	}
}

// dash replaces an empty cell by a dash.
func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// ditto replaces an empty cell by a ditto mark.
func ditto(s string) string {
	if s == "" {
		return "″"
	}
	return s
}

// The markers around the figures in the document.
const (
	beginMark = "<!-- BEGIN figures: written by lab/benchmark -write; do not edit -->\n"
	endMark   = "<!-- END figures -->\n"
)

// replace replaces the text between the markers of the document at path.
func replace(path, text string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(raw, []byte(beginMark))
	_, after, closed := bytes.Cut(rest, []byte(endMark))
	if !ok || !closed {
		return fmt.Errorf("%s has no lines %q and %q to put the figures between", path, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	var out bytes.Buffer
	out.Write(before)
	out.WriteString(beginMark)
	out.WriteString(text)
	out.WriteString(endMark)
	out.Write(after)
	return os.WriteFile(path, out.Bytes(), 0o644)
}

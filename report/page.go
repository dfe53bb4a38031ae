package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/chars"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// pageTemplate is parsed when the first page is written.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"dollars": func(d float64) string { return chars.Money(d, true) },
		"tokens":  Magnitude, "known": Known, "count": chars.Commas[int],
		"float": func(n int64) float64 { return float64(n) },
		"money": money, "days": days,
		"day": func(t time.Time) string { return strings.TrimPrefix(t.Format(time.DateOnly), "0001-01-01") },
		"minute": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Format("2006-01-02 15:04")
		},
		"cost":  Play.Cost,
		"saved": Saving,
		"saving": func(share float64) string {
			return strings.Replace(fmt.Sprintf("%.0f%%", share*100), "-", "−", 1)
		},
		"percent": percent,
		"id":      func(s string) string { return strings.ToValidUTF8(s[:min(len(s), 8)], "") },
		"tail":    tail, "parts": func(path string) []string { return strings.Split(path, "/") },
		"head": func(s string, n int) string {
			if r := []rune(s); len(r) > n {
				return string(r[:n-1]) + "…"
			}
			return s
		},
	}).Parse(pageHTML))
})

// pageRows is how many rows a table of the page has at most.
const pageRows = 20

// Page writes the report as one HTML file that needs nothing else: no script, no network, light and dark as
// its reader prefers. Times are those of zone. Errors are those of w.
func Page(w io.Writer, r Report, zone *time.Location) error {
	sum := sha256.Sum256([]byte(pageCSS))
	r.From, r.To = r.From.In(zone), r.To.In(zone)
	p := page{
		Report: r, CSS: template.CSS(pageCSS), // our own
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'",
	}
	p.cap()
	for i := range p.Dearest {
		p.Dearest[i].Start = p.Dearest[i].Start.In(zone)
	}
	for i := range p.Compactions {
		p.Compactions[i].Time = p.Compactions[i].Time.In(zone)
	}
	var b bytes.Buffer
	if err := pageTemplate().Execute(&b, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, chars.Plain(b.String())) // the words of sessions can reorder and hide text in HTML, too
	return err
}

// page is what the template sees.
type page struct {
	Report
	CSS    template.CSS
	Policy string
}

// cap shortens the tables. The lists themselves belong to the caller.
func (p *page) cap() {
	p.Models, p.Projects = first(p.Models), first(p.Projects)
	p.Dearest, p.Tools, p.Read = first(p.Dearest), first(p.Tools), first(p.Read)
	p.Compactions = first(p.Compactions)
	if p.Replayed != nil {
		r := *p.Replayed
		r.Rows = first(r.Rows)
		p.Replayed = &r
	}
}

// first returns a copy of the first rows.
func first[T any](rows []T) []T { return append([]T(nil), rows[:min(len(rows), pageRows)]...) }

// tail returns the last two parts of a path.
func tail(name string) string {
	parts := strings.Split(strings.ReplaceAll(name, `\`, "/"), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// Short is the path of a file in its project, behind the project's own name.
func (f File) Short() string {
	inside, ok := strings.CutPrefix(f.Path, f.Project+"/")
	if !ok || f.Project == "" {
		return f.Path
	}
	return path.Base(f.Project) + "/" + inside
}

// Short is a path as seen from the project; any other text as it is.
func (l Loss) Short(text string) string {
	if l.Project == "" {
		return text
	}
	return strings.TrimPrefix(text, l.Project+"/")
}

// money prints what tokens cost, a question mark where no price is known, or a dash where nothing was measured.
func money(dollars, tokens float64) string {
	switch {
	case dollars == 0 && tokens > 0:
		return "?"
	case dollars == 0:
		return unmeasured
	}
	return chars.Money(dollars, true)
}

// unmeasured replaces a figure that was not measured.
const unmeasured = "–"

// Known is Magnitude, or a dash where nothing was measured.
func Known(n float64) string {
	if n == 0 {
		return unmeasured
	}
	return Magnitude(n)
}

// days prints the dates of a beginning and an end.
func days(from, to time.Time) string {
	if from.IsZero() {
		return "at unknown times"
	}
	a, b := from.Format(time.DateOnly), to.Format(time.DateOnly)
	if a == b {
		return a
	}
	return a + " to " + b
}

// percent prints a part of a whole.
func percent(part, whole float64) string {
	if whole <= 0 {
		return ""
	}
	return chars.Share(part, whole)
}

// Magnitude prints a number of tokens with three digits, in the unit that fits: "36.0 M".
func Magnitude(n float64) string {
	units := []string{"", " K", " M", " G", " T"}
	i := 0
	for ; i < len(units)-1 && n >= 999.5; i++ {
		n /= 1000
	}
	switch {
	case i == 0 || n >= 99.95:
		return fmt.Sprintf("%.0f%s", n, units[i])
	case n >= 9.995:
		return fmt.Sprintf("%.1f%s", n, units[i])
	default:
		return fmt.Sprintf("%.2f%s", n, units[i])
	}
}

// Slug is the class name of a class of pieces in the style sheet.
func (f Filled) Slug() string {
	words, _, _ := strings.Cut(f.Class, ",")
	return "k-" + strings.ReplaceAll(words, " ", "-")
}

package poison

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// Element is one of a page, with its attributes and what is in it.
type Element struct {
	Name       string
	Attributes [][2]string // names and values, unescaped, in their order
	Text       string      // of its own, unescaped
	Children   []*Element
}

// void are the elements that have no end.
var void = []string{"meta", "br"}

// Parse reads a page. Errors: a "<" that is no tag, a comment, an element that does not end where it should.
func Parse(page string) (*Element, error) {
	root := &Element{}
	open := []*Element{root}
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		in := open[len(open)-1]
		kind, raw := z.Next(), string(z.Raw())
		switch token := z.Token(); kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) || raw != "" {
				return nil, fmt.Errorf("%w in %.80q", z.Err(), raw)
			}
			if len(open) > 1 {
				return nil, fmt.Errorf("<%s> does not end", in.Name)
			}
			return root, nil
		case html.TextToken:
			if strings.Contains(raw, "<") {
				return nil, fmt.Errorf("%.80q has a < that is no tag", raw)
			}
			in.Text += token.Data
		case html.DoctypeToken:
			in.Children = append(in.Children, &Element{Name: "!doctype", Attributes: [][2]string{{token.Data}}})
		case html.StartTagToken, html.SelfClosingTagToken: // which HTML takes for the same
			if token.Data == "wbr" { // where a long path may be broken
				continue
			}
			e := &Element{Name: token.Data}
			for _, a := range token.Attr {
				e.Attributes = append(e.Attributes, [2]string{a.Key, a.Val})
			}
			in.Children = append(in.Children, e)
			if !slices.Contains(void, e.Name) {
				open = append(open, e)
			}
		case html.EndTagToken:
			if token.Data != in.Name {
				return nil, fmt.Errorf("</%s> ends <%s>", token.Data, in.Name)
			}
			open = open[:len(open)-1]
		default:
			return nil, fmt.Errorf("a comment: %.80q", raw)
		}
	}
}

// free are the attributes whose values follow from what is stored, with their forms.
var free = map[string]*regexp.Regexp{
	"title": regexp.MustCompile(`(?s)^.*$`), "x": figure, "y": figure, "width": figure, "height": figure, "x1": figure,
	"x2": figure, "y1": figure, "y2": figure,
	"viewbox": figure, "dx": figure, "dy": figure, "open": figure,
}

var figure = regexp.MustCompile(`^[-0-9. ]*$`)

// kind is an element without what follows from what is stored: its name, and its attributes.
func (e *Element) kind() string {
	parts := []string{e.Name}
	for _, a := range e.Attributes {
		switch form := free[a[0]]; {
		case form != nil && form.MatchString(a[1]):
			parts = append(parts, a[0])
		case a[0] == "class" && kindOfBar.MatchString(a[1]):
			parts = append(parts, "class of a bar")
		default:
			parts = append(parts, a[0]+"="+a[1])
		}
	}
	return strings.Join(parts, " ")
}

// kindOfBar are the classes of what bars and their legends show.
var kindOfBar = regexp.MustCompile(`^(?:key )?(?:k|m|s)-?[a-z0-9-]+$`)

// fixed are the elements whose text is that of the template.
var fixed = []string{"style", "h1", "h2", "th", "dt", "b", "footer", "table", "tr", "tbody", "thead", "section", "main",
	"body", "head", "html", "svg", "dl", "header", "script"}

// figures are those in a text of ours.
var figures = regexp.MustCompile(`[0-9][0-9.,]*`)

// Shape is what pages are made of: of every kind of element, by those that it is in, the kinds that follow each other
// in it, and the texts of those that quote nothing.
type Shape map[string]bool

// Learn adds what a page is made of.
func (s Shape) Learn(page *Element) {
	s.walk("", page, func(what string) error { s[what] = true; return nil }) // it refuses nothing
}

// Check says what in a page is in none of those that were learnt: an element, an attribute or its value, a script or
// a style, a text of ours, or two elements in another order. How many rows there are follows from what is stored.
func (s Shape) Check(page *Element) error {
	return s.walk("", page, func(what string) error {
		if !s[what] {
			return fmt.Errorf("on no page with harmless text: %.300s", what)
		}
		return nil
	})
}

func (s Shape) walk(at string, e *Element, see func(string) error) error {
	at += "/" + e.kind()
	err := see(at)
	if text := strings.TrimSpace(e.Text); err == nil && slices.Contains(fixed, e.Name) {
		err = see(at + ": " + figures.ReplaceAllString(text, "0"))
	}
	before := ""
	for _, c := range e.Children {
		if kind := c.kind(); err == nil && kind != before {
			err = see(at + ": " + kind + " behind " + before)
			before = kind
		}
		if err == nil {
			err = s.walk(at, c, see)
		}
	}
	return err
}

// Find calls fn with all elements of a name, in their order.
func (e *Element) Find(name string, fn func(*Element)) {
	if e.Name == name {
		fn(e)
	}
	for _, c := range e.Children {
		c.Find(name, fn)
	}
}

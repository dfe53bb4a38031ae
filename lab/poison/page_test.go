//go:build linux

package poison_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/lab/poison"
)

// pages are the page of an audit: made like those of harmless sessions, and of the names that the answer as JSON has.
func pages(s *scene, look looker) {
	page, answer := s.page(s.file)
	look("page of an audit", page, visible, func(out string) error {
		page, err := poison.Parse(out)
		if err != nil {
			return err
		}
		if err := harmlessShape(s).Check(page); err != nil {
			return err
		}
		return sameNames(page, answer)
	})
}

// sameNames compares the names in the rows of a page with those of the answer, whose secrets have the same masks.
func sameNames(page *poison.Element, answer string) error {
	var said struct {
		Models []struct{ Name string }
		Tools  []struct{ Name string }
		Read   []struct{ Path string } `json:"read_files"`
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		return err
	}
	var want []string
	for _, x := range append(said.Models, said.Tools...) {
		want = append(want, x.Name)
	}
	for _, x := range said.Read {
		want = append(want, x.Path)
	}
	var got []string
	page.Find("section", func(section *poison.Element) {
		if head := section.Children[0].Text; head != "Models" && !strings.HasPrefix(head, "Most expensive tools") &&
			!strings.HasPrefix(head, "Most expensive files") {
			return
		}
		section.Find("tbody", func(body *poison.Element) {
			for _, row := range body.Children {
				cell := row.Children[0]
				name := cell.Text
				for _, a := range cell.Attributes {
					if a[0] == "title" {
						name = a[1]
					}
				}
				got = append(got, name)
			}
		})
	})
	for i, name := range want { // HTML has no NUL
		if plain := chars.Plain(strings.ReplaceAll(name, "\x00", "\ufffd")); i >= len(got) || got[i] != plain {
			return fmt.Errorf("the page does not name %.200q: %.600q", plain, got)
		}
	}
	return nil
}

// page is the page of an audit of a session file, and the answer as JSON.
func (s *scene) page(session string) (page, answer string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "page.html")
	answer, messages := s.intoPipe([]string{"audit", "--json", "--html", file, session})
	raw, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatalf("%s, %s: no page of an audit: %s", s.text.Name(), s.form, messages)
	}
	return string(raw), answer
}

// harmlessShape is what the pages of sessions are made of in which nothing is hostile; it is learnt once.
func harmlessShape(s *scene) poison.Shape {
	s.t.Helper()
	if shape != nil {
		return shape
	}
	shape = poison.Shape{}
	for _, ordinary := range []string{"", "ordinary", "a/b.go", "three ordinary words",
		planted("words in lines", lines)} {
		rec := harmless(s.root)
		for _, p := range places {
			if ordinary != "" {
				p.put(rec, ordinary)
			}
		}
		file := filepath.Join(s.t.TempDir(), "session.jsonl")
		s.do(os.WriteFile(file, rec.file(), 0o600))
		raw, _ := s.page(file)
		page, err := poison.Parse(raw)
		s.do(err)
		shape.Learn(page)
	}
	return shape
}

var shape poison.Shape

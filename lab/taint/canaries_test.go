package taint

import (
	"encoding/base64"
	"encoding/binary"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shapes reads the kinds of secrets with their shapes from the table that the rules are tested with, so that a new
// kind is planted here, too: lines with {set:n} for n random bytes of a set, and «…» around the secret.
func shapes(t testing.TB) (kinds []string, of map[string][]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../internal/redact/kinds_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	of = map[string][]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		row, ok := n.(*ast.CompositeLit)
		if !ok || len(row.Elts) != 3 {
			return true
		}
		kind, list := text(row.Elts[0]), []string(nil)
		if l, ok := row.Elts[2].(*ast.CompositeLit); ok {
			for _, e := range l.Elts {
				list = append(list, text(e))
			}
		}
		if kind != "" && len(list) > 0 {
			kinds, of[kind] = append(kinds, kind), list
		}
		return true
	})
	if len(kinds) < 90 {
		t.Fatalf("%d kinds of secrets were found in the table", len(kinds))
	}
	return kinds, of
}

// text returns a string of the table: a literal, or pemShape(label, lines).
func text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.CallExpr:
		lines := 0
		if n, ok := e.Args[1].(*ast.BasicLit); ok {
			lines, _ = strconv.Atoi(n.Value)
		}
		label := text(e.Args[0])
		return "-----BEGIN " + label + "-----\n" + strings.Repeat("{b64:64}\n", lines) + "{b64:21}=\n-----END " +
			label + "-----"
	}
	return ""
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// sets are the bytes that shapes name.
var sets = map[string]string{
	"an": letters + "0123456789", "url": letters + "0123456789-_", "b64": letters + "0123456789+/",
	"up": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "low": "abcdefghijklmnopqrstuvwxyz0123456789", "hex": "0123456789abcdef",
	"dig":   "0123456789",
	"login": "abcdefghijklmnopqrstuvwxyz0123456789!*^.-_~", "pw": letters + "0123456789!*^.-_~",
}

// canary is a line of text with a secret. Random are the runs of random bytes in it, which cannot be guessed.
type canary struct {
	kind, text string
	random     []string
}

// plant fills a shape.
func plant(r *rand.Rand, kind, shape string) canary {
	c := canary{kind: kind}
	var b strings.Builder
	secret := !strings.Contains(shape, "«")
	for shape != "" {
		i := strings.IndexAny(shape, "{«»")
		if i < 0 {
			i = len(shape)
		}
		b.WriteString(shape[:i])
		shape = shape[i:]
		switch {
		case strings.HasPrefix(shape, "«"), strings.HasPrefix(shape, "»"):
			secret = strings.HasPrefix(shape, "«")
			shape = shape[len("«"):]
		case shape != "":
			name, rest, _ := strings.Cut(shape[1:], ":")
			number, rest, _ := strings.Cut(rest, "}")
			n, err := strconv.Atoi(number)
			if err != nil || sets[name] == "" {
				b.WriteByte('{')
				shape = shape[1:]
				continue
			}
			run := random(r, name, n)
			b.WriteString(run)
			if secret {
				c.random = append(c.random, run)
			}
			shape = rest
		}
	}
	c.text = b.String()
	return c
}

func random(r *rand.Rand, name string, n int) string {
	p := make([]byte, n)
	for i := range p {
		p[i] = sets[name][r.IntN(len(sets[name]))]
	}
	switch name {
	case "pw":
		p[0], p[n-1] = letters[r.IntN(len(letters))], sets["dig"][r.IntN(10)]
	case "login":
		return base64.StdEncoding.EncodeToString(append([]byte("shop:"), p...))
	}
	return string(p)
}

// window is the length of a piece that gives a secret away, in bytes.
const window = 12

// pieces knows canaries by every window of their random runs, as they are and encoded.
type pieces struct {
	of      map[string]*canary
	lengths []int  // of the pieces
	begin   []bool // by a hash of their first bytes, so that few places of a text are looked up
}

// shortest is how long the shortest run is that is looked for, in bytes: such ones whole.
const shortest = 8

func piecesOf(list []canary) *pieces {
	p := &pieces{of: map[string]*canary{}, begin: make([]bool, 1<<20)}
	for i := range list {
		for _, run := range list[i].random {
			p.add(run, &list[i])
			for shift := range 3 {
				encoded := base64.RawStdEncoding.EncodeToString([]byte("xyz"[:shift] + run))
				if from := 4; len(encoded) > from+window+2 {
					p.add(encoded[from:len(encoded)-2], &list[i])
				}
			}
			p.add(url.QueryEscape(run), &list[i])
			p.add(inJSON(run), &list[i])
		}
	}
	return p
}

func (p *pieces) add(run string, c *canary) {
	if len(run) >= shortest && len(run) < window {
		p.piece(run, c)
	}
	for i := 0; i+window <= len(run); i++ {
		p.piece(run[i:i+window], c)
	}
}

func (p *pieces) piece(piece string, c *canary) {
	p.of[piece] = c
	p.begin[p.place(piece)] = true
	if !slices.Contains(p.lengths, len(piece)) {
		p.lengths = append(p.lengths, len(piece))
	}
}

// place is where the first bytes of a text are in begin.
func (p *pieces) place(text string) uint64 {
	const spread = 0x9e3779b97f4a7c15 // 2^64 by the golden ratio
	return binary.LittleEndian.Uint64([]byte(text[:shortest])) * spread >> 44
}

// find returns the canaries of which a piece is in a text, each with what surrounds the first piece.
func (p *pieces) find(text string) map[*canary]string {
	found := map[*canary]string{}
	for i := 0; i+shortest <= len(text); i++ {
		if !p.begin[p.place(text[i:])] {
			continue
		}
		for _, n := range p.lengths {
			if i+n > len(text) {
				continue
			}
			if c := p.of[text[i:i+n]]; c != nil && found[c] == "" {
				found[c] = text[max(0, i-60):min(len(text), i+n+30)]
			}
		}
	}
	return found
}

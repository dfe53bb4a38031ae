package report

import (
	"math"
	"testing"
)

// plainWindow does what window does, one piece at a time.
type plainWindow []*plainPiece

type plainPiece struct {
	weight, requests float64
	Carried
}

func (p plainWindow) carry(scale float64) {
	for _, x := range p {
		x.requests++
		x.Sent += scale * x.weight
		x.Tokens = x.Sent / x.requests
	}
}

func (p plainWindow) pay(from, to, dollars float64) {
	end := 0.0
	for _, x := range p {
		start := end
		end += x.weight
		x.Dollars += max(0, min(to, end)-max(from, start)) * dollars
	}
}

// FuzzWindow compares the window with one that charges every piece one by one.
func FuzzWindow(f *testing.F) {
	f.Add([]byte{0, 5, 0, 9, 1, 10, 2, 30, 0, 7, 1, 3, 3, 1, 2, 90, 3, 0})
	f.Add([]byte{0, 5, 0, 9, 0, 20, 5, 10, 6, 30, 10, 255, 9, 1, 1, 3})
	f.Fuzz(func(t *testing.T, ops []byte) {
		var w window
		var p plainWindow
		var got []*Carried
		var want []*plainPiece
		for i := 0; i+1 < len(ops) && i < 400; i += 2 {
			x := float64(ops[i+1])
			n := len(p) - min(len(p), int(ops[i]/4)) // what came while the answer was under way does not pay for it
			switch ops[i] % 4 {
			case 0:
				got, want = append(got, &Carried{}), append(want, &plainPiece{weight: x + 1})
				w.push(x+1, owned{class: got[len(got)-1]})
				p = append(p, want[len(want)-1])
			case 1:
				w.carry(n, x)
				p[:n].carry(x)
			case 2:
				from := x * w.weight(n) / 400
				w.pay(n, from, from+x, 2)
				p[:n].pay(from, from+x, 2)
			case 3:
				n = min(len(p), int(x))
				w.cut(n)
				p = p[:n]
			}
		}
		w.cut(0)
		for i := range got {
			g, x := *got[i], want[i].Carried
			if !near(g.Tokens, x.Tokens) || !near(g.Sent, x.Sent) || !near(g.Dollars, x.Dollars) {
				t.Fatalf("piece %d: got %+v, want %+v", i, g, x)
			}
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)+math.Abs(b)) }

func TestAWindowGoesBackToAnEntry(t *testing.T) {
	var w window
	c := &Carried{}
	for i := range uint64(5) {
		w.push(1, owned{class: c})
		w.note(i)
	}
	if _, known := w.position(9); known {
		t.Error("an entry that never came is known")
	}
	w.back(2)
	if at, known := w.position(2); !known || at != 3 || len(w.pieces) != 3 {
		t.Errorf("entry 2 stands at %d, %v, of %d pieces", at, known, len(w.pieces))
	}
	if _, known := w.position(3); known {
		t.Error("an entry that was taken back is known")
	}
}

package termtext

import (
	"runtime"
	"strings"
	"testing"
)

// hostile inputs make a naive screen take memory or time out of all proportion.
var hostile = map[string]string{
	"far down":             "\x1b[999999999Bx",
	"far down, line feeds": "\x1b[200B\n",
	"far right":            "\x1b[999999999Gx\n",
	"tabs and moves":       "\ta\t\n \t\tb\n\x1b[99Gx\n",
	"tabs":                 "\t\tx",
	"up and erase":         "\x1b[999A\x1b[1Jx\x1b[999B",
	"erase to the left":    "\rx\x1b[4096C\x1b[1K",
	"left over and over":   "表\x1b[4000D",
	"save and restore":     "x\x1b7\n\x1b8",
	"titles without end":   "\x1b]0;",
	"colours without end":  "\x1b[0;0;0;0;0;0;0",
	"only line feeds":      "\n",
	"marks":                "\u0301",
	"marks in the middle":  "表\u0301\r",
	"everything away":      "x\n\x1b[A\x1b[2J",
	"below away":           "x\n\n\n\x1b[3A\x1b[J",
}

func TestHostileInputIsBounded(t *testing.T) {
	for name, part := range hostile {
		rows := strings.Repeat("row\n", 2*maxAbove) // there is something to go up to
		in := []byte(rows + strings.Repeat(part, (1<<20)/len(part)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := Render(nil, in)
		runtime.ReadMemStats(&after)
		if most := maxBlanks + 16*len(in); len(out) > most {
			t.Errorf("%s: %d bytes became %d, more than %d", name, len(in), len(out), most)
		}
		if pieces := inPieces(string(in), 3); pieces != "" && pieces != string(out) {
			t.Errorf("%s: something else is shown when it comes in pieces", name)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 256<<20 {
			t.Errorf("%s: %d bytes took %d MB of memory", name, len(in), got>>20)
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, part := range hostile {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			in := []byte(strings.Repeat("row\n", 2*maxAbove) + strings.Repeat(part, (1<<20)/len(part)))
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				Render(nil, in)
			}
		})
	}
}

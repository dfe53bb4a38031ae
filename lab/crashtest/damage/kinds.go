package damage

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
)

// Damage is one file as it has become, and in words how.
type Damage struct {
	File    string
	What    string
	Content []byte
}

// Kind is a kind of damage. One that cannot be done to a ledger leaves it as it is.
type Kind struct {
	Name string
	do   func(o *Original, rng *rand.Rand) Damage
}

// flips are the places of a byte that is changed.
var flips = []Kind{
	{"flip anywhere", (*Original).flipAnywhere},
	{"flip in the header of a page", (*Original).flipHeader},
	{"flip in a meta page", (*Original).flipMeta},
	{"flip in a blob", (*Original).flipBlob},
}

// Flip changes one byte: half of the time anywhere in the ledger's pages, else where it hurts most.
func (o *Original) Flip(rng *rand.Rand) Damage {
	k := flips[max(0, rng.IntN(2*len(flips)-2)-len(flips)+2)]
	return k.do(o, rng)
}

// Wrecks returns the kinds that do more than flip a byte.
func Wrecks() []Kind {
	return []Kind{
		{"cut off", (*Original).cutOff},
		{"page of zeroes", (*Original).zeroPage},
		{"page of garbage", (*Original).garbagePage},
		{"two pages exchanged", (*Original).swapPages},
		{"a page in the place of another", (*Original).copyPage},
		{"sector of zeroes", (*Original).zeroSector},
		{"one meta page in both places", (*Original).copyMeta},
		{"blob cut off", (*Original).cutBlob},
		{"two blobs exchanged", (*Original).swapBlobs},
		{"foreign file", (*Original).foreign},
	}
}

// FlipIn changes one byte of a file that was added, or cuts it off there.
func (o *Original) FlipIn(rng *rand.Rand, file string) Damage {
	at := rng.IntN(len(o.files[file]))
	if rng.IntN(4) > 0 {
		return o.flip(rng, file, at)
	}
	return o.change(file, fmt.Sprintf("cut off to %d bytes", at), func(b []byte) []byte { return b[:at] })
}

// Wreck does one damage of the kind.
func (o *Original) Wreck(k Kind, rng *rand.Rand) Damage {
	d := k.do(o, rng)
	d.What = k.Name + ": " + d.What
	return d
}

// change returns a copy of a file with an edit made.
func (o *Original) change(file, what string, edit func(b []byte) []byte) Damage {
	return Damage{file, fmt.Sprintf("%s: %s", file, what), edit(bytes.Clone(o.files[file]))}
}

// flip changes the byte at an offset to any other.
func (o *Original) flip(rng *rand.Rand, file string, at int) Damage {
	mask := byte(1 + rng.IntN(255))
	if rng.IntN(2) == 0 {
		mask = 1 << rng.IntN(8)
	}
	return o.change(file, fmt.Sprintf("byte %d ^ %#02x", at, mask), func(b []byte) []byte {
		b[at] ^= mask
		return b
	})
}

// pages is the number of pages of the ledger file.
func (o *Original) pages() int { return len(o.files[ledgerFile]) / o.page }

func (o *Original) flipAnywhere(rng *rand.Rand) Damage {
	return o.flip(rng, ledgerFile, rng.IntN(len(o.files[ledgerFile])))
}

// flipHeader flips a bit of a page's header or of the elements after it, which hold page numbers.
func (o *Original) flipHeader(rng *rand.Rand) Damage {
	const headers = 16 + 10*16
	return o.flip(rng, ledgerFile, (2+rng.IntN(o.pages()-2))*o.page+rng.IntN(headers))
}

func (o *Original) flipMeta(rng *rand.Rand) Damage {
	const meta = 16 + 64
	return o.flip(rng, ledgerFile, rng.IntN(2)*o.page+rng.IntN(meta))
}

func (o *Original) flipBlob(rng *rand.Rand) Damage {
	name := o.anyBlob(rng)
	return o.flip(rng, name, rng.IntN(len(o.files[name])))
}

func (o *Original) anyBlob(rng *rand.Rand) string {
	all := o.blobs()
	return all[rng.IntN(len(all))]
}

func (o *Original) cutOff(rng *rand.Rand) Damage {
	const unit = 512
	at := rng.IntN(len(o.files[ledgerFile])/unit) * unit
	return o.change(ledgerFile, fmt.Sprintf("to %d bytes", at), func(b []byte) []byte { return b[:at] })
}

// onPage edits one page.
func (o *Original) onPage(rng *rand.Rand, edit func(p []byte)) Damage {
	id := rng.IntN(o.pages())
	return o.change(ledgerFile, fmt.Sprintf("page %d", id), func(b []byte) []byte {
		edit(b[id*o.page : (id+1)*o.page])
		return b
	})
}

func (o *Original) zeroPage(rng *rand.Rand) Damage {
	return o.onPage(rng, func(p []byte) { clear(p) })
}

func (o *Original) garbagePage(rng *rand.Rand) Damage {
	return o.onPage(rng, func(p []byte) {
		for i := range p {
			p[i] = byte(rng.Uint32())
		}
	})
}

func (o *Original) zeroSector(rng *rand.Rand) Damage {
	const unit = 512
	return o.onPage(rng, func(p []byte) {
		at := rng.IntN(len(p)/unit) * unit
		clear(p[at : at+unit])
	})
}

// twoPages edits two different pages behind the meta pages.
func (o *Original) twoPages(rng *rand.Rand, edit func(a, b []byte)) Damage {
	first := 2 + rng.IntN(o.pages()-2)
	second := 2 + (first-2+1+rng.IntN(o.pages()-3))%(o.pages()-2)
	return o.change(ledgerFile, fmt.Sprintf("pages %d and %d", first, second), func(b []byte) []byte {
		edit(b[first*o.page:(first+1)*o.page], b[second*o.page:(second+1)*o.page])
		return b
	})
}

func (o *Original) swapPages(rng *rand.Rand) Damage {
	return o.twoPages(rng, func(a, b []byte) {
		old := bytes.Clone(a)
		copy(a, b)
		copy(b, old)
	})
}

func (o *Original) copyPage(rng *rand.Rand) Damage {
	return o.twoPages(rng, func(a, b []byte) { copy(a, b) })
}

func (o *Original) copyMeta(rng *rand.Rand) Damage {
	from := rng.IntN(2)
	return o.change(ledgerFile, fmt.Sprintf("meta page %d", from), func(b []byte) []byte {
		copy(b[(1-from)*o.page:(2-from)*o.page], bytes.Clone(b[from*o.page:(from+1)*o.page]))
		return b
	})
}

func (o *Original) cutBlob(rng *rand.Rand) Damage {
	name := o.anyBlob(rng)
	at := rng.IntN(len(o.files[name]))
	return o.change(name, fmt.Sprintf("to %d bytes", at), func(b []byte) []byte { return b[:at] })
}

func (o *Original) swapBlobs(rng *rand.Rand) Damage {
	name, other := o.anyBlob(rng), o.anyBlob(rng)
	return o.change(name, "is now "+other, func([]byte) []byte { return o.files[other] })
}

// foreign puts a file there that is none of ours.
func (o *Original) foreign(rng *rand.Rand) Damage {
	kinds := map[string][]byte{
		"empty":  {},
		"text":   bytes.Repeat([]byte("not a ledger\n"), 3000),
		"sqlite": append([]byte("SQLite format 3\x00"), make([]byte, 8<<10)...),
		"zip":    append([]byte("PK\x03\x04"), make([]byte, 8<<10)...),
	}
	names := []string{"empty", "text", "sqlite", "zip"}
	name := names[rng.IntN(len(names))]
	file := ledgerFile
	if rng.IntN(2) == 0 {
		file = o.anyBlob(rng)
	}
	return o.change(file, "is now "+name, func([]byte) []byte { return kinds[name] })
}

// Cuts returns the ledger cut off at each of its pages.
func (o *Original) Cuts() iter.Seq[Damage] {
	return func(yield func(Damage) bool) {
		for at := 0; at < len(o.files[ledgerFile]); at += o.page {
			if !yield(o.change(ledgerFile, fmt.Sprintf("cut off to %d bytes", at),
				func(b []byte) []byte { return b[:at] })) {
				return
			}
		}
	}
}

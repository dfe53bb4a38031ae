package powercut

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// fate decides which of the changes that no sync has made durable have reached the disk.
type fate struct {
	rng    *rand.Rand
	chance float64 // that a change has; 0: none, 1: all, in order
	until  int     // changes after this one have not, those before it have; 0: chance decides
}

// newFate draws one: nothing survived, everything, everything up to some moment, or a part in
// any order.
func newFate(rng *rand.Rand, d *disk) fate {
	f := fate{rng: rng}
	switch rng.IntN(6) {
	case 0:
	case 1:
		f.chance = 1
	case 2:
		f.until = 1 + rng.IntN(d.changes+1)
		if oldest := d.oldest(); oldest > 0 {
			f.until = oldest + rng.IntN(d.changes-oldest+1)
		}
	default:
		f.chance = []float64{0.1, 0.5, 0.9}[rng.IntN(3)]
	}
	return f
}

// oldest returns when the oldest change was made that is not durable; 0: all are.
func (d *disk) oldest() int {
	oldest := 0
	for _, n := range d.nodes {
		if len(n.todo) > 0 && (oldest == 0 || n.todo[0].at < oldest) {
			oldest = n.todo[0].at
		}
	}
	return oldest
}

// survivors returns the changes of a node that have reached the disk, in the order in which they
// have: that of a directory is kept, since its names are; writes come in any.
func (f fate) survivors(n *node) []change {
	var out []change
	for _, c := range n.todo {
		if f.until > 0 && c.at <= f.until || f.until == 0 && f.rng.Float64() < f.chance {
			out = append(out, c)
		}
	}
	if f.until > 0 || f.chance == 1 || n.dir {
		return out
	}
	f.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return f.tear(out)
}

// tear lets some writes reach the disk only in part: any of their sectors.
func (f fate) tear(changes []change) []change {
	var out []change
	for _, c := range changes {
		if c.data == nil || f.rng.IntN(4) > 0 {
			out = append(out, c)
			continue
		}
		for off, data := c.off, c.data; len(data) > 0; {
			n := min(int64(len(data)), sector-off%sector)
			if f.rng.IntN(2) == 0 {
				out = append(out, change{off: off, data: data[:n]})
			}
			off, data = off+n, data[n:]
		}
	}
	return out
}

// left returns what the disk has of a node.
func (f fate) left(n *node) safe {
	s := safe{content: n.safe.content, kids: n.safe.kids}
	alive := f.survivors(n)
	if len(alive) == 0 {
		return s
	}
	s = safe{content: s.content.clone(), kids: maps.Clone(s.kids)}
	for _, c := range alive {
		c.apply(&s)
	}
	return s
}

// save writes what is left of the disk into the directory at, which is replaced.
func (d *disk) save(at string, f fate) error {
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	return f.save(d.top, at)
}

func (f fate) save(n *node, at string) error {
	left := f.left(n)
	if !n.dir {
		return left.content.save(at)
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(left.kids)) {
		if err := f.save(left.kids[name], filepath.Join(at, name)); err != nil {
			return err
		}
	}
	return nil
}

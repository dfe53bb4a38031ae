package powercut

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// node is a file or a directory, as programs see it and as the disk surely has it.
type node struct {
	name string // its first one, for messages
	dir  bool
	now  content          // of a file, as programs see it
	kids map[string]*node // of a directory, as programs see it
	safe safe
	todo []change // since the last sync, in order
}

// safe is what of a node the disk has, whatever happens.
type safe struct {
	content content
	kids    map[string]*node
}

// change is something done to a node that no sync has made durable yet: a write or a size for a
// file, entries for a directory.
type change struct {
	at   int // when it was done, in the order of all changes
	off  int64
	data []byte // of a write
	size int64  // of a truncation, when data is nil
	sets []entry
}

// entry is what a name of a directory refers to from now on; nil: nothing.
type entry struct {
	name string
	node *node
}

// apply makes the change to what the disk has.
func (c change) apply(s *safe) {
	switch {
	case c.sets != nil:
		for _, e := range c.sets {
			if e.node == nil {
				delete(s.kids, e.name)
			} else {
				s.kids[e.name] = e.node
			}
		}
	case c.data != nil:
		s.content.write(c.off, c.data)
	default:
		s.content.truncate(c.size)
	}
}

// handle is an open file.
type handle struct {
	node   *node
	pos    int64
	append bool
}

// disk is a disk that loses what was not synced, below one directory. Other paths do not exist
// for it. It follows a trace event by event.
type disk struct {
	root    string // absolute
	top     *node
	handles map[int64]*handle
	syncs   map[int]int // how many changes of the file had ended when the sync that ends there began
	acked   int         // steps that were acknowledged
	changes int         // so far
	nodes   []*node
}

func newDisk(root string) *disk {
	d := &disk{root: root, handles: map[int64]*handle{}, syncs: map[int]int{}}
	d.top = d.node(root, true)
	return d
}

func (d *disk) node(name string, dir bool) *node {
	n := &node{name: name, dir: dir}
	if dir {
		n.kids, n.safe.kids = map[string]*node{}, map[string]*node{}
	}
	d.nodes = append(d.nodes, n)
	return n
}

// event is the beginning or the end of a call.
type event struct {
	call
	line  int
	start bool
}

// eventsOf puts the calls of a trace into the order in which they take effect: at their end, but a
// sync looks at its file when it begins, and a closed number is free from then on.
func eventsOf(calls []call) []event {
	var all []event
	for _, c := range calls {
		switch c.name {
		case "close":
			all = append(all, event{c, c.begin, true})
		case "fsync", "fdatasync":
			all = append(all, event{c, c.begin, true}, event{c, c.end, false})
		default:
			all = append(all, event{c, c.end, false})
		}
	}
	slices.SortStableFunc(all, func(a, b event) int { return a.line - b.line })
	return all
}

// follow applies one event. Its error is that of a call that the model does not understand.
func (d *disk) follow(e event) error {
	if e.failed {
		return nil // nothing was done
	}
	if err := d.effect(e); err != nil {
		return fmt.Errorf("line %d: %s(%s): %w", e.line, e.name, strings.Join(short(e.args), ", "), err)
	}
	return nil
}

// short cuts arguments for messages.
func short(args []string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		if raw, err := unquote(a); err == nil {
			out[i] = strconv.Quote(string(raw[:min(len(raw), 60)]))
		}
	}
	return out
}

// change notes that something was done to n, and does it to what programs see.
func (d *disk) change(n *node, c change) {
	d.changes++
	c.at = d.changes
	n.todo = append(n.todo, c)
	seen := safe{n.now, n.kids}
	c.apply(&seen)
	n.now = seen.content
}

// place finds the directory and the name that a path of a call means; nil: it is not ours.
func (d *disk) place(dir, p string) (*node, string, error) {
	from, name, err := d.find(dir, p)
	if err == nil && from != nil && name == "" {
		return nil, "", fmt.Errorf("%q names no entry", p)
	}
	return from, name, err
}

// find is place for a path that may also mean a directory by itself: that directory and no name.
func (d *disk) find(dir, p string) (*node, string, error) {
	from, rest, err := d.start(dir, p)
	if err != nil || from == nil {
		return nil, "", err
	}
	parts := slices.DeleteFunc(strings.Split(rest, "/"), func(part string) bool { return part == "." || part == "" })
	name := ""
	if n := len(parts); n > 0 && !strings.HasSuffix(p, "/.") && !strings.HasSuffix(p, "/") {
		name, parts = parts[n-1], parts[:n-1]
	}
	for _, part := range parts {
		if from = from.kids[part]; from == nil || !from.dir {
			return nil, "", fmt.Errorf("%q leads nowhere", p)
		}
	}
	return from, name, nil
}

// start finds the directory from which a path leads, and what of the path is left; nil: it is not ours.
// A path that may lead to ours in a way that only the system can follow is an error.
func (d *disk) start(dir, p string) (*node, string, error) {
	if slices.Contains(strings.Split(p, "/"), "..") {
		return nil, "", fmt.Errorf("%q leads upwards", p)
	}
	if !path.IsAbs(p) {
		if dir == "AT_FDCWD" {
			return nil, "", fmt.Errorf("relative path %q", p)
		}
		number, err := strconv.ParseInt(dir, 10, 64)
		if h := d.handles[number]; err == nil && h != nil {
			return h.node, p, nil
		}
		return nil, "", err
	}
	clean := path.Clean(p)
	if strings.HasPrefix(clean, "/proc/") && strings.Contains(clean+"/", "/fd/") ||
		strings.HasPrefix(clean, "/dev/fd/") {
		return nil, "", fmt.Errorf("%q names a file by its number", p)
	}
	if clean == d.root {
		return d.top, "", nil
	}
	inside, ours := strings.CutPrefix(clean, d.root+"/")
	if !ours {
		return nil, "", nil
	}
	return d.top, inside, nil
}

// matches compares what programs see with a directory of the real file system, of which read
// returns a file and list the names in a directory.
func (d *disk) matches(read func(string) ([]byte, error), list func(string) ([]string, error)) error {
	return d.top.matches(d.root, read, list)
}

func (n *node) matches(at string, read func(string) ([]byte, error), list func(string) ([]string, error)) error {
	if !n.dir {
		real, err := read(at)
		if err == nil && !n.now.equals(real) {
			err = fmt.Errorf("%s is not what the trace made of it (%d bytes, traced %d)", at, len(real), n.now.size)
		}
		return err
	}
	names, err := list(at)
	if err != nil {
		return err
	}
	if known := slices.Sorted(maps.Keys(n.kids)); !slices.Equal(known, names) {
		return fmt.Errorf("%s holds %q, traced %q", at, names, known)
	}
	for name, kid := range n.kids {
		if err := kid.matches(path.Join(at, name), read, list); err != nil {
			return err
		}
	}
	return nil
}

var ackMark = []byte("ack ")

// ack reads the number of an acknowledged step from what was written to standard output.
func ack(text []byte) (int, bool) {
	number, ok := bytes.CutPrefix(text, ackMark)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(string(bytes.TrimSuffix(number, []byte("\n"))))
	return n, err == nil
}

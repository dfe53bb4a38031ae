package powercut

import (
	"fmt"
	"strings"
)

// traced are the system calls that change files, and those that identify a file. A call that succeeds and that
// effect does not handle fails the run: nothing is guessed.
var traced = []string{
	"openat", "openat2", "open", "creat", "close", "dup", "dup2", "dup3", "fcntl", "lseek",
	"write", "pwrite64", "writev", "pwritev", "pwritev2", "copy_file_range", "sendfile", "splice",
	"fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "truncate", "ftruncate", "fallocate", "mmap",
	"mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
	"link", "linkat", "symlink", "symlinkat", "mknod", "mknodat", "bind",
}

// effect does what a successful call did.
func (d *disk) effect(e event) error {
	switch e.name {
	case "openat":
		return d.open(e)
	case "close":
		return d.close(e)
	case "lseek":
		return d.seek(e)
	case "write":
		return d.write(e)
	case "pwrite64":
		return d.pwrite(e)
	case "ftruncate":
		return d.ftruncate(e)
	case "fsync", "fdatasync":
		return d.sync(e)
	case "mkdirat":
		return d.mkdir(e)
	case "unlinkat":
		return d.unlink(e)
	case "renameat", "linkat":
		return d.rename(e)
	case "bind":
		return d.bind(e)
	case "mmap":
		return d.mmap(e)
	case "fcntl":
		return d.fcntl(e)
	}
	return fmt.Errorf("%s is not modelled", e.name)
}

// of returns the open file that argument 0 names; nil: it is not ours.
func (d *disk) of(e event) (*handle, error) {
	fd, err := e.number(0)
	return d.handles[fd], err
}

func (d *disk) open(e event) error {
	p, err := e.path(1)
	if err != nil {
		return err
	}
	flags, err := e.arg(2)
	if err != nil {
		return err
	}
	if strings.Contains(flags, "O_TMPFILE") {
		return fmt.Errorf("a file without a name is not modelled")
	}
	dir, name, err := d.find(e.args[0], p)
	if err != nil || dir == nil {
		return err
	}
	n := dir
	if name != "" {
		n = dir.kids[name]
	}
	if n == nil {
		if !strings.Contains(flags, "O_CREAT") {
			if readsOnly(flags) { // a rename has its effect before its end is in the trace: a reader may come between
				return nil
			}
			return fmt.Errorf("%q was opened and never made", p)
		}
		n = d.node(p, false)
		d.change(dir, change{sets: []entry{{name, n}}})
	}
	if strings.Contains(flags, "O_TRUNC") {
		d.change(n, change{size: 0})
	}
	d.handles[e.ret] = &handle{node: n, append: strings.Contains(flags, "O_APPEND")}
	return nil
}

// readsOnly reports whether nothing can be written through a file opened with flags. That it was synced is not seen
// either, if it is not known: the model then takes more for lost than was.
func readsOnly(flags string) bool {
	return !strings.Contains(flags, "O_WRONLY") && !strings.Contains(flags, "O_RDWR")
}

func (d *disk) close(e event) error {
	fd, err := e.number(0)
	delete(d.handles, fd)
	return err
}

func (d *disk) seek(e event) error {
	h, err := d.of(e)
	if err == nil && h != nil {
		h.pos = e.ret
	}
	return err
}

// write appends to a file, or acknowledges a step.
func (d *disk) write(e event) error {
	h, err := d.of(e)
	if err != nil {
		return err
	}
	if h == nil && e.args[0] != "1" {
		return nil
	}
	data, err := e.bytes(1)
	if err != nil {
		return err
	}
	if h == nil {
		if n, ok := ack(data); ok {
			d.acked = n
		}
		return nil
	}
	if h.append {
		h.pos = h.node.now.size
	}
	d.change(h.node, change{off: h.pos, data: data[:e.ret]})
	h.pos += e.ret
	return nil
}

func (d *disk) pwrite(e event) error {
	h, err := d.of(e)
	if err != nil || h == nil {
		return err
	}
	data, err := e.bytes(1)
	if err != nil {
		return err
	}
	off, err := e.number(3)
	if err == nil && e.ret > 0 {
		d.change(h.node, change{off: off, data: data[:e.ret]})
	}
	return err
}

func (d *disk) ftruncate(e event) error {
	h, err := d.of(e)
	if err != nil || h == nil {
		return err
	}
	size, err := e.number(1)
	if err == nil {
		d.change(h.node, change{size: size})
	}
	return err
}

// sync makes durable what had been done to a file or directory when the sync began.
func (d *disk) sync(e event) error {
	h, err := d.of(e)
	if err != nil || h == nil {
		return err
	}
	if e.start {
		d.syncs[e.end] = d.changes
		return nil
	}
	upTo := d.syncs[e.end]
	delete(d.syncs, e.end)
	h.node.settle(upTo)
	return nil
}

// settle makes the changes up to a moment durable.
func (n *node) settle(upTo int) {
	n.safe.content = n.safe.content.clone()
	for len(n.todo) > 0 && n.todo[0].at <= upTo {
		n.todo[0].apply(&n.safe)
		n.todo = n.todo[1:]
	}
}

func (d *disk) mkdir(e event) error {
	p, err := e.path(1)
	if err != nil {
		return err
	}
	dir, name, err := d.place(e.args[0], p)
	if err == nil && dir != nil {
		d.change(dir, change{sets: []entry{{name, d.node(p, true)}}})
	}
	return err
}

func (d *disk) unlink(e event) error {
	p, err := e.path(1)
	if err != nil {
		return err
	}
	dir, name, err := d.place(e.args[0], p)
	if err != nil || dir == nil {
		return err
	}
	if dir.kids[name] == nil {
		return fmt.Errorf("%q was removed and never made", p)
	}
	d.change(dir, change{sets: []entry{{name, nil}}})
	return nil
}

// rename gives a file another name, or with linkat one more. Inside one directory that is one
// change; between two it is one of each, and either may be lost.
func (d *disk) rename(e event) error {
	oldPath, err := e.path(1)
	if err != nil {
		return err
	}
	newPath, err := e.path(3)
	if err != nil {
		return err
	}
	from, oldName, err := d.place(e.args[0], oldPath)
	if err != nil {
		return err
	}
	to, newName, err := d.place(e.args[2], newPath)
	if err != nil || from == nil && to == nil {
		return err
	}
	if from == nil || to == nil || from.kids[oldName] == nil {
		return fmt.Errorf("%q moves into or out of the disk", oldPath)
	}
	added, removed := entry{newName, from.kids[oldName]}, entry{oldName, nil}
	switch {
	case e.name == "linkat":
		d.change(to, change{sets: []entry{added}})
	case from == to:
		d.change(to, change{sets: []entry{removed, added}})
	default:
		d.change(to, change{sets: []entry{added}})
		d.change(from, change{sets: []entry{removed}})
	}
	return nil
}

// bind makes a socket, which is an empty file on a disk.
func (d *disk) bind(e event) error {
	address, err := e.arg(1)
	if err != nil {
		return err
	}
	_, p, ok := strings.Cut(address, "sun_path=")
	if !ok {
		return nil // not in the file system
	}
	raw, err := unquote(strings.TrimSuffix(p, "}"))
	if err != nil {
		return err
	}
	dir, name, err := d.place("AT_FDCWD", string(raw))
	if err == nil && dir != nil {
		d.change(dir, change{sets: []entry{{name, d.node(string(raw), false)}}})
	}
	return err
}

// mmap must not be a way to write: the trace would not show what is written.
func (d *disk) mmap(e event) error {
	fd, err := e.arg(4)
	if err != nil {
		return err
	}
	prot, flags := e.args[2], e.args[3]
	if fd == "-1" || !strings.Contains(prot, "PROT_WRITE") || !strings.Contains(flags, "MAP_SHARED") {
		return nil
	}
	return fmt.Errorf("a file is mapped for writing")
}

// fcntl must not make a second number for a file of ours.
func (d *disk) fcntl(e event) error {
	h, err := d.of(e)
	if err == nil && h != nil && len(e.args) > 1 && strings.HasPrefix(e.args[1], "F_DUPFD") {
		return fmt.Errorf("the number of a file is duplicated")
	}
	return err
}

package escapetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	swapsFlag = flag.Int64("swaps", 40_000, "swaps in all, shared by the subjects")
	seedFlag  = flag.Uint64("seed", 0, "seed of the campaign; 0: by the clock")
)

const (
	// patience is how long one read may take that should take milliseconds.
	patience = 30 * time.Second
	// leastRaced is how many reads of every subject must have met a swap, and raceShare how many for so many
	// of its swaps.
	leastRaced, raceShare = 3, 1000
	// mostControl bounds the swaps after which a naive subject must be caught.
	mostControl = 200_000
)

// subject is a reader or a writer of the product.
type subject struct {
	name    string
	root    string // of the tree below a temporary directory; "": ws
	inside  map[string]string
	outside map[string]string // counterparts of what is swapped, and more
	targets []target
	stirs   bool // it looks only at what has changed
	writes  bool // nothing outside may change
	foreign bool // it follows the user's own links to the user's own files, so that what is outside is another user's
	// leaks says what of the outside is in what came out; nil: the canary, and hashes of the files.
	leaks func(out string) bool
	// start begins, and returns what reads once: what came out, and whether it refused.
	start func(t testing.TB, p *place) func(ctx context.Context) (out string, refused bool)
}

// row is what one subject came to.
type row struct {
	name                         string
	control                      int64 // swaps until a naive reader of the same paths was caught
	swaps, reads, raced, refused int64
	escapes, hangs               int64
	during                       int64 // swaps that happened while something was read
	took                         time.Duration
}

// TestCampaign swaps the files at the paths that each subject is given.
func TestCampaign(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (-seed %d plays the same swaps)", seed, seed)
	var rows []row
	all := subjects()
	for i, s := range all {
		t.Run(s.name, func(t *testing.T) {
			rows = append(rows, s.campaign(t, seed+uint64(i), *swapsFlag/int64(len(all))))
		})
	}
	t.Log("\n" + table(rows))
}

// campaign lets a naive reader be caught, and the subject not.
func (s subject) campaign(t *testing.T, seed uint64, swaps int64) row {
	if s.root == "" {
		s.root = "ws"
	}
	p := newPlace(t, s.root, s.inside, s.outside)
	if s.foreign {
		p.giveAway()
	}
	before := listing(t, p.outside)
	r := row{name: s.name}
	read := s.start(t, p)
	stop := p.swapping(seed, s.targets, s.stirs)
	defer stop()
	if r.control = s.control(p); r.control < 0 {
		t.Errorf("a naive %s was not caught within %d swaps: the campaign proves nothing", s.name, mostControl)
	}
	put(t, p.outside, s.outside)
	began, from, least := time.Now(), p.swaps.Load(), max(leastRaced, swaps/raceShare)
	for p.swaps.Load()-from < swaps || r.raced < least && time.Since(began) < 2*patience {
		if s.once(t, p, &r, read); r.hangs > 0 || t.Failed() {
			break
		}
		if s.writes {
			s.untouched(t, p, before, &r)
		}
	}
	stop()
	r.swaps, r.took = p.swaps.Load()-from, time.Since(began)
	if s.writes {
		s.untouched(t, p, before, &r)
	}
	if r.raced < least && !t.Failed() {
		t.Errorf("only %d of %d reads met a swap: the campaign proves nothing", r.raced, r.reads)
	}
	t.Logf("naive caught after %d swaps; %s", r.control, r)
	return r
}

// once has the subject read once.
func (s subject) once(t *testing.T, p *place, r *row, read func(context.Context) (string, bool)) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var hung atomic.Bool
	watchdog := time.AfterFunc(patience, func() { hung.Store(true); p.unblock() })
	from := p.swaps.Load()
	out, refused := read(ctx)
	met := p.swaps.Load() - from
	watchdog.Stop()
	r.reads++
	r.during += met
	if met > 0 {
		r.raced++
	}
	if refused {
		r.refused++
	}
	if hung.Load() {
		r.hangs++
		t.Errorf("%s waited for more than %s", s.name, patience)
	}
	if s.leak(out) {
		r.escapes++
		t.Errorf("%s read content from outside after %d swaps: %.2000s", s.name, p.swaps.Load(), out)
	}
}

// leak reports whether something of the outside is in what came out.
func (s subject) leak(out string) bool {
	if strings.Contains(out, canary) || s.leaks != nil && s.leaks(out) {
		return true
	}
	for _, content := range s.outside {
		if sum := sha256.Sum256([]byte(content)); strings.Contains(out, hex.EncodeToString(sum[:])) {
			return true
		}
	}
	return false
}

// control returns how many swaps it took until a reader or writer was caught that checks a path before it
// opens it; -1: it was not.
func (s subject) control(p *place) int64 {
	if slices.ContainsFunc(s.targets, func(at target) bool { return at.named }) {
		return 0 // there is no outside: only whether it hangs is looked at
	}
	names := slices.Sorted(maps.Keys(s.outside))
	before := listing(p.t, p.outside)
	from := p.swaps.Load()
	for try := 0; p.swaps.Load()-from < mostControl; try++ {
		name := names[try%len(names)]
		if !s.writes && strings.Contains(naiveRead(p.inside, name), s.outside[name]) {
			return p.swaps.Load() - from
		}
		if s.writes && naiveWrite(p.inside, name) && listing(p.t, p.outside) != before {
			return p.swaps.Load() - from
		}
	}
	return -1
}

// checked returns the path of a file if it is in a directory, as a program that checks before it opens.
func checked(root, name string) (string, bool) {
	path := filepath.Join(root, name)
	real, err := filepath.EvalSymlinks(path)
	if os.IsNotExist(err) {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			return path, real == root || strings.HasPrefix(real, root+"/")
		}
	}
	if err != nil || !strings.HasPrefix(real, root+"/") {
		return "", false
	}
	info, err := os.Lstat(path)
	return path, err == nil && info.Mode().IsRegular()
}

// naiveRead reads a file that is inside of a directory when it looks.
func naiveRead(root, name string) string {
	path, ok := checked(root, name)
	if !ok {
		return ""
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	content, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(content)
}

// naiveWrite writes a file that would be inside of a directory when it looks.
func naiveWrite(root, name string) bool {
	path, ok := checked(root, name)
	if !ok {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return false
	}
	_, _ = f.WriteString("naive")
	return f.Close() == nil
}

// listing describes all files below a directory, for comparisons.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, d.Type())
		if d.Type().IsRegular() {
			content, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%x\n", sha256.Sum256(content))
			return err
		}
		return nil
	})
	must(t, err)
	return b.String()
}

// untouched holds that nothing outside has changed.
func (s subject) untouched(t *testing.T, p *place, before string, r *row) {
	if now := listing(t, p.outside); now != before {
		r.escapes++
		t.Errorf("%s changed files outside:\n%s\nit was\n%s", s.name, now, before)
	}
}

// String says what a subject came to.
func (r row) String() string {
	return fmt.Sprintf("%d swaps, %d reads of which %d met %d swaps, %d refused, %d escapes, %d hangs, %.1f s",
		r.swaps, r.reads, r.raced, r.during, r.refused, r.escapes, r.hangs, r.took.Seconds())
}

// table lists what all subjects came to.
func table(rows []row) string {
	var b strings.Builder
	line := "%-24s %8v %10v %9v %9v %9v %8v %6v %7v\n"
	fmt.Fprintf(&b, line, "subject", "naive in", "swaps", "reads", "raced", "refused", "escapes", "hangs", "s")
	sum := row{name: "all"}
	for _, r := range rows {
		fmt.Fprintf(&b, line, r.name, r.control, r.swaps, r.reads, r.raced, r.refused, r.escapes, r.hangs,
			fmt.Sprintf("%.1f", r.took.Seconds()))
		sum.swaps, sum.reads, sum.raced = sum.swaps+r.swaps, sum.reads+r.reads, sum.raced+r.raced
		sum.refused, sum.escapes = sum.refused+r.refused, sum.escapes+r.escapes
		sum.hangs, sum.took = sum.hangs+r.hangs, sum.took+r.took
	}
	fmt.Fprintf(&b, line, sum.name, "", sum.swaps, sum.reads, sum.raced, sum.refused, sum.escapes, sum.hangs,
		fmt.Sprintf("%.1f", sum.took.Seconds()))
	return b.String()
}

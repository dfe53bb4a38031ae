// Command benchmark measures the built programs from outside and prints a table of Markdown.
//
//	make bench ARGS="[-short] [-write] [-only NAME,…]"
//
// Start at measurements, which lists what is measured; each measurement has a file of its own. Every
// figure is compared with the least cost of the same work without ctxledger, measured at the same time, and
// is a median over several runs. -write puts the table into
// docs/maintainers/benchmarks.md; -short skips slow measurements, -only all but the named ones.
//
// It deliberately asserts nothing: a machine may be slow, and people judge the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxledger.dev/lab/sandbox"
)

const (
	// recording is the session that is measured, from the module's root.
	recording = "testdata/sessions/shop.jsonl"
	// document holds the figures.
	document = "docs/maintainers/benchmarks.md"
	// goodbye is the time that daemons have to exit.
	goodbye = 15 * time.Second
)

// bench is one run of all measurements.
type bench struct {
	bin      string
	recorded []byte
	path     string // of the recording, absolute
	temp     string // for files
	big      generated
	runs     int           // of slow measurements
	text     int           // bytes of each text that is counted
	patience time.Duration // how long a counter may take for a single piece
	report   report
}

// measurements are all measurements, in the order of the table.
var measurements = []struct {
	name    string
	measure func(context.Context, *bench) error
}{
	{"import", measureImport},
	{"audit", measureAudit},
	{"memory", measureMemory},
	{"compaction", measureCompaction},
	{"view", measureView},
	{"read_artifact", measureRead},
	{"hosting", measureHosting},
	{"append", measureAppend},
	{"sharing", measureSharing},
	{"growth", measureGrowth},
	{"intents", measureIntents},
	{"hook", measureHook},
	{"proxy", measureProxy},
	{"idle", measureIdle},
	{"projects", measureProjects},
	{"tokens", measureTokens},
	{"index", measureIndex},
	{"editor", measureEditing},
	{"graphs", measureGraphs},
	{"redaction", measureRedaction},
	{"rendering", measureRendering},
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == echoFlag {
		serveEcho(len(os.Args) > 2)
		return
	}
	if len(os.Args) > 1 && (os.Args[1] == upstreamFlag || os.Args[1] == bareFlag) {
		if err := serveModel(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "benchmark:", err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) == 5 && (os.Args[1] == appendFlag || os.Args[1] == boltFlag) {
		if err := writer(context.Background(), os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "benchmark:", err)
			os.Exit(1)
		}
		return
	}
	bin := flag.String("bin", "bin", "the `directory` of the built programs")
	short := flag.Bool("short", false, "a session of 8 MB and fewer runs")
	only := flag.String("only", "", "measure only these `names`, separated by commas (see measurements)")
	write := flag.Bool("write", false, "put the figures into "+document)
	flag.Parse()
	if flag.NArg() > 0 || *only != "" && *write {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *bin, *short, *write, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "benchmark:", err)
		os.Exit(1)
	}
}

// run runs the measurements and prints the table.
func run(ctx context.Context, bin string, short, write bool, only []string) (err error) {
	if bin, err = filepath.Abs(bin); err != nil { // programs are run in other directories too
		return err
	}
	b := &bench{bin: bin, runs: 5, text: 10 << 20, patience: 4 * time.Second}
	size, command := int64(64<<20), "make bench"
	if short {
		b.runs, b.text, b.patience = 2, 1<<20, 500*time.Millisecond
		size, command = 8<<20, `make bench ARGS="-short"`
	}
	if b.temp, err = os.MkdirTemp("", "ctxl"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.temp)) }()
	if err := b.prepare(size); err != nil {
		return err
	}
	for _, m := range measurements {
		if only[0] != "" && !slices.Contains(only, m.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "benchmark: %s\n", m.name)
		debug.FreeOSMemory() // a measurement's garbage must not slow the next one down
		if err := m.measure(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	text := b.report.markdown(command, time.Now())
	fmt.Print(text)
	if !write {
		return nil
	}
	for _, i := range b.report.images {
		if err := i.write(); err != nil {
			return err
		}
	}
	return replace(document, text)
}

// session is the identifier of the generated sessions.
const session = "11111111-2222-4333-8444-555555555555"

// prepare reads the recording and generates the long session.
func (b *bench) prepare(size int64) (err error) {
	if b.path, err = filepath.Abs(recording); err != nil {
		return err
	}
	if b.recorded, err = os.ReadFile(b.path); err != nil {
		return fmt.Errorf("%w (run it from the module's root)", err)
	}
	b.big, err = b.longer("big", size)
	return err
}

// inSandbox calls a function with a new sandbox whose daemon is running.
func (b *bench) inSandbox(ctx context.Context, do func(*sandbox.Sandbox) error) error {
	s, err := sandbox.New(b.bin)
	if err != nil {
		return err
	}
	if _, err = s.Run(ctx, "status"); err == nil {
		err = do(s)
	}
	leaving, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer done()
	return errors.Join(err, s.Close(leaving))
}

// Command counter counts the tokens of files for the benchmark, which builds it with the assembly and,
// with the tag purego, without.
//
//	counter ENCODING
//
// A line on standard input says what to do, at most how often and for how many milliseconds, and with
// which file: "count 5 1000 PATH". The line that answers has the number of tokens, the allocations of all times
// together, the bytes of the heap afterwards, and how many nanoseconds each time took. What can be done is
// listed in tasks. counters.mjs is the same for npm's counters.
//
// It deliberately has no options and reads any file whole: only the benchmark speaks to it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"ctxledger.dev/tokens"
)

// counter counts in an encoding.
type counter struct{ e *tokens.Encoding }

// tasks are what can be done with a text for the i-th time; each returns its number of tokens.
var tasks = map[string]func(c *counter, text []byte, i int) int{
	"nothing":  func(*counter, []byte, int) int { return 0 },
	"count":    func(c *counter, text []byte, _ int) int { return c.e.Count(text) },
	"parallel": func(c *counter, text []byte, _ int) int { return c.e.CountParallel(text, 2) },
	// A piece is one ideograph or three letters shorter each time, so that none is known from the last time.
	"piece": func(c *counter, text []byte, i int) int { return c.e.Count(text[:len(text)-3*i]) },
}

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "counter:", err)
		os.Exit(1)
	}
}

// serve answers until standard input ends.
func serve(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: counter ENCODING")
	}
	e, err := tokens.ParseEncoding(args[0])
	if err != nil {
		return err
	}
	c := counter{e: e}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if err := c.answer(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// answer does what one line asks for.
func (c *counter) answer(line string) error {
	var name string
	var runs, millis int
	if _, err := fmt.Sscan(line, &name, &runs, &millis); err != nil || tasks[name] == nil {
		return fmt.Errorf("cannot do %q", line)
	}
	_, path, _ := strings.Cut(line, fmt.Sprintf("%s %d %d ", name, runs, millis))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n, took, allocations := c.repeat(tasks[name], text, runs, time.Duration(millis)*time.Millisecond)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%d %d %d %s\n", n, allocations, m.HeapAlloc, strings.Trim(fmt.Sprint(took), "[]"))
	return nil
}

// repeat does the task at most so often and for about so long, at least once.
func (c *counter) repeat(task func(*counter, []byte, int) int, text []byte, runs int, limit time.Duration) (n int, took []int64, allocations uint64) {
	took = make([]int64, 0, runs)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for began := time.Now(); len(took) == 0 || len(took) < runs && time.Since(began) < limit; {
		at := time.Now()
		n = task(c, text, len(took))
		took = append(took, time.Since(at).Nanoseconds())
	}
	runtime.ReadMemStats(&after)
	return n, took, after.Mallocs - before.Mallocs
}

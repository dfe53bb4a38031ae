package cases

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// child makes this test binary a child that serves cases: from, to and step.
var child = flag.String("child", "", "for the tests' own use: serve these cases")

func TestMain(m *testing.M) {
	flag.Parse()
	if *child == "" {
		os.Exit(m.Run())
	}
	var from, to, step int
	_, err := fmt.Sscan(*child, &from, &to, &step)
	if err == nil {
		err = Serve(os.Stdout, from, to, step, fate)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fate is what becomes of a case: some die, hang or fail, the others end well.
func fate(n int) (string, error) {
	switch n {
	case 3:
		panic("case 3 dies")
	case 10:
		os.Exit(0) // dies as if all were well
	case 12:
		os.Exit(3)
	case 20:
		<-time.After(time.Hour)
	case 21:
		return "", errors.New("case 21\nfails")
	}
	return []string{"even", "odd"}[n%2], nil
}

// TestChildrenThatDie: each case that ends its child has failed, and all others are served.
func TestChildrenThatDie(t *testing.T) {
	report, err := Run(t.Context(), Plan{
		From: 0, To: 40, Parallel: 3, Patience: 5 * time.Second,
		Child: func(from, to, step int) *exec.Cmd {
			return exec.Command(os.Args[0], "-child", fmt.Sprint(from, to, step))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	says := map[int]string{3: "case 3 dies", 10: "without a word", 12: "exit status 3", 20: "hung",
		21: "case 21\nfails"}
	for _, p := range report.Problems {
		if want, ok := says[p.Case]; !ok || !strings.Contains(p.What, want) {
			t.Errorf("case %d: %s", p.Case, p.What)
		}
		delete(says, p.Case)
	}
	if len(says) > 0 {
		t.Errorf("not noticed: %v", says)
	}
	if want := map[string]int{"even": 17, "odd": 18}; !maps.Equal(report.Outcomes, want) {
		t.Errorf("outcomes %v, want %v", report.Outcomes, want)
	}
}

// TestStop: enough problems end the run; a child that is none is an error.
func TestStop(t *testing.T) {
	serve := func(from, to, step int) *exec.Cmd {
		return exec.Command(os.Args[0], "-child", fmt.Sprint(from, to, step))
	}
	report, err := Run(t.Context(),
		Plan{From: 21, To: 1 << 30, Parallel: 1, Patience: time.Minute, Stop: 1, Child: serve})
	if err != nil || len(report.Problems) != 1 {
		t.Errorf("%v, %v", report.Problems, err)
	}
	for _, program := range [][]string{{"echo", "hello"}, {"false"}, {"/nowhere/" + strconv.Itoa(os.Getpid())}} {
		_, err = Run(t.Context(),
			Plan{From: 0, To: 9, Parallel: 2, Patience: time.Minute, Child: func(int, int, int) *exec.Cmd {
				return exec.Command(program[0], program[1:]...)
			}})
		if err == nil {
			t.Errorf("%q passed for a child", program)
		}
	}
}

// Command subject is the program that the harnesses of lab/crashtest drive: it writes ledgers
// until it is interrupted, and examines what is left of them, which may crash it.
//
// Start at main: one word says what to do. It is built by the tests, also with seeded defects, and
// deliberately no part of the product.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		os.Exit(1)
	}
}

// run does what the first argument says.
func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("what is to be done?")
	}
	verb, args := args[0], args[1:]
	switch {
	case verb == "write" && len(args) == 2:
		rounds, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return write(ctx, args[0], rounds)
	case verb == "fill" && len(args) == 1:
		return fill(ctx, args[0])
	case verb == "play" && len(args) == 3:
		n, err := numbers(args[1:])
		if err != nil {
			return err
		}
		return play(ctx, args[0], n[0], n[1])
	case verb == "cuts" && len(args) == 6:
		return cuts(ctx, args[0], args[1:])
	case verb == "damage" && len(args) == 6:
		return wound(ctx, args[0], args[1:])
	}
	return fmt.Errorf("%q takes other arguments than %q, or does not exist", verb, args)
}

// numbers reads arguments that are numbers.
func numbers(args []string) ([]int, error) {
	out := make([]int, len(args))
	for i, a := range args {
		n, err := strconv.Atoi(a)
		if err != nil {
			return nil, err
		}
		out[i] = n
	}
	return out, nil
}

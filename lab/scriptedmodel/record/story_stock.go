package main

import model "ctxledger.dev/lab/scriptedmodel"

// stockSecond is the stock with a lock and with limits.
const stockSecond = `// Package stock counts the pieces that are there.
package stock

import (
	"fmt"
	"sync"
)

// Shortage is the error of a reservation of more pieces than there are.
type Shortage struct {
	SKU          string
	Wanted, Free int
}

// Error says what is missing.
func (e *Shortage) Error() string {
	return fmt.Sprintf("stock: %d pieces of %s wanted, %d free", e.Wanted, e.SKU, e.Free)
}

// Stock is the number of free pieces by product number. It is safe for concurrent use.
type Stock struct {
	mu   sync.Mutex
	free map[string]int
}

// New returns a stock of the given pieces, which it copies.
func New(pieces map[string]int) *Stock {
	s := &Stock{free: make(map[string]int, len(pieces))}
	for sku, n := range pieces {
		s.free[sku] = n
	}
	return s
}

// Free returns how many pieces can still be sold.
func (s *Stock) Free(sku string) int {
	return s.free[sku]
}

// Reserve takes n pieces of a product, or none and returns a *Shortage.
func (s *Stock) Reserve(sku string, n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if free := s.free[sku]; free < n {
		return &Shortage{SKU: sku, Wanted: n, Free: free}
	}
	s.free[sku] -= n
	return nil
}

// Release gives back n pieces of a product.
func (s *Stock) Release(sku string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free[sku] += n
}
`

// stockTests reproduce what the user saw.
const stockTests = `package stock

import (
	"errors"
	"sync"
	"testing"
)

func TestReserve(t *testing.T) {
	s := New(map[string]int{"A": 3})
	if err := s.Reserve("A", 2); err != nil {
		t.Fatal(err)
	}
	if got := s.Free("A"); got != 1 {
		t.Errorf("Free = %d, want 1", got)
	}
}

func TestReserveRefusesMoreThanThereIs(t *testing.T) {
	s := New(map[string]int{"A": 1})
	err := s.Reserve("A", 2)
	var shortage *Shortage
	if !errors.As(err, &shortage) || shortage.Free != 1 {
		t.Fatalf("err = %v, want a shortage", err)
	}
	if got := s.Free("A"); got != 1 {
		t.Errorf("Free = %d after a refusal, want 1", got)
	}
}

func TestManyCustomersNeverOversell(t *testing.T) {
	s := New(map[string]int{"A": 50})
	var wg sync.WaitGroup
	var mu sync.Mutex
	sold := 0
	for range 80 {
		wg.Go(func() {
			if s.Reserve("A", 1) == nil {
				mu.Lock()
				sold++
				mu.Unlock()
			}
			_ = s.Free("A")
		})
	}
	wg.Wait()
	if sold != 50 || s.Free("A") != 0 {
		t.Errorf("sold %d of 50, %d left", sold, s.Free("A"))
	}
}
`

// stockChapter: overselling, a race, and giving pieces back.
var stockChapter = chapter{
	prompt: "We oversold the oak table last week: two customers got the same last piece. Please find out why, write " +
		"a test that shows it first, " +
		"then fix it. If an order fails halfway, the pieces that it reserved must be free again.",
	steps: model.Script{
		do("I read the stock again, and who uses it.", read("stock/stock.go"), read("stock/stock_test.go"),
			grep("stock\\.|Reserve|Release", "order")),
		do("", plan("Stop overselling", "Reserve checks nothing and has no lock"),
			plan("Give back on failure", "a failed order releases what it reserved")),
		think("Reserve never checks; two customers both succeed. Also no lock. First a failing test, as asked.",
			"`Reserve` checks nothing at all and has no lock. First the tests that show it.",
			write("stock/stock_test.go", stockTests), mark("6", "in_progress")),
		do("", bash("go test ./stock/ 2>&1", "Show that it fails")),
		do("`Shortage` does not exist yet, of course. I write the new stock.", write("stock/stock.go", stockSecond)),
		do("", bash("go test ./stock/ 2>&1", "Test stock")),
		do("Green here, but `WaitGroup.Go` came with Go 1.25 and `go.mod` promises 1.24. I leave `go.mod` alone and "+
			"write it the old way.",
			bash("go version && grep '^go ' go.mod", "Compare versions"),
			edit("stock/stock_test.go", `	for range 80 {
		wg.Go(func() {
			if s.Reserve("A", 1) == nil {
				mu.Lock()
				sold++
				mu.Unlock()
			}
			_ = s.Free("A")
		})
	}`, `	for range 80 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if s.Reserve("A", 1) == nil {
				mu.Lock()
				sold++
				mu.Unlock()
			}
			_ = s.Free("A")
		}()
	}`)),
		do("", bash("go test -count=20 ./stock/ 2>&1", "Test stock many times")),
		do("It passes, but `Free` reads without the lock. Does vet or the race detector see it?",
			bash("go vet ./stock/ && CGO_ENABLED=1 go test -race ./stock/ 2>&1 | head -60", "Race detector")),
		do("", edit("stock/stock.go", `func (s *Stock) Free(sku string) int {
	return s.free[sku]
}`, `func (s *Stock) Free(sku string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free[sku]
}`)),
		do("", bash("CGO_ENABLED=1 go test -race ./stock/ 2>&1 | head -60", "Race detector again")),
		do("", mark("6", "completed"), mark("7", "in_progress")),
		do("Now the half-failed order. A test first.",
			edit("order/order_test.go", `func TestDiscountIsSpread`,
				`func TestAFailedOrderGivesItsPiecesBack(t *testing.T) {
	products, s := shop()
	var c cart.Cart
	for sku, n := range map[string]int{"BOOK": 2, "CHAIR": 8} {
		if err := c.Add(sku, n); err != nil {
			t.Fatal(err)
		}
	}
	var shortage *stock.Shortage
	if _, err := Place("o-3", "2026-03-03", &c, nil, products, s); !errors.As(err, &shortage) {
		t.Fatalf("err = %v, want a shortage", err)
	}
	if s.Free("BOOK") != 3 || s.Free("CHAIR") != 7 {
		t.Errorf("free: %d books, %d chairs; want 3, 7", s.Free("BOOK"), s.Free("CHAIR"))
	}
}

func TestDiscountIsSpread`)),
		do("", bash("go test ./order/ 2>&1", "Test order")),
		do("", edit("order/order_test.go", `import (
	"testing"
`, `import (
	"errors"
	"testing"
`)),
		do("", bash("go test ./order/ 2>&1", "Test order")),
		do("The test shows the leak: one book short. I release in reverse.",
			edit("order/order.go", `	for _, line := range c.Lines() {
		p, err := products.Get(line.SKU)
		if err != nil {
			return nil, fmt.Errorf("order %s: %s: %w", id, line.SKU, err)
		}
		if err := s.Reserve(line.SKU, line.Pieces); err != nil {
			return nil, fmt.Errorf("order %s: %w", id, err)
		}`, `	done := false
	defer func() {
		if !done {
			o.release(s)
		}
	}()
	for _, line := range c.Lines() {
		p, err := products.Get(line.SKU)
		if err != nil {
			return nil, fmt.Errorf("order %s: %s: %w", id, line.SKU, err)
		}
		if err := s.Reserve(line.SKU, line.Pieces); err != nil {
			return nil, fmt.Errorf("order %s: %w", id, err)
		}`)),
		do("", edit("order/order.go", `	return o, nil
}

// spread`, `	done = true
	return o, nil
}

// release gives the pieces of all lines back.
func (o *Order) release(s *stock.Stock) {
	for _, line := range o.Lines {
		s.Release(line.SKU, line.Pieces)
	}
}

// spread`)),
		do("", bash("go test -count=1 ./order/ ./stock/ && go vet ./...", "Test and vet")),
		do("What does the user see at the command line?",
			bash("mkdir -p out && go build -o bin/shop ./cmd/shop && "+
				"./bin/shop order TABLE-0004=99; echo \"status $?\"",
				"Try an order that is too large"),
			bash("./bin/shop order TABLE-0004=1; tail -n 1 out/orders.ndjson", "Try an order")),
		do("", bash("go test -count=1 ./... && gofmt -l . && git add -A && git commit -qm 'stock: never sell more "+
			"than there is' && git log --oneline | head -3", "Test and commit"), mark("7", "completed")),
		model.Say("Why it happened: `stock.Reserve` neither checked how many pieces were free nor held a lock. Now " +
			"it refuses with a `*stock.Shortage`, under a mutex; " +
			"80 concurrent customers and 50 pieces sell exactly 50. A failed order releases what it had reserved " +
			"(`TestAFailedOrderGivesItsPiecesBack`). " +
			"`Free` raced at first as well; it takes the lock too. Committed."),
	},
}

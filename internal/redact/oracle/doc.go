// Package oracle compares internal/redact with gitleaks, whose rules others wrote: what it finds and ours does
// not is worth a look. It is a module of its own, so that the product does not know gitleaks.
//
//	cd internal/redact/oracle && go test -v .
//
// It takes longer than a test of the product may, so `make test` leaves it out.
package oracle

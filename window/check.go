package window

import (
	"reflect"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
)

// Check refuses a policy that cannot be meant: shares that are none, and negative numbers. The error is invalid, and
// names the field.
func (p Policy) Check() error {
	if p.Compact.Mode != "" && !settings.Mode(p.Compact.Mode).Offered() {
		return fault.New(fault.Invalid, "", "mode is %.1000q, not one of %s", p.Compact.Mode,
			strings.Join(settings.ModeNames(false), ", "))
	}
	return checkNumbers("the policy", reflect.ValueOf(p))
}

// checkNumbers refuses numbers in a value of any form: every float is a share.
func checkNumbers(name string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); !(f >= 0 && f <= 1) { // NaN is none either
			return fault.New(fault.Invalid, "", "%s is %v: it must be between 0 and 1", name, f)
		}
	case reflect.Int:
		if v.Int() < 0 {
			return fault.New(fault.Invalid, "", "%s is %d: it must not be negative", name, v.Int())
		}
	case reflect.Struct:
		for field, of := range v.Fields() {
			if err := checkNumbers(name+": "+field.Name, of); err != nil {
				return err
			}
		}
	case reflect.Map:
		for of, number := range v.Seq2() {
			if err := checkNumbers(name+": "+of.String(), number); err != nil {
				return err
			}
		}
	}
	return nil
}

package versioned

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"time"
)

// resolved returns the arguments of a statement with the values that those have which are a driver.Valuer, and refuses
// what the driver would, while it is certain that nothing has been sent. A panic of a Valuer comes in time as well.
func resolved(args []any) ([]any, error) {
	own := false
	for i, arg := range args {
		switch v := arg.(type) {
		case nil, int64, uint64, string, []byte, bool, float64, int32, uint32, int, int16, uint16, int8, uint8, float32:
		case time.Time:
			if err := inRange(v); err != nil {
				return nil, fmt.Errorf("argument %d: %w", i+1, err)
			}
		case driver.Valuer:
			value, err := valueOf(v)
			if t, ok := value.(time.Time); ok && err == nil {
				err = inRange(t)
			}
			if err != nil {
				return nil, fmt.Errorf("argument %d: %w", i+1, err)
			}
			if !driver.IsValue(value) { // the driver may take it all the same
				continue
			}
			if !own {
				args, own = slices.Clone(args), true
			}
			args[i] = value
		}
	}
	return args, nil
}

// valueOf is a Valuer's value; NULL, as for database/sql, if it is a nil pointer to a type that has the method.
func valueOf(v driver.Valuer) (driver.Value, error) {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() && r.Type().Elem().Implements(reflect.TypeFor[driver.Valuer]()) {
		return nil, nil
	}
	return v.Value()
}

// inRange refuses a time that has no text in SQL. The zero time is 0000-00-00.
func inRange(t time.Time) error {
	if year := t.Year(); !t.IsZero() && (year < 1 || year > 9999) {
		return fmt.Errorf("the year %d is not between 1 and 9999", year)
	}
	return nil
}

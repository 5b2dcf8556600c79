package operation

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/sqlcas/sqlcas/internal/mysqlerr"
	"github.com/sqlcas/sqlcas/schema"
)

var comment = regexp.MustCompile(`(?m)^\s*--.*$`)

// statement is what creates the table, on one line, as an error has room for it.
var statement = sync.OnceValue(func() string {
	return strings.Join(strings.Fields(comment.ReplaceAllString(schema.Sqlcas()[0], "")), " ")
})

// explain tells who has not created the table how to; any other error stays as it is.
func explain(err error) error {
	if !mysqlerr.MissingTable(err, "sqlcas_operation") {
		return err
	}
	return fmt.Errorf("operation ids need the table sqlcas_operation in the connection's default database: "+
		"create it by what `sqlcas migrate sqlcas` prints, which is %s: %w", statement(), err)
}

package casgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
)

// DefaultOutput is the file that the plugin writes where Options.Output says nothing.
const DefaultOutput = "tables.cas.go"

// errNoGo is what most users meet first.
var errNoGo = errors.New("option go is missing: sqlc does not show a plugin what gen.go says, and the generated code " +
	"must name things as gen.go does: write `go: &go` where the sql block's gen has `go:`, and `go: *go` in the plugin's options")

// ReadOptions reads the plugin's options, which are JSON, and fills in Output and gen.go's package where they
// are left out. It refuses what it does not know by its name, at any depth, and what cannot be generated for.
// Names of tables and columns are not looked at: Descriptors does that.
func ReadOptions(raw []byte) (Options, error) {
	var o Options
	if len(strings.TrimSpace(string(raw))) == 0 {
		return o, errNoGo
	}
	if !json.Valid(raw) {
		return o, errors.New("the plugin's options are no JSON")
	}
	if err := checkKeys(raw); err != nil {
		return o, err
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return o, fmt.Errorf("the plugin's options cannot be read: %w", err)
	}
	if o.Go == nil {
		return o, errNoGo
	}
	if o.Output == "" {
		o.Output = DefaultOutput
	}
	if o.Go.Package == "" && o.Go.Out != "" {
		o.Go.Package = path.Base(o.Go.Out)
	}
	return o, errors.Join(o.Go.check(), o.checkOutput(), NewNaming(o).err)
}

// check refuses what sqlc has no MySQL code for, or refuses itself.
func (g GoOptions) check() error {
	switch {
	case !token.IsIdentifier(g.Package):
		return fmt.Errorf("gen.go option package is %q, which is no package name of Go: give it one", g.Package)
	case g.SQLPackage != "" && g.SQLPackage != "database/sql":
		return fmt.Errorf("gen.go option sql_package is %q: MySQL is reached through database/sql, leave it out", g.SQLPackage)
	case g.SQLDriver != "" && g.SQLDriver != "github.com/go-sql-driver/mysql":
		return fmt.Errorf("gen.go option sql_driver is %q: MySQL's is github.com/go-sql-driver/mysql", g.SQLDriver)
	case g.EmitMethodsWithDBArgument && g.EmitPreparedQueries:
		return errors.New("gen.go options emit_methods_with_db_argument and emit_prepared_queries exclude each other: leave one out")
	case g.QueryParameterLimit != nil && *g.QueryParameterLimit < 0:
		return errors.New("gen.go option query_parameter_limit is negative: 0 is the least, and means a struct always")
	}
	return nil
}

// checkOutput refuses a file that sqlc writes too, of which one or the other would be left at random, and one
// in another folder, on which sqlc 1.31 can hang.
func (o Options) checkOutput() error {
	reserved := []string{"db.go", "models.go", "querier.go", "copyfrom.go", "batch.go"}
	reserved = append(reserved, o.Go.OutputDBFileName, o.Go.OutputModelsFileName, o.Go.OutputQuerierFileName,
		o.Go.OutputCopyfromFileName, o.Go.OutputBatchFileName)
	switch {
	case strings.ContainsAny(o.Output, `/\`) || !strings.HasSuffix(o.Output, ".go"):
		return fmt.Errorf("option output is %q: it is the name of a .go file, without a folder", o.Output)
	case slices.Contains(reserved, o.Output) || strings.HasSuffix(o.Output, ".sql.go"):
		return fmt.Errorf("option output is %q, which sqlc may write too: choose another name", o.Output)
	case strings.HasPrefix(o.Output, "_") || strings.HasPrefix(o.Output, ".") || forOneSystem(o.Output):
		return fmt.Errorf("option output is %q, which Go leaves out of the build, or out of that for some systems: choose another "+
			"name, such as %s", o.Output, DefaultOutput)
	}
	return nil
}

package vet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// databases are the packages without which Go code sends no SQL. Others, such as sqlx and gorm, import one of
// them.
var databases = map[string]bool{"database/sql": true, "database/sql/driver": true}

// load returns the packages of a job that have anything to do with a database, type-checked. The others are
// only listed, which is far cheaper.
func load(ctx context.Context, job Job) ([]*packages.Package, error) {
	config := packages.Config{
		Context: ctx, Dir: job.Dir, Tests: job.Tests,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedForTest,
	}
	listed, err := packages.Load(&config, job.Packages...)
	if err != nil {
		return nil, fmt.Errorf("the Go packages cannot be listed: %w", err)
	}
	if err := faults(listed); err != nil {
		return nil, err
	}
	patterns := relevant(listed)
	if len(patterns) == 0 {
		return nil, nil
	}
	if slices.Contains(patterns, "command-line-arguments") { // files were named, which have no path
		patterns = job.Packages
	}
	config.Mode = packages.LoadSyntax | packages.NeedForTest
	loaded, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("the Go packages cannot be loaded: %w", err)
	}
	return loaded, faults(loaded)
}

// relevant returns the paths of the listed packages that reach a database, and of those that they import: SQL may
// be a constant there. The variants that tests have of a package go under the package's path.
func relevant(listed []*packages.Package) []string {
	seen := map[*packages.Package]bool{}
	behind := map[string]bool{}
	for _, p := range listed {
		if reaches(p, seen) {
			imports(p, behind)
		}
	}
	paths := map[string]bool{}
	for _, p := range listed {
		if generatedMain := strings.HasSuffix(p.PkgPath, ".test"); !generatedMain && behind[p.PkgPath] {
			paths[cmp.Or(p.ForTest, p.PkgPath)] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// imports notes the paths of a package and of all that it imports, by whatever way.
func imports(p *packages.Package, behind map[string]bool) {
	if behind[p.PkgPath] {
		return
	}
	behind[p.PkgPath] = true
	for _, imported := range p.Imports {
		imports(imported, behind)
	}
}

// reaches reports whether a package imports one of databases, by whatever way. seen keeps the answers: a
// package that is being asked is there as false, and imports have no cycles.
func reaches(p *packages.Package, seen map[*packages.Package]bool) bool {
	if yes, asked := seen[p]; asked {
		return yes
	}
	seen[p] = false
	for path, imported := range p.Imports {
		if databases[path] || reaches(imported, seen) {
			seen[p] = true
			break
		}
	}
	return seen[p]
}

// faults returns what is wrong with packages that do not compile, the first few lines of it. The compiler's own
// output repeats what the type checker says with a place, and so do the variants that tests have of a package.
func faults(loaded []*packages.Package) error {
	const most = 5
	var all []error
	said := map[string]bool{}
	for _, p := range loaded {
		placed := slices.ContainsFunc(p.Errors, func(e packages.Error) bool { return !isOutput(e) })
		for _, e := range p.Errors {
			if said[e.Error()] || placed && isOutput(e) {
				continue
			}
			said[e.Error()] = true
			if len(all) == most {
				return errors.Join(append(all, errors.New("and more"))...)
			}
			all = append(all, fmt.Errorf("package %s: %w", p.PkgPath, e))
		}
	}
	return errors.Join(all...)
}

// isOutput reports whether an error is the output of the compiler, all of it and without a place.
func isOutput(e packages.Error) bool {
	return (e.Pos == "" || e.Pos == "-") && strings.HasPrefix(e.Msg, "# ")
}

package casgen

import (
	"encoding/json"

	"github.com/sqlcas/sqlcas/internal/sqlcheck"
)

// Options are the plugin's options in sqlc.yaml. `sqlcas queries` reads the same ones.
type Options struct {
	// Go is gen.go of the same sql block, by a YAML alias: the plugin's request does not have it, and the Go
	// that casgen writes must name things as sqlc does.
	Go *GoOptions `json:"go"`

	// Overrides is the top-level overrides.go, by a YAML alias, where there is one.
	Overrides *GlobalOptions `json:"overrides"`

	// Queries is the folder that `sqlcas queries` writes to; by default the block's first folder of queries.
	Queries string `json:"queries"`

	// Tables says more about tables, by their names.
	Tables map[string]TableOptions `json:"tables"`

	// PackageDoc is the package's doc comment, for packages that have no hand-written file.
	PackageDoc string `json:"package_doc"`

	// Output is the file that the plugin writes; by default tables.cas.go.
	Output string `json:"output"`
}

// Versions returns the version columns that the options name.
func (o Options) Versions() sqlcheck.Versions {
	v := sqlcheck.Versions{}
	for table, t := range o.Tables {
		if t.Version != "" {
			v[table] = t.Version
		}
	}
	return v
}

// TableOptions say about one table what its schema does not.
type TableOptions struct {
	// Version names the version column of a table whose schema cannot be given the comment.
	Version string `json:"version"`

	// Zero says that rows start at version 0.
	Zero bool `json:"zero"`

	// Name is what the descriptor and its queries are named after: Stock makes StockTable and GetStock. By
	// default it is the name of the struct that sqlc makes of the table.
	Name string `json:"name"`

	// Computed says that the server changes columns of a row when it is written, by a trigger that sqlc's
	// schema files cannot have: sqlc 1.31 does not parse triggers. That it does by generated and ON UPDATE
	// columns is known without.
	Computed bool `json:"computed"`

	// Upsert asks for UpsertX, which inserts a row that was never read and swaps one that was. It writes rows whole:
	// InsertX then names the columns, too, whose DEFAULT is the time, so that the caller sets them.
	Upsert bool `json:"upsert"`

	// Narrow makes further descriptors, by name, that read and write only some columns, by their names; the
	// key and the version are always among what is read.
	Narrow map[string][]string `json:"narrow"`
}

// GlobalOptions are what sqlc's top-level overrides.go has.
type GlobalOptions struct {
	Rename    map[string]string `json:"rename"`
	Overrides []Override        `json:"overrides"`
}

// GoOptions are sqlc's gen.go options, all that sqlc 1.31 has for MySQL. An unknown one is refused by its name:
// it may change names that casgen has to know.
type GoOptions struct {
	Package                     string            `json:"package"`
	Out                         string            `json:"out"`
	SQLPackage                  string            `json:"sql_package"`
	SQLDriver                   string            `json:"sql_driver"`
	Rename                      map[string]string `json:"rename"`
	Overrides                   []Override        `json:"overrides"`
	Initialisms                 *[]string         `json:"initialisms"`
	InflectionExcludeTableNames []string          `json:"inflection_exclude_table_names"`
	EmitExactTableNames         bool              `json:"emit_exact_table_names"`
	EmitMethodsWithDBArgument   bool              `json:"emit_methods_with_db_argument"`
	EmitPreparedQueries         bool              `json:"emit_prepared_queries"`
	EmitParamsStructPointers    bool              `json:"emit_params_struct_pointers"`
	EmitResultStructPointers    bool              `json:"emit_result_struct_pointers"`
	QueryParameterLimit         *int32            `json:"query_parameter_limit"`
	BuildTags                   string            `json:"build_tags"`

	// Options that change no name, type or signature that casgen uses.
	EmitInterface            bool   `json:"emit_interface"`
	EmitEmptySlices          bool   `json:"emit_empty_slices"`
	EmitExportedQueries      bool   `json:"emit_exported_queries"`
	EmitJSONTags             bool   `json:"emit_json_tags"`
	EmitDBTags               bool   `json:"emit_db_tags"`
	JSONTagsIDUppercase      bool   `json:"json_tags_id_uppercase"`
	JSONTagsCaseStyle        string `json:"json_tags_case_style"`
	EmitEnumValidMethod      bool   `json:"emit_enum_valid_method"`
	EmitAllEnumValues        bool   `json:"emit_all_enum_values"`
	EmitSQLAsComment         bool   `json:"emit_sql_as_comment"`
	EmitPointersForNullTypes bool   `json:"emit_pointers_for_null_types"` // without effect for MySQL in 1.31
	EmitPointersForNullEnums bool   `json:"emit_pointers_for_null_enum_types"`
	WrapErrors               bool   `json:"wrap_errors"` // by %w: errors.Is still finds sql.ErrNoRows
	OmitSqlcVersion          bool   `json:"omit_sqlc_version"`
	OmitUnusedStructs        bool   `json:"omit_unused_structs"`
	OutputBatchFileName      string `json:"output_batch_file_name"`
	OutputDBFileName         string `json:"output_db_file_name"`
	OutputModelsFileName     string `json:"output_models_file_name"`
	OutputQuerierFileName    string `json:"output_querier_file_name"`
	OutputCopyfromFileName   string `json:"output_copyfrom_file_name"`
	OutputFilesSuffix        string `json:"output_files_suffix"`
}

// Override is one of sqlc's type overrides.
type Override struct {
	GoType       json.RawMessage `json:"go_type"` // a string, or {import, package, type, pointer, slice}
	GoStructTag  string          `json:"go_struct_tag"`
	DBType       string          `json:"db_type"`
	Engine       string          `json:"engine"`
	Nullable     bool            `json:"nullable"`
	Unsigned     bool            `json:"unsigned"`
	Column       string          `json:"column"`
	PostgresType string          `json:"postgres_type"`
	Null         bool            `json:"null"`
}

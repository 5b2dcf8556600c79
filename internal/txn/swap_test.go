package txn

import (
	"database/sql/driver"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sqlcas/sqlcas/internal/witness"
)

func args[T any](v ...T) []driver.Value {
	values := make([]driver.Value, len(v))
	for i := range v {
		values[i] = v[i]
	}
	return values
}

// n makes n arguments that are integers.
func n(count int) []driver.Value {
	v := make([]driver.Value, count)
	for i := range v {
		v[i] = int64(i + 1)
	}
	return v
}

// Ensures that swaps are recognised in every shape that people and libraries write them in, and
// that the look-up asks for the very row.
func TestParseSwapAccepts(t *testing.T) {
	t.Parallel()
	for query, tc := range map[string]struct {
		args []driver.Value
		want string
	}{
		"-- name: DeductBalance :execrows\nUPDATE account\nSET balance = ?, version = version + 1\nWHERE id = ? AND version = ?\n": {n(3), "`account` WHERE `id` = ? AND `version` = ?"},
		"UPDATE `account` SET `balance`=?,`version`=`version` + ? WHERE `id` = ? AND `version` = ?":                                {n(4), "`account` WHERE `id` = ? AND `version` = ?"},
		"UPDATE `account` SET `version`=`version` + ? WHERE `account`.`id` = ? AND `account`.`version` = ?":                        {n(3), "`account` WHERE `id` = ? AND `version` = ?"},
		"update a set v = v + 1 where id = 7 and v = 3":                                                                            {nil, "`a` WHERE `id` = 7 AND `v` = 3"},
		"UPDATE a SET v = v + 1 WHERE (id = ? AND v = ?)":                                                                          {n(2), "`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE a SET v = v + 1 WHERE (id = ?) AND (v = ?);":                                                                       {n(2), "`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE shop.a SET v = v + 1 WHERE id = ? AND v = ?":                                                                       {n(2), "`shop`.`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE `my shop`.`a``b` SET v = v + 1 WHERE id = ? AND v = ?":                                                             {n(2), "`my shop`.`a``b` WHERE `id` = ? AND `v` = ?"},
		"UPDATE a SET v = v + 1, b = b - ? WHERE id = ? AND b >= ? AND v = ?":                                                      {n(4), "`a` WHERE `id` = ? AND `b` >= ? AND `v` = ?"},
		"UPDATE a SET b = COALESCE(?, b), v = v + 10 WHERE id = ? AND v = ? AND state <> 'closed'":                                 {n(3), "`a` WHERE `id` = ? AND `v` = ? AND `state` <> 'closed'"},
		"UPDATE a SET t = NOW(6), v = v + 1 WHERE id = ? AND v = ? AND c != 1 AND d < 2 AND e > 3 AND f <= 4":                      {n(2), "`a` WHERE `id` = ? AND `v` = ? AND `c` != 1 AND `d` < 2 AND `e` > 3 AND `f` <= 4"},
		"UPDATE a SET note = ', v = 1 WHERE', v = v + 1 WHERE id = 'it''s' AND v = ?":                                              {n(1), "`a` WHERE `id` = 'it''s' AND `v` = ?"},
		"UPDATE a /* v = v - 1 */ SET v = v + 1 # more\nWHERE id = ? AND v = ? -- end":                                             {n(2), "`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE a SET V = v + 1 WHERE id = ? AND v = ?":                                                                            {n(2), "`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE a SET v = v + 1 WHERE v = ? AND id = ?":                                                                            {n(2), "`a` WHERE `v` = ? AND `id` = ?"},
		"UPDATE a SET v = v + 1, b = (1 + (2 * ?)) WHERE id = ? AND v = ?":                                                         {n(3), "`a` WHERE `id` = ? AND `v` = ?"},
		"UPDATE größe SET v = v + 1 WHERE id = ? AND v = ?":                                                                        {n(2), "`größe` WHERE `id` = ? AND `v` = ?"},
	} {
		s, ok := parseSwap(witness.Write{Query: query, Args: tc.args, Affected: 1})
		if !ok {
			t.Errorf("%s: refused, want it recognised", query)
			continue
		}
		got, gotArgs := s.query()
		require.Equal(t, "SELECT 1 FROM "+tc.want+" FOR UPDATE", got)
		require.Len(t, gotArgs, strings.Count(tc.want, "?"))
		require.True(t, strings.EqualFold("v", s.version) || s.version == "version", "version column %q", s.version)
	}
}

// Ensures that whatever is not certainly a swap is refused. Wrongly refused, a statement costs an
// unknown outcome; wrongly recognised, it would cost a second application.
func TestParseSwapRefuses(t *testing.T) {
	t.Parallel()
	for query, values := range map[string][]driver.Value{
		"":                                     nil,
		"SELECT 1":                             nil,
		"DELETE FROM a WHERE id = ? AND v = ?": n(2),
		"INSERT INTO a SET v = v + 1":          nil,
		"UPDATE":                               nil,
		"UPDATE a":                             nil,
		"UPDATE a SET":                         nil,
		"UPDATE a SET v = v + 1":               nil,
		"UPDATE a SET v = v + 1 WHERE":         nil,
		"UPDATE a SET v = v + 1 WHERE id = ?":  n(1),
		"UPDATE a SET b = ? WHERE id = ? AND v = ?":                                n(3),
		"UPDATE a SET v = ? WHERE id = ? AND v = ?":                                n(3),
		"UPDATE a SET v = 8 WHERE id = ? AND v = 7":                                n(1),
		"UPDATE a SET v = v - 1 WHERE id = ? AND v = ?":                            n(2),
		"UPDATE a SET v = v + 0 WHERE id = ? AND v = ?":                            n(2),
		"UPDATE a SET v = v + -1 WHERE id = ? AND v = ?":                           n(2),
		"UPDATE a SET v = v + ? WHERE id = ? AND v = ?":                            args[any](int64(0), int64(1), int64(1)),
		"UPDATE a SET v = v + ?, b = 1 WHERE id = ? AND v = ?":                     args(int64(-1), int64(1), int64(1)),
		"UPDATE a SET v = v + ?, b = 2 WHERE id = ? AND v = ?":                     args[any]("1", int64(1), int64(1)),
		"UPDATE a SET v = w + 1 WHERE id = ? AND v = ?":                            n(2),
		"UPDATE a SET w = w + 1 WHERE id = ? AND v = ?":                            n(2),
		"UPDATE a SET v = v + 1 - 1 WHERE id = ? AND v = ?":                        n(2),
		"UPDATE a SET v = v + 1 * 0 WHERE id = ? AND v = ?":                        n(2),
		"UPDATE a SET v = v + 1.5 WHERE id = ? AND v = ?":                          n(2),
		"UPDATE a SET v = (v + 1) % 2 WHERE id = ? AND v = ?":                      n(2),
		"UPDATE a SET v = IF(1, v + 1, v) WHERE id = ? AND v = ?":                  n(2),
		"UPDATE a SET v = v + 1, v = ? WHERE id = ? AND v = ?":                     n(3),
		"UPDATE a SET v = v + 1, a.V = v - 1 WHERE id = ? AND v = ?":               n(2),
		"UPDATE a SET v = 1, v = v + 1 WHERE id = ? AND v = ?":                     n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? OR v = ?":                             n(2),
		"UPDATE a SET v = v + 1 WHERE (id = ? OR b = 1) AND v = ?":                 n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? XOR v = ?":                            n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? || v = ?":                             n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? && v = ?":                             n(2),
		"UPDATE a SET v = v + 1 WHERE NOT id = ? AND v = ?":                        n(2),
		"UPDATE a SET v = v + 1 WHERE id IN (?) AND v = ?":                         n(2),
		"UPDATE a SET v = v + 1 WHERE id BETWEEN ? AND ? AND v = ?":                n(3),
		"UPDATE a SET v = v + 1 WHERE id LIKE ? AND v = ?":                         n(2),
		"UPDATE a SET v = v + 1 WHERE id IS NULL AND v = ?":                        n(1),
		"UPDATE a SET v = v + 1 WHERE id <=> ? AND v = ?":                          n(2),
		"UPDATE a SET v = v + 1 WHERE ABS(id) = ? AND v = ?":                       n(2),
		"UPDATE a SET v = v + 1 WHERE id = ABS(?) AND v = ?":                       n(2),
		"UPDATE a SET v = v + 1 WHERE id = other AND v = ?":                        n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = v":                            n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = 1 + 1":                        n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = -1":                           n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = 1.0":                          n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = 1e3":                          n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = 0x1F":                         n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = '7'":                          n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = 7 COLLATE x":                  n(1),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v > ?":                            n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v >= ?":                           n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = ? LIMIT 1":                    n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = ? ORDER BY id":                n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = ? AND":                        n(2),
		"UPDATE a SET v = v + 1 WHERE (id, v) = (?, ?)":                            n(2),
		"UPDATE a SET v = v + 1 WHERE (id, v) IN ((?, ?))":                         n(2),
		"UPDATE a SET v = v + 1 WHERE id = (SELECT 1) AND v = ?":                   n(1),
		"UPDATE a SET b = (SELECT 1), v = v + 1 WHERE id = ? AND v = ?":            n(2),
		"UPDATE a AS x SET v = v + 1 WHERE id = ? AND v = ?":                       n(2),
		"UPDATE a x SET v = v + 1 WHERE id = ? AND v = ?":                          n(2),
		"UPDATE a, b SET v = v + 1 WHERE id = ? AND v = ?":                         n(2),
		"UPDATE a JOIN b USING (id) SET v = v + 1 WHERE id = ? AND v = ?":          n(2),
		"UPDATE IGNORE a SET v = v + 1 WHERE id = ? AND v = ?":                     n(2),
		"UPDATE LOW_PRIORITY a SET v = v + 1 WHERE id = ? AND v = ?":               n(2),
		"UPDATE a PARTITION (p0) SET v = v + 1 WHERE id = ? AND v = ?":             n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = ?; UPDATE b SET c = 1":        n(2),
		"UPDATE a SET v = v + 1 WHERE id = ? AND v = ? RETURNING v":                n(2),
		"WITH x AS (SELECT 1) UPDATE a SET v = v + 1 WHERE id = ? AND v = ?":       n(2),
		`UPDATE "a" SET v = v + 1 WHERE id = ? AND v = ?`:                          n(2),
		`UPDATE a SET v = v + 1 WHERE id = "x" AND v = ?`:                          n(1),
		`UPDATE a SET v = v + 1 WHERE id = 'x\'' AND v = ?`:                        n(1),
		"UPDATE a SET v = v + 1 WHERE id = @x AND v = ?":                           n(1),
		"UPDATE a SET v = v + 1 WHERE id = 'unclosed AND v = ?":                    n(1),
		"UPDATE a SET v = v /*! - */ + 1 WHERE id = ? AND v = ?":                   n(2),
		"UPDATE /*+ NO_MERGE() */ a SET v = v + 1 WHERE id = ? AND v = ?":          n(2),
		"UPDATE a SET b = 1 --\t, v = v + 1\n WHERE id = ? AND v = ?":              n(2),
		"UPDATE a SET b = 1 /*M! , v = v - 1 */, v = v + 1 WHERE id = ? AND v = ?": n(2),
		"UPDATE a SET v = v + 1 WHERE id = ?  AND v = ?":                           n(3),
		"UPDATE a SET v = v + 1 WHERE id = ?   AND v = ?":                          n(1),
		"UPDATE a SET v = v + 1 WHERE id = ?    AND v = ?":                         args[any](nil, int64(1)),
		"UPDATE a SET v = v + 1 WHERE id = ?     AND v = ?":                        args[any](int64(1), "7"),
		"UPDATE a SET v = v + 1 WHERE id = ?      AND v = ?":                       args[any](int64(1), 7.0),
	} {
		if s, ok := parseSwap(witness.Write{Query: query, Args: values, Affected: 1}); ok {
			t.Errorf("%q: recognised as %+v, want it refused", query, s)
		}
	}
}

// Ensures that statements which may write a swap's table are found by its name, and that one which
// cannot be read to its end may be about any table.
func TestMentions(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]bool{
		"UPDATE account SET a = 1":              true,
		"UPDATE `Account` SET a = 1":            true,
		"INSERT INTO shop.ACCOUNT VALUES (1)":   true,
		"DELETE FROM b USING b JOIN account":    true,
		"INSERT INTO ledger (account) VALUES 1": true,
		"UPDATE accounts SET a = 1":             false,
		"INSERT INTO ledger VALUES ('account')": false,
		`UPDATE b SET a = "x"`:                  true,
	} {
		require.Equal(t, want, mentions(tokenize(query), "account"), query)
	}
}

// FuzzParseSwap ensures that no text makes the parser panic or run away, that what it accepts has
// the shape it stands for, and that writing it anew from what was understood means the same.
func FuzzParseSwap(f *testing.F) {
	f.Add("UPDATE account SET balance = ?, version = version + 1 WHERE id = ? AND version = ?", int64(3), int64(42), int64(7))
	f.Add("UPDATE `s`.`a` SET `v`=`v` + ? WHERE (`a`.`id` = ? AND `v` = ?);", int64(1), int64(2), int64(3))
	f.Add("update a set v = v + 1 where k = 'it''s' and v = 3 -- x", int64(0), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, query string, a, b, c int64) {
		values := args(a, b, c)
		values = values[:min(strings.Count(query, "?"), 3)]
		s, ok := parseSwap(witness.Write{Query: query, Args: values, Affected: 1})
		if !ok {
			return
		}
		if s.table == "" || s.version == "" || len(s.terms) == 0 {
			t.Fatalf("%q: got %+v, want a table, a version and terms", query, s)
		}
		look, lookArgs := s.query()
		table := quote(s.table)
		if s.schema != "" {
			table = quote(s.schema) + "." + table
		}
		where := strings.TrimSuffix(strings.TrimPrefix(look, "SELECT 1 FROM "+table), " FOR UPDATE")
		again, ok := parseSwap(witness.Write{
			Query: "UPDATE " + table + " SET " + quote(s.version) + " = " + quote(s.version) + " + 1" + where, Args: args(lookArgs...), Affected: 1,
		})
		again.assigned = s.assigned // the look-up assigns nothing
		if !ok || !reflect.DeepEqual(s, again) {
			t.Fatalf("%q: got %+v, and from its look-up %q %+v", query, s, look, again)
		}
	})
}

package sqlcheck

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ensures that a body falls into its plain statements, each with the conditions that hold when it runs, and that no
// block hides one.
func TestBodySteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, want string }{
		{"SET a = 1", "SET a = 1"},
		{"BEGIN x; y; END", "x | y"},
		{"BEGIN IF a THEN x; END IF; y; END", "[a] x | y"},
		{"BEGIN IF a THEN x; ELSE y; END IF; END", "[a] x | [not a] y"},
		{"BEGIN IF a THEN x; ELSEIF b THEN y; ELSE z; END IF; END", "[a] x | [not a, b] y | [not a, not b] z"},
		{"IF a THEN IF b THEN x; END IF; y; END IF", "[a, b] x | [a] y"},
		{"IF CASE WHEN a THEN b ELSE c END THEN x; END IF", "[CASE WHEN a THEN b ELSE c END] x"},
		{"BEGIN CASE n WHEN 1 THEN x; WHEN CASE 1 WHEN 2 THEN 3 END THEN y; ELSE z; END CASE; w; END", "x | y | z | w"},
		{"BEGIN l: LOOP x; LEAVE l; END LOOP l; WHILE a DO y; END WHILE; END", "x | LEAVE l | y"},
		{"BEGIN REPEAT x; UNTIL a END REPEAT; y; END", "x | y"},
		{"BEGIN FOR i IN 1..3 DO x; END FOR; END", "x"},
		{"BEGIN DECLARE n INT; DECLARE EXIT HANDLER FOR NOT FOUND BEGIN x; END; y; END", "DECLARE n INT | x | y"},
		{"BEGIN IF a THEN BEGIN x; END; END IF; END", "[a] x"},
		{"BEGIN x 'END; IF a THEN'; /* y; */ z; END", "x 'END; IF a THEN' | z"},
		{"BEGIN BEGIN END; END", ""},
		{"", ""},
		{"END END; ELSE ELSEIF THEN ; x", "x"},
		{"IF", ""},
	} {
		t.Run(c.body, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, s := range bodySteps(c.body) {
				var guards []string
				for _, g := range s.guards {
					guards = append(guards, map[bool]string{true: "not "}[g.negated]+g.condition)
				}
				text := c.body[s.tokens[0].span.Start:s.tokens[len(s.tokens)-1].span.End]
				if guards != nil {
					text = "[" + strings.Join(guards, ", ") + "] " + text
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, strings.Join(got, " | "))
		})
	}
}

package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// secretName is what a value is called that nobody may find out by the time
// that comparing it takes.
var secretName = regexp.MustCompile(`(?i)(secret|mac|csrf|password|signature|editkey|sessionkey)$`)

func TestSecretsAreComparedInConstantTime(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	constant := 0
	eachSource(t, func(dir, path string) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(dir, "internal/apptest") || strings.HasPrefix(dir, "cmd/postil-bench") || dir == "internal/doctor" {
			return
		}
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch v := n.(type) {
			case *ast.BinaryExpr:
				if (v.Op == token.EQL || v.Op == token.NEQ) && (secret(v.X) || secret(v.Y)) && !empty(v.X) && !empty(v.Y) {
					t.Errorf("%s compares a secret with %s; use subtle.ConstantTimeCompare", set.Position(v.Pos()), v.Op)
				}
			case *ast.SelectorExpr:
				if v.Sel.Name == "ConstantTimeCompare" || v.Sel.Name == "Equal" && name(v.X) == "hmac" {
					constant++
				}
			}
			return true
		})
	})
	if constant < 3 {
		t.Errorf("secrets are compared in constant time in %d places only", constant)
	}
}

func secret(e ast.Expr) bool { return secretName.MatchString(name(e)) }

func name(e ast.Expr) string {
	switch v := e.(type) {
	case *ast.Ident:
		return v.Name
	case *ast.SelectorExpr:
		return v.Sel.Name
	}
	return ""
}

// empty is "", nil or a number: whether there is a secret is no secret.
func empty(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && (lit.Value == `""` || lit.Kind == token.INT) || name(e) == "nil"
}

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"reflect"
	"strings"
)

// A comment is the text above a type or a field: markers such as +optional, and sentences for people.
type comment struct{ lines []string }

// A typeComment is the comment of a struct and of its fields by their Go name.
type typeComment struct {
	comment
	fields map[string]comment
}

// A commentIndex holds comments by Go package and type name.
type commentIndex map[string]map[string]typeComment

func (c commentIndex) of(t reflect.Type) typeComment { return c[t.PkgPath()][t.Name()] }

// values returns what follows "=" in each marker of that name; the empty string where nothing does.
func (c comment) values(marker string) []string {
	var found []string
	for _, line := range c.lines {
		if text, isMarker := strings.CutPrefix(strings.TrimSpace(line), "+"); isMarker {
			if name, value, _ := strings.Cut(text, "="); name == marker {
				found = append(found, value)
			}
		}
	}
	return found
}

func (c comment) has(marker string) bool { return len(c.values(marker)) > 0 }

// value returns the value of the marker, or the empty string.
func (c comment) value(marker string) string {
	if values := c.values(marker); len(values) > 0 {
		return values[0]
	}
	return ""
}

// description returns the sentences as kube-openapi publishes them: lines joined to paragraphs, indented lines kept
// apart, without markers, one-line TODOs and everything after a line of three dashes.
func (c comment) description() string {
	var text strings.Builder
	separator := ""
	for _, line := range c.lines {
		if line == "---" {
			break
		}
		line = strings.TrimRight(line, " ")
		first := strings.TrimLeft(line, " ")
		switch {
		case line == "":
			separator = "\n\n"
			continue
		case strings.HasPrefix(first, "TODO"), strings.HasPrefix(first, "+"):
			continue
		}
		isIndented := line[0] == ' ' || line[0] == '\t'
		if isIndented && separator == " " {
			separator = "\n"
		}
		text.WriteString(separator + line)
		separator = " "
		if isIndented {
			separator = "\n"
		}
	}
	return strings.TrimSpace(text.String())
}

// readComments parses the sources of the groups' packages where the go command keeps them.
func readComments(groups []*groupVersion) (commentIndex, error) {
	arguments := []string{"list", "-f", "{{.ImportPath}} {{.Dir}}"}
	for _, group := range groups {
		arguments = append(arguments, group.goPackage)
	}
	output, err := exec.Command("go", arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	index := commentIndex{}
	for line := range strings.Lines(string(bytes.TrimSpace(output))) {
		goPackage, directory, _ := strings.Cut(strings.TrimSpace(line), " ")
		if index[goPackage], err = readPackage(directory); err != nil {
			return nil, err
		}
	}
	return index, nil
}

func readPackage(directory string) (map[string]typeComment, error) {
	files := token.NewFileSet()
	isSource := func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
	packages, err := parser.ParseDir(files, directory, isSource, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	found := map[string]typeComment{}
	for _, parsed := range packages {
		for _, file := range parsed.Files {
			for _, declaration := range file.Decls {
				if types, ok := declaration.(*ast.GenDecl); ok && types.Tok == token.TYPE {
					for _, spec := range types.Specs {
						spec := spec.(*ast.TypeSpec)
						found[spec.Name.Name] = typeComment{typeLines(files, file, types, spec), fieldComments(spec)}
					}
				}
			}
		}
	}
	return found, nil
}

// typeLines returns the comment of a type after the one that stands a blank line above it, which holds markers.
func typeLines(files *token.FileSet, file *ast.File, declaration *ast.GenDecl, spec *ast.TypeSpec) comment {
	doc := spec.Doc
	if doc == nil {
		doc = declaration.Doc
	}
	start := files.Position(declaration.Pos()).Line
	if doc != nil {
		start = files.Position(doc.Pos()).Line
	}
	lines := textLines(doc)
	for _, group := range file.Comments {
		if files.Position(group.End()).Line == start-2 {
			for _, line := range textLines(group) {
				if strings.HasPrefix(line, "+") {
					lines = append(lines, line)
				}
			}
		}
	}
	return comment{lines}
}

func fieldComments(spec *ast.TypeSpec) map[string]comment {
	fields := map[string]comment{}
	if structure, ok := spec.Type.(*ast.StructType); ok {
		for _, field := range structure.Fields.List {
			for _, name := range fieldNames(field) {
				fields[name] = comment{textLines(field.Doc)}
			}
		}
	}
	return fields
}

// fieldNames returns the type's name for an embedded field, as reflection does.
func fieldNames(field *ast.Field) []string {
	var names []string
	for _, name := range field.Names {
		names = append(names, name.Name)
	}
	if len(names) > 0 {
		return names
	}
	switch embedded := field.Type.(type) {
	case *ast.Ident:
		return []string{embedded.Name}
	case *ast.SelectorExpr:
		return []string{embedded.Sel.Name}
	}
	return nil
}

func textLines(group *ast.CommentGroup) []string {
	if group == nil {
		return nil
	}
	return strings.Split(strings.TrimRight(group.Text(), "\n"), "\n")
}

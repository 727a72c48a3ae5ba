// Command kube-schema writes the field tables of the Kubernetes API as JSON: one file of types and one of descriptions
// for each group version, and a TypeScript module of each that exports all of them.
//
// Names, types, protobuf numbers and patch strategies come from the Go types and their struct tags. List types,
// optional fields and descriptions come from the comments of the same modules' sources, read by the rules of
// kube-openapi, because nothing in a compiled program holds them.
//
// Usage: go run . DIRECTORY
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: kube-schema DIRECTORY")
	}
	if err := generate(os.Args[1]); err != nil {
		log.Fatalf("kube-schema: %v", err)
	}
}

func generate(directory string) error {
	groups, err := readGroups()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(directory, "descriptions"), 0o755); err != nil {
		return err
	}
	files := map[string][]byte{
		"index.ts":              indexModule(groups, "GroupVersionFile", "../generated-files.ts"),
		"descriptions/index.ts": indexModule(groups, "DescriptionsFile", "../../generated-files.ts"),
	}
	for _, group := range groups {
		name := group.name() + ".json"
		files[name] = typesJSON(group)
		files["descriptions/"+name] = descriptionsJSON(group)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(directory, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readGroups returns every served group version with its kinds and all types that they reach, each type in the group
// version of its Go package.
func readGroups() ([]*groupVersion, error) {
	byPackage := map[string]*groupVersion{}
	groups := []*groupVersion{}
	scheme := runtime.NewScheme()
	for _, source := range sources {
		if err := source.register(scheme); err != nil {
			return nil, err
		}
		group := &groupVersion{GroupVersion: source.version, goPackage: source.goPackage, kinds: map[string]kind{}, types: map[string]*objectType{}}
		byPackage[source.goPackage] = group
		groups = append(groups, group)
	}
	comments, err := readComments(groups)
	if err != nil {
		return nil, err
	}
	collector := &collector{groups: byPackage, comments: comments}
	for _, group := range groups {
		for name, goType := range scheme.KnownTypes(group.GroupVersion) {
			// Every group also registers the options and the watch event of meta/v1.
			if goType.PkgPath() != group.goPackage || isInternal(name) {
				continue
			}
			group.kinds[name] = kindOf(name, goType, comments.of(goType))
			if err := collector.add(goType); err != nil {
				return nil, err
			}
		}
		for _, goType := range extraTypes[group.goPackage] {
			if err := collector.add(goType); err != nil {
				return nil, err
			}
		}
	}
	return groups, nil
}

// A groupVersion is one package of the API: its kinds and its object types by name.
type groupVersion struct {
	schema.GroupVersion
	goPackage string
	kinds     map[string]kind
	types     map[string]*objectType
}

// name returns for example apps-v1: the first label of the group and the version.
func (g *groupVersion) name() string {
	group, _, _ := strings.Cut(g.Group, ".")
	if group == "" {
		group = "core"
	}
	return fmt.Sprintf("%s-%s", group, g.Version)
}

// modelPackage returns the package's name in OpenAPI, for example io.k8s.api.apps.v1.
func modelPackage(goPackage string) string {
	host, path, _ := strings.Cut(goPackage, "/")
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// isInternal reports whether clients never see a kind: it only exists for the conversion of watch events in Go programs.
func isInternal(kind string) bool { return kind == "InternalEvent" }

func pointedTo(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

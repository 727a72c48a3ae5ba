package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// typesJSON writes one line for each kind and each field, so that a new Kubernetes version makes a readable diff.
func typesJSON(group *groupVersion) []byte {
	kinds := make([]string, 0, len(group.kinds))
	for _, name := range sortedKeys(group.kinds) {
		kind := group.kinds[name]
		var options properties
		options.add("plural", kind.plural)
		options.add("namespaced", kind.isNamespaced)
		options.add("subresources", kind.subresources)
		kinds = append(kinds, property("  ", name, options.oneLine()))
	}
	types := make([]string, 0, len(group.types))
	for _, name := range sortedKeys(group.types) {
		types = append(types, property("  ", name, typeJSON(group.types[name])))
	}
	return document(
		property(" ", "group", text(group.Group)),
		property(" ", "version", text(group.Version)),
		property(" ", "package", text(modelPackage(group.goPackage))),
		property(" ", "kinds", block(kinds, " ")),
		property(" ", "types", block(types, " ")),
	)
}

func typeJSON(object *objectType) string {
	fields := make([]string, 0, len(object.fields))
	sort.SliceStable(object.fields, func(i, j int) bool { return object.fields[i].name < object.fields[j].name })
	for _, field := range object.fields {
		fields = append(fields, property("    ", field.name, fieldJSON(field)))
	}
	inlined := map[string]int{}
	for _, each := range object.inlined {
		inlined[each.typeName] = each.number
	}
	var facts properties
	facts.add("root", object.isRoot)
	facts.add("union", object.isUnion)
	facts.add("atomic", object.isAtomic)
	if len(inlined) > 0 {
		facts.add("inlined", inlined)
	}
	facts = append(facts, `"fields": `+block(fields, "   "))
	return "{ " + strings.Join(facts, ", ") + " }"
}

func fieldJSON(field field) string {
	var facts properties
	facts.add("type", field.typeName)
	facts.add("number", field.number)
	facts.add("required", field.isRequired)
	facts.add("pointer", field.isPointer)
	facts.add("keepsEmpty", field.keepsEmpty)
	facts.add("omitsZero", field.omitsZero)
	facts.add("wrapped", field.isWrapped)
	facts.add("listType", field.listType)
	facts.add("listMapKeys", field.listMapKeys)
	facts.add("atomic", field.isAtomic)
	facts.add("patchStrategy", field.patchStrategy)
	facts.add("patchMergeKey", field.patchMergeKey)
	return facts.oneLine()
}

func descriptionsJSON(group *groupVersion) []byte {
	types := []string{}
	for _, name := range sortedKeys(group.types) {
		object := group.types[name]
		fields := []string{}
		described := group.describedFields(object)
		for _, field := range sortedKeys(described) {
			fields = append(fields, property("    ", field, text(described[field])))
		}
		body := []string{}
		if object.description != "" {
			body = append(body, `"description": `+text(object.description))
		}
		body = append(body, `"fields": `+block(fields, "   "))
		types = append(types, property("  ", name, "{ "+strings.Join(body, ", ")+" }"))
	}
	return document(property(" ", "package", text(modelPackage(group.goPackage))), property(" ", "types", block(types, " ")))
}

// describedFields returns the descriptions by field name, those of inlined types included, as OpenAPI shows them.
func (g *groupVersion) describedFields(object *objectType) map[string]string {
	found := map[string]string{}
	for _, each := range object.inlined {
		for name, description := range g.describedFields(g.types[each.typeName]) {
			found[name] = description
		}
	}
	for _, field := range object.fields {
		if field.description != "" {
			found[field.name] = field.description
		}
	}
	return found
}

// indexModule returns a TypeScript module with one constant for each group version, so that a bundler drops those that an
// app does not import.
func indexModule(groups []*groupVersion, typeName, typeModule string) []byte {
	lines := []string{fmt.Sprintf("import type { %s } from '%s'", typeName, typeModule)}
	constants := []string{}
	for _, group := range groups {
		group, version, _ := strings.Cut(group.name(), "-")
		constant := group + strings.ToUpper(version[:1]) + version[1:]
		lines = append(lines, fmt.Sprintf("import %sFile from './%s-%s.json' with { type: 'json' }", constant, group, version))
		constants = append(constants, fmt.Sprintf("export const %s: %s = %sFile", constant, typeName, constant))
	}
	sort.Strings(lines[1:])
	sort.Strings(constants)
	return []byte(strings.Join(lines, "\n") + "\n\n" + strings.Join(constants, "\n") + "\n")
}

// properties collects the members of an object that is written on one line. Zero values are left out.
type properties []string

func (p *properties) add(name string, value any) {
	encoded := encode(value)
	switch encoded {
	case `""`, "0", "false", "null", "[]", "{}":
		return
	}
	*p = append(*p, text(name)+": "+encoded)
}

func (p properties) oneLine() string {
	if len(p) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(p, ", ") + " }"
}

func property(indent, name, value string) string { return indent + text(name) + ": " + value }

func block(lines []string, indent string) string {
	if len(lines) == 0 {
		return "{}"
	}
	return "{\n" + strings.Join(lines, ",\n") + "\n" + indent + "}"
}

func document(lines ...string) []byte { return []byte(block(lines, "") + "\n") }

func text(value string) string { return encode(value) }

func encode(value any) string {
	var buffer strings.Builder
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("encode %v: %v", value, err))
	}
	encoded := strings.TrimSpace(buffer.String())
	if list, ok := value.([]string); ok {
		return strings.Replace(encoded, `","`, `", "`, len(list))
	}
	return encoded
}

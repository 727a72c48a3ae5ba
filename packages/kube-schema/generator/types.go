package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A kind is a type whose objects have an apiVersion and a kind; a kind with a plural is also a resource.
type kind struct {
	plural       string
	isNamespaced bool
	subresources []string
}

// kindOf reads the client generator's markers: only resources have them.
func kindOf(name string, goType reflect.Type, comment typeComment) kind {
	if !comment.has("genclient") || comment.has("genclient:noVerbs") {
		return kind{}
	}
	plural := comment.value("resourceName")
	if plural == "" {
		guessed, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: name})
		plural = guessed.Resource
	}
	found := map[string]bool{}
	if _, hasStatus := goType.FieldByName("Status"); hasStatus && !comment.has("genclient:noStatus") && !comment.has("genclient:onlyVerbs") {
		found["status"] = true
	}
	for _, method := range comment.values("genclient:method") {
		for _, option := range strings.Split(method, ",") {
			if subresource, ok := strings.CutPrefix(option, "subresource="); ok {
				found[subresource] = true
			}
		}
	}
	return kind{plural, !comment.has("genclient:nonNamespaced"), sortedKeys(found)}
}

// An objectType is a struct: a JSON object and a protobuf message.
type objectType struct {
	// isRoot says that the object has apiVersion and kind, which protobuf writes into the envelope.
	isRoot   bool
	isUnion  bool
	isAtomic bool
	// inlined lists the structs whose fields JSON shows as the type's own while protobuf keeps them in a message.
	inlined     []inlined
	fields      []field
	description string
}

type inlined struct {
	typeName string
	number   int
}

type field struct {
	name       string
	typeName   string
	number     int
	isRequired bool
	isPointer  bool
	keepsEmpty bool
	omitsZero  bool
	// isWrapped says that protobuf has a message around the list, so that an empty list differs from a missing one.
	isWrapped     bool
	listType      string
	listMapKeys   []string
	isAtomic      bool
	patchStrategy []string
	patchMergeKey string
	description   string
}

// A collector adds types and everything that they reach to their groups.
type collector struct {
	groups   map[string]*groupVersion
	comments commentIndex
}

func (c *collector) add(goType reflect.Type) error {
	group, ok := c.groups[goType.PkgPath()]
	if !ok {
		return fmt.Errorf("%v belongs to no group version in sources.go", goType)
	}
	if group.types[goType.Name()] != nil {
		return nil
	}
	comment := c.comments.of(goType)
	object := &objectType{
		isUnion:     unions[goType.Name()],
		isAtomic:    comment.value("structType") == "atomic" || comment.value("mapType") == "atomic",
		description: comment.description(),
	}
	group.types[goType.Name()] = object
	for member := range fields(goType) {
		if err := c.addMember(object, goType, member, comment.fields[member.Name]); err != nil {
			return fmt.Errorf("%s.%s: %w", goType.Name(), member.Name, err)
		}
	}
	return nil
}

func fields(goType reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range goType.NumField() {
			if !yield(goType.Field(i)) {
				return
			}
		}
	}
}

func (c *collector) addMember(object *objectType, owner reflect.Type, member reflect.StructField, comment comment) error {
	if member.Anonymous && member.Type.Name() == "TypeMeta" {
		object.isRoot = true
		return nil
	}
	name, options, _ := strings.Cut(member.Tag.Get("json"), ",")
	if name == "-" {
		return nil
	}
	number, protobufName, err := protobufTag(member.Tag.Get("protobuf"))
	if err != nil {
		return err
	}
	if name == "" && (member.Anonymous || strings.Contains(options, "inline")) {
		object.inlined = append(object.inlined, inlined{c.reference(owner, member.Type), number})
		return c.add(member.Type)
	}
	if name == "" {
		name = protobufName
	}
	added := field{
		name:          name,
		number:        number,
		isRequired:    isRequired(options, comment) && !object.isUnion,
		isPointer:     member.Type.Kind() == reflect.Pointer,
		keepsEmpty:    !strings.Contains(options, "omit"),
		omitsZero:     strings.Contains(options, "omitzero"),
		isWrapped:     member.Type.Kind() == reflect.Slice && c.comments.of(member.Type).has("protobuf.nullable"),
		listType:      comment.value("listType"),
		listMapKeys:   comment.values("listMapKey"),
		isAtomic:      comment.value("mapType") == "atomic" || comment.value("structType") == "atomic",
		patchMergeKey: member.Tag.Get("patchMergeKey"),
		description:   comment.description(),
	}
	if strategy := member.Tag.Get("patchStrategy"); strategy != "" {
		added.patchStrategy = strings.Split(strategy, ",")
	}
	if (added.listType == "map") != (len(added.listMapKeys) > 0) {
		return fmt.Errorf("listType=%s with the keys %v", added.listType, added.listMapKeys)
	}
	added.typeName, err = c.typeName(owner, member.Type)
	object.fields = append(object.fields, added)
	return err
}

// isRequired follows kube-openapi: a marker decides, otherwise omitempty.
func isRequired(jsonOptions string, comment comment) bool {
	switch {
	case comment.has("required"):
		return true
	case comment.has("optional"):
		return false
	}
	return !strings.Contains(jsonOptions, "omitempty")
}

// protobufTag reads for example "bytes,2,rep,name=containers". A field without a tag is not part of the message.
func protobufTag(tag string) (number int, name string, err error) {
	if tag == "" || tag == "-" {
		return 0, "", nil
	}
	parts := strings.Split(tag, ",")
	if number, err = strconv.Atoi(parts[1]); err != nil {
		return 0, "", err
	}
	for _, part := range parts {
		if value, ok := strings.CutPrefix(part, "name="); ok {
			name = value
		}
	}
	return number, name, nil
}

func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}

// typeName returns the type in the files' notation: a scalar, a type of the same package, a full OpenAPI name,
// []T for a list or {}T for a map. It adds every struct that it meets.
func (c *collector) typeName(owner, goType reflect.Type) (string, error) {
	goType = pointedTo(goType)
	if scalar, ok := scalars[goType.PkgPath()+"."+goType.Name()]; ok {
		return scalar, nil
	}
	switch goType.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return goType.Kind().String(), nil
	case reflect.Float64:
		return "double", nil
	case reflect.Slice:
		if isBytes(goType) {
			return "bytes", nil
		}
		element, err := c.typeName(owner, goType.Elem())
		return "[]" + element, err
	case reflect.Map:
		element, err := c.typeName(owner, goType.Elem())
		return "{}" + element, err
	case reflect.Struct:
		return c.reference(owner, goType), c.add(goType)
	}
	return "", fmt.Errorf("no notation for %v", goType)
}

func (c *collector) reference(owner, goType reflect.Type) string {
	if goType.PkgPath() == owner.PkgPath() {
		return goType.Name()
	}
	return modelPackage(goType.PkgPath()) + "." + goType.Name()
}

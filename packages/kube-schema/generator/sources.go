package main

import (
	"reflect"

	admission "k8s.io/api/admission/v1"
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A source is a Go package of API types.
type source struct {
	goPackage string
	version   schema.GroupVersion
	register  func(*runtime.Scheme) error
}

// sources lists the stable group versions of the Kubernetes API. A new one is added here.
var sources = []source{
	{"k8s.io/apimachinery/pkg/apis/meta/v1", meta.SchemeGroupVersion, registerMeta},
	{"k8s.io/api/core/v1", core.SchemeGroupVersion, core.AddToScheme},
	{"k8s.io/api/admission/v1", admission.SchemeGroupVersion, admission.AddToScheme},
	{"k8s.io/api/admissionregistration/v1", admissionregistration.SchemeGroupVersion, admissionregistration.AddToScheme},
	{"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", apiextensions.SchemeGroupVersion, apiextensions.AddToScheme},
	{"k8s.io/api/apps/v1", apps.SchemeGroupVersion, apps.AddToScheme},
	{"k8s.io/api/authentication/v1", authentication.SchemeGroupVersion, authentication.AddToScheme},
	{"k8s.io/api/authorization/v1", authorization.SchemeGroupVersion, authorization.AddToScheme},
	{"k8s.io/api/autoscaling/v1", autoscaling.SchemeGroupVersion, autoscaling.AddToScheme},
	{"k8s.io/api/autoscaling/v2", autoscalingv2.SchemeGroupVersion, autoscalingv2.AddToScheme},
	{"k8s.io/api/batch/v1", batch.SchemeGroupVersion, batch.AddToScheme},
	{"k8s.io/api/certificates/v1", certificates.SchemeGroupVersion, certificates.AddToScheme},
	{"k8s.io/api/coordination/v1", coordination.SchemeGroupVersion, coordination.AddToScheme},
	{"k8s.io/api/discovery/v1", discovery.SchemeGroupVersion, discovery.AddToScheme},
	{"k8s.io/api/events/v1", events.SchemeGroupVersion, events.AddToScheme},
	{"k8s.io/api/flowcontrol/v1", flowcontrol.SchemeGroupVersion, flowcontrol.AddToScheme},
	{"k8s.io/api/networking/v1", networking.SchemeGroupVersion, networking.AddToScheme},
	{"k8s.io/api/node/v1", node.SchemeGroupVersion, node.AddToScheme},
	{"k8s.io/api/policy/v1", policy.SchemeGroupVersion, policy.AddToScheme},
	{"k8s.io/api/rbac/v1", rbac.SchemeGroupVersion, rbac.AddToScheme},
	{"k8s.io/api/resource/v1", resource.SchemeGroupVersion, resource.AddToScheme},
	{"k8s.io/api/scheduling/v1", scheduling.SchemeGroupVersion, scheduling.AddToScheme},
	{"k8s.io/api/storage/v1", storage.SchemeGroupVersion, storage.AddToScheme},
}

// The kinds of meta/v1 that clients and servers exchange. Table is missing: its cells have any type.
func registerMeta(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(meta.SchemeGroupVersion,
		&meta.Status{}, &meta.WatchEvent{}, &meta.DeleteOptions{},
		&meta.PartialObjectMetadata{}, &meta.PartialObjectMetadataList{},
		&meta.APIVersions{}, &meta.APIGroupList{}, &meta.APIGroup{}, &meta.APIResourceList{})
	return nil
}

// extraTypes lists types that no kind reaches but that programs need by themselves.
var extraTypes = map[string][]reflect.Type{
	"k8s.io/apimachinery/pkg/apis/meta/v1": {
		reflect.TypeFor[meta.Condition](), reflect.TypeFor[meta.FieldSelectorRequirement](),
	},
}

// scalars maps the Go types that encode themselves to their name in the generated files.
var scalars = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                 "Quantity",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     "Time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                "MicroTime",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 "FieldsV1",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                  "RawExtension",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               "IntOrString",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": "JSON",
}

// unions lists the types whose JSON is the value of the one field that is set.
var unions = map[string]bool{
	"JSONSchemaPropsOrArray": true, "JSONSchemaPropsOrBool": true, "JSONSchemaPropsOrStringArray": true,
}

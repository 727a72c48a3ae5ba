package main

import (
	"encoding/json"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/informers"
	clientcache "k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// question is a scheduling question. Each kind uses the fields that its plugins read.
type question struct {
	Nodes []*v1.Node `json:"nodes"`
	// Pods are the pods on the API server; terminal and unbound ones do not count.
	Pods []*v1.Pod `json:"pods,omitempty"`
	// NominatedPods wait in the scheduler's queue with status.nominatedNodeName set.
	NominatedPods []*v1.Pod `json:"nominatedPods,omitempty"`
	Pod           *v1.Pod   `json:"pod"`
	// NextPod is tried while the volumes of Pod are assumed.
	NextPod *v1.Pod `json:"nextPod,omitempty"`
	// Events happen after the cache has received the nodes and pods.
	Events []event                         `json:"events,omitempty"`
	PDBs   []*policyv1.PodDisruptionBudget `json:"pdbs,omitempty"`

	// Arguments of the plugins in v1 form.
	FitArgs              json.RawMessage `json:"args,omitempty"`
	BalancedArgs         json.RawMessage `json:"balancedArgs,omitempty"`
	NodeAffinityArgs     json.RawMessage `json:"nodeAffinityArgs,omitempty"`
	SpreadArgs           json.RawMessage `json:"podTopologySpreadArgs,omitempty"`
	InterPodAffinityArgs json.RawMessage `json:"interPodAffinityArgs,omitempty"`

	// Namespaces have the labels for namespaceSelector; a namespace that is not listed has no labels.
	Namespaces []*v1.Namespace `json:"namespaces,omitempty"`
	// The selectors of default spread constraints come from these.
	Services               []*v1.Service               `json:"services,omitempty"`
	ReplicationControllers []*v1.ReplicationController `json:"replicationControllers,omitempty"`
	ReplicaSets            []*appsv1.ReplicaSet        `json:"replicaSets,omitempty"`
	StatefulSets           []*appsv1.StatefulSet       `json:"statefulSets,omitempty"`

	PersistentVolumes      []*v1.PersistentVolume          `json:"persistentVolumes,omitempty"`
	PersistentVolumeClaims []*v1.PersistentVolumeClaim     `json:"persistentVolumeClaims,omitempty"`
	StorageClasses         []*storagev1.StorageClass       `json:"storageClasses,omitempty"`
	CSINodes               []*storagev1.CSINode            `json:"csiNodes,omitempty"`
	CSIDrivers             []*storagev1.CSIDriver          `json:"csiDrivers,omitempty"`
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity `json:"csiStorageCapacities,omitempty"`
	VolumeAttachments      []*storagev1.VolumeAttachment   `json:"volumeAttachments,omitempty"`

	// DeviceClasses in the order in which the scheduler receives them.
	DeviceClasses []*resourceapi.DeviceClass `json:"deviceClasses,omitempty"`
}

// args returns the arguments by plugin.
func (q *question) args() map[string]json.RawMessage {
	return map[string]json.RawMessage{
		names.NodeResourcesFit:                q.FitArgs,
		names.NodeResourcesBalancedAllocation: q.BalancedArgs,
		names.NodeAffinity:                    q.NodeAffinityArgs,
		names.PodTopologySpread:               q.SpreadArgs,
		names.InterPodAffinity:                q.InterPodAffinityArgs,
	}
}

func addAll[T any](ix clientcache.Indexer, objs []T) error {
	for _, o := range objs {
		if err := ix.Add(o); err != nil {
			return err
		}
	}
	return nil
}

// storeObjects adds the objects that plugins read through listers to the informers' indexers. No informer is started: in
// this version, VolumeBinding's caches read directly from the indexers, too.
func (q *question) storeObjects(f informers.SharedInformerFactory) error {
	core, storage := f.Core().V1(), f.Storage().V1()
	return errors.Join(
		addAll(f.Policy().V1().PodDisruptionBudgets().Informer().GetIndexer(), q.PDBs),
		addAll(core.Namespaces().Informer().GetIndexer(), q.Namespaces),
		addAll(core.Services().Informer().GetIndexer(), q.Services),
		addAll(core.ReplicationControllers().Informer().GetIndexer(), q.ReplicationControllers),
		addAll(f.Apps().V1().ReplicaSets().Informer().GetIndexer(), q.ReplicaSets),
		addAll(f.Apps().V1().StatefulSets().Informer().GetIndexer(), q.StatefulSets),
		addAll(core.PersistentVolumes().Informer().GetIndexer(), q.PersistentVolumes),
		addAll(core.PersistentVolumeClaims().Informer().GetIndexer(), q.PersistentVolumeClaims),
		addAll(storage.StorageClasses().Informer().GetIndexer(), q.StorageClasses),
		addAll(storage.CSINodes().Informer().GetIndexer(), q.CSINodes),
		addAll(storage.CSIDrivers().Informer().GetIndexer(), q.CSIDrivers),
		addAll(storage.CSIStorageCapacities().Informer().GetIndexer(), q.CSIStorageCapacities),
		addAll(storage.VolumeAttachments().Informer().GetIndexer(), q.VolumeAttachments),
		addAll(f.Resource().V1().DeviceClasses().Informer().GetIndexer(), q.DeviceClasses),
	)
}

// pluginSet names the plugins under test, in the default profile's order.
type pluginSet struct{ filters, scorers []string }

var (
	basicPlugins = pluginSet{
		filters: []string{names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit},
		scorers: []string{names.TaintToleration, names.NodeAffinity, names.NodeResourcesFit, names.NodeResourcesBalancedAllocation, names.ImageLocality},
	}
	topologyPlugins = pluginSet{
		filters: slices.Concat(basicPlugins.filters, []string{names.PodTopologySpread, names.InterPodAffinity}),
		scorers: []string{names.TaintToleration, names.NodeAffinity, names.NodeResourcesFit, names.PodTopologySpread, names.InterPodAffinity,
			names.NodeResourcesBalancedAllocation, names.ImageLocality},
	}
	// volumePlugins has no scorers, because none of the default profile depends on volumes.
	volumePlugins = pluginSet{
		filters: slices.Concat(basicPlugins.filters, []string{names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone}),
	}
	// volumeHintPlugins are the plugins that read volumes.
	volumeHintPlugins = pluginSet{
		filters: []string{names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone},
	}
	// everyPlugin has the filters and scorers of the default profile, without DynamicResources.
	everyPlugin = pluginSet{
		filters: slices.Concat(volumePlugins.filters, []string{names.PodTopologySpread, names.InterPodAffinity, names.NodeDeclaredFeatures}),
		scorers: topologyPlugins.scorers,
	}
	// delegationPlugins get no ResourceSlices, so every request that NodeResourcesFit leaves to DynamicResources fails in
	// that plugin.
	delegationPlugins = pluginSet{
		filters: slices.Concat(basicPlugins.filters, []string{names.DynamicResources}),
		scorers: slices.Concat(basicPlugins.scorers, []string{names.DynamicResources}),
	}
)

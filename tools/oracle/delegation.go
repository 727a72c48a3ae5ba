package main

import (
	"context"
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// delegationPlugins are the plugins of the kind delegation. There are no ResourceSlices, so every request that
// NodeResourcesFit leaves to DynamicResources fails in that plugin.
var delegationPlugins = pluginSet{
	filters: append(append([]string(nil), basicPlugins.filters...), names.DynamicResources),
	scorers: append(append([]string(nil), basicPlugins.scorers...), names.DynamicResources),
}

type delegationQuestion struct {
	fitQuestion
	// DeviceClasses in the order in which the scheduler receives them.
	DeviceClasses []*resourceapi.DeviceClass `json:"deviceClasses,omitempty"`
}

// storeClasses adds the classes like the scheduler's event handlers.
func storeClasses(f informers.SharedInformerFactory, dra fwk.SharedDRAManager, classes []*resourceapi.DeviceClass) error {
	resolver, ok := dra.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	if !ok {
		return fmt.Errorf("the resolver of DeviceClasses is a %T", dra.DeviceClassResolver())
	}
	for _, class := range classes {
		resolver.OnAdd(class, true)
	}
	return addAll(f.Resource().V1().DeviceClasses().Informer().GetIndexer(), classes)
}

func answerDelegation(raw json.RawMessage) (any, error) {
	var in delegationQuestion
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	if in.Pod == nil || len(in.Nodes) == 0 {
		return nil, fmt.Errorf("pod or nodes missing")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	profile, err := loadProfile(map[string]json.RawMessage{names.NodeResourcesFit: in.Args}, delegationPlugins, false)
	if err != nil {
		return nil, err
	}
	e, err := newEnv(ctx, profile, delegationPlugins, cluster{nodes: in.Nodes, pods: in.Pods, classes: in.DeviceClasses})
	if err != nil {
		return nil, err
	}
	return answerScheduling(e, in.Pod)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// everyPlugin has the filters and scorers of the default profile, without DynamicResources.
var everyPlugin = pluginSet{
	filters: []string{names.NodeUnschedulable, names.NodeName, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit,
		names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone, names.PodTopologySpread, names.InterPodAffinity,
		names.NodeDeclaredFeatures},
	scorers: topologyPlugins.scorers,
}

// everythingQuestion is a topology question with volumes, for all thirteen filters together.
type everythingQuestion struct {
	topologyQuestion
	storageObjects
}

func (q *everythingQuestion) env(ctx context.Context, preemption bool, events []event) (*env, error) {
	if q.Pod == nil || len(q.Nodes) == 0 {
		return nil, fmt.Errorf("pod or nodes missing")
	}
	profile, err := loadProfile(map[string]json.RawMessage{
		names.NodeResourcesFit:                q.Args,
		names.NodeResourcesBalancedAllocation: q.BalancedArgs,
		names.NodeAffinity:                    q.NodeAffinityArgs,
		names.PodTopologySpread:               q.SpreadArgs,
		names.InterPodAffinity:                q.InterPodAffinityArgs,
	}, everyPlugin, preemption)
	if err != nil {
		return nil, err
	}
	return newEnv(ctx, profile, everyPlugin, cluster{nodes: q.Nodes, pods: q.Pods, nominated: q.NominatedPods, pdbs: q.PDBs,
		listed: q.listed(), storage: q.storageObjects, events: events})
}

func answerEverything(raw json.RawMessage) (any, error) {
	var in everythingQuestion
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	return in.answer(nil)
}

func (q *everythingQuestion) answer(events []event) (any, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, err := q.env(ctx, false, events)
	if err != nil {
		if isConfigError(err) {
			return map[string]any{"ok": false, "stage": "config", "error": err.Error()}, nil
		}
		return nil, err
	}
	return answerScheduling(e, q.Pod)
}

// answerPreemptEverything is answerPreempt with all thirteen filters.
func answerPreemptEverything(raw json.RawMessage) (any, error) {
	var in everythingQuestion
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	e, err := in.env(ctx, true, nil)
	if err != nil {
		return nil, err
	}
	fr := runFilters(e, in.Pod)
	if fr.err != nil {
		return map[string]any{"ok": true, "error": failedStage(fr)}, nil
	}
	return preemptAfter(ctx, e, fr, in.Pod, in.PDBs)
}

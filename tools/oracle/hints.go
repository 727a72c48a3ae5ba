package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// hintQuestion asks which plugins, having rejected the pod, requeue it after one change.
type hintQuestion struct {
	Pod *v1.Pod `json:"pod"`
	// Kind of the object that changed.
	Resource string `json:"resource"`
	// Old is absent for an added object, New for a deleted one.
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// change is a change as the event handlers pass it to the queue. An update of a node or pod has an event for each part.
type change struct {
	events   []fwk.ClusterEvent
	old, new any
}

// hints answers for each plugin whether one of its registered events matches the change and has a hint that requeues.
func hints(set pluginSet) handler {
	return decoding(func(q *hintQuestion) (any, error) {
		if q.Pod == nil {
			return nil, errors.New("pod missing")
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		e, err := newEnv(ctx, set, &question{Pod: q.Pod})
		if err != nil {
			return nil, err
		}
		c, err := q.change()
		if err != nil {
			return nil, err
		}
		out := map[string]bool{}
		for _, name := range set.filters {
			if out[name], err = isQueued(e, e.plugins[name], q.Pod, c); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		return map[string]any{"ok": true, "queued": out}, nil
	})
}

func isQueued(e *env, pl fwk.Plugin, pod *v1.Pod, c change) (bool, error) {
	registered, err := pl.(fwk.EnqueueExtensions).EventsToRegister(e.ctx)
	if err != nil {
		return false, err
	}
	for _, r := range registered {
		for _, event := range c.events {
			if !framework.MatchClusterEvents(r.Event, event) {
				continue
			}
			if r.QueueingHintFn == nil {
				return true, nil
			}
			hint, err := r.QueueingHintFn(e.logger, pod, c.old, c.new)
			// The queue treats an error like Queue.
			if err != nil || hint == fwk.Queue {
				return true, nil
			}
		}
	}
	return false, nil
}

func (q *hintQuestion) change() (change, error) {
	switch q.Resource {
	case "Pod":
		return changeOf(q, fwk.Pod, framework.PodSchedulingPropertiesChange)
	case "Node":
		return changeOf(q, fwk.Node, framework.NodeSchedulingPropertiesChange)
	case "PersistentVolume":
		return changeOf[v1.PersistentVolume](q, fwk.PersistentVolume, nil)
	case "PersistentVolumeClaim":
		return changeOf[v1.PersistentVolumeClaim](q, fwk.PersistentVolumeClaim, nil)
	case "StorageClass":
		return changeOf[storagev1.StorageClass](q, fwk.StorageClass, nil)
	case "CSINode":
		return changeOf[storagev1.CSINode](q, fwk.CSINode, nil)
	case "CSIDriver":
		return changeOf[storagev1.CSIDriver](q, fwk.CSIDriver, nil)
	case "CSIStorageCapacity":
		return changeOf[storagev1.CSIStorageCapacity](q, fwk.CSIStorageCapacity, nil)
	case "VolumeAttachment":
		return changeOf[storagev1.VolumeAttachment](q, fwk.VolumeAttachment, nil)
	}
	return change{}, fmt.Errorf("unknown resource %q", q.Resource)
}

// changeOf decodes the two versions. updates returns the events of an update; nil stands for one general event.
func changeOf[T any](q *hintQuestion, resource fwk.EventResource, updates func(new, old *T) []fwk.ClusterEvent) (change, error) {
	old, err := decodeVersion[T](q.Old)
	if err != nil {
		return change{}, err
	}
	new, err := decodeVersion[T](q.New)
	if err != nil {
		return change{}, err
	}
	one := func(action fwk.ActionType) []fwk.ClusterEvent {
		return []fwk.ClusterEvent{{Resource: resource, ActionType: action}}
	}
	// The queue passes an absent version as an untyped nil.
	switch {
	case old == nil && new == nil:
		return change{}, errors.New("the change has neither version")
	case old == nil:
		return change{events: one(fwk.Add), new: new}, nil
	case new == nil:
		return change{events: one(fwk.Delete), old: old}, nil
	case updates != nil:
		return change{events: updates(new, old), old: old, new: new}, nil
	}
	return change{events: one(fwk.Update), old: old, new: new}, nil
}

func decodeVersion[T any](raw json.RawMessage) (*T, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	object := new(T)
	return object, json.Unmarshal(raw, object)
}

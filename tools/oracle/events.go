package main

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// event is one change after the initial list; exactly one field is set.
type event struct {
	// SetNode adds a node, or replaces the node with the same name.
	SetNode *v1.Node `json:"setNode,omitempty"`
	// DeleteNode is the name of a node.
	DeleteNode string `json:"deleteNode,omitempty"`
	// SetPod is the current version of a pod: new or known, unbound, bound or terminal.
	SetPod    *v1.Pod `json:"setPod,omitempty"`
	DeletePod *v1.Pod `json:"deletePod,omitempty"`
	// Assume is a pod with the node that the scheduler chose, before the API server has bound it.
	Assume *v1.Pod `json:"assume,omitempty"`
	// Forget removes an assumed pod.
	Forget *v1.Pod `json:"forget,omitempty"`
}

// history applies events to the real cache like the scheduler's event handlers.
type history struct {
	logger klog.Logger
	cache  cache.Cache
	nodes  map[string]*v1.Node
}

func (h *history) apply(e event) error {
	switch {
	case e.SetNode != nil:
		old, known := h.nodes[e.SetNode.Name]
		h.nodes[e.SetNode.Name] = e.SetNode
		if known {
			h.cache.UpdateNode(h.logger, old, e.SetNode)
		} else {
			h.cache.AddNode(h.logger, e.SetNode)
		}
		return nil
	case e.DeleteNode != "":
		old, known := h.nodes[e.DeleteNode]
		if !known {
			return nil
		}
		delete(h.nodes, e.DeleteNode)
		return h.cache.RemoveNode(h.logger, old)
	case e.SetPod != nil:
		return h.setPod(e.SetPod)
	case e.DeletePod != nil:
		if old, err := h.cache.GetPod(e.DeletePod); err == nil {
			return h.cache.RemovePod(h.logger, old)
		}
		return nil
	case e.Assume != nil:
		if _, err := h.cache.GetPod(e.Assume); err == nil {
			return nil
		}
		return h.cache.AssumePod(h.logger, e.Assume)
	case e.Forget != nil:
		old, err := h.cache.GetPod(e.Forget)
		if err != nil {
			return nil
		}
		if assumed, err := h.cache.IsAssumedPod(old); err != nil || !assumed {
			return err
		}
		return h.cache.ForgetPod(h.logger, old)
	}
	return fmt.Errorf("the event has no change")
}

// setPod adds, updates or removes the pod like the handlers, depending on whether the cache had it before and should
// have it now. An unbound pod is in the queue and does not affect an assumed one.
func (h *history) setPod(pod *v1.Pod) error {
	old, err := h.cache.GetPod(pod)
	isKnown := err == nil
	isAssumed := false
	if isKnown {
		if isAssumed, err = h.cache.IsAssumedPod(old); err != nil {
			return err
		}
	}
	switch counts := countsForScheduler(pod); {
	case !isKnown && !counts:
		return nil
	case !isKnown, isAssumed && counts:
		return h.cache.AddPod(h.logger, pod)
	case isAssumed && pod.Spec.NodeName == "" && pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed:
		return nil
	case counts:
		return h.cache.UpdatePod(h.logger, old, pod)
	}
	return h.cache.RemovePod(h.logger, old)
}

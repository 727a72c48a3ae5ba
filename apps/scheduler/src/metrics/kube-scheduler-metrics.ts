import { defineMetrics } from '@berth/process/metrics'

/** Returns `count` bucket bounds, each `factor` times the one before, as Prometheus' Go client computes them. */
function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const buckets: number[] = []
  for (let bound = start; buckets.length < count; bound *= factor) buckets.push(bound)
  return buckets
}

/** Repeats what the sampled metrics have in their help. */
const SAMPLED = 'One attempt in ten is measured at PreFilter, Filter, PreScore and Score.'

/**
 * Metrics of kube-scheduler under their own names, with its labels and buckets, so that existing dashboards and alerts
 * work. kube-scheduler never counts its `scheduler_volume_binder_cache_requests_total`, so that one is left out.
 *
 * @see kubernetes/kubernetes pkg/scheduler/metrics/metrics.go (v1.36)
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/volumebinding/metrics/metrics.go (v1.36)
 */
export const kubeSchedulerMetrics = defineMetrics({
  kubeAttempts: {
    name: 'scheduler_schedule_attempts_total',
    help: 'Scheduling attempts by result: scheduled, unschedulable or error.',
    type: 'counter',
    labelNames: ['result', 'profile'],
    isKubeScheduler: true,
  },
  kubeAttemptDuration: {
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'Duration of a scheduling attempt, including the bind.',
    type: 'histogram',
    labelNames: ['result', 'profile'],
    buckets: exponentialBuckets(0.001, 2, 15),
    isKubeScheduler: true,
  },
  kubeAlgorithmDuration: {
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    help: 'Time from popping a pod to choosing its node.',
    type: 'histogram',
    buckets: exponentialBuckets(0.001, 2, 15),
    isKubeScheduler: true,
  },
  kubePodDuration: {
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    help: 'Time from the first attempt of a pod to its bind, by number of attempts (15+ for more than 14).',
    type: 'histogram',
    labelNames: ['attempts'],
    buckets: exponentialBuckets(0.01, 2, 20),
    isKubeScheduler: true,
  },
  kubePodAttempts: {
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Number of attempts until a pod was bound.',
    type: 'histogram',
    buckets: exponentialBuckets(1, 2, 5),
    isKubeScheduler: true,
  },
  kubePreemptionAttempts: {
    name: 'scheduler_preemption_attempts_total',
    help: 'Attempts of default preemption.',
    type: 'counter',
    isKubeScheduler: true,
  },
  kubePreemptionVictims: {
    name: 'scheduler_preemption_victims',
    help: 'Number of victims of a preemption.',
    type: 'histogram',
    buckets: exponentialBuckets(1, 2, 7),
    isKubeScheduler: true,
  },
  kubePendingPods: {
    name: 'scheduler_pending_pods',
    help: 'Pending pods by queue: active, backoff, unschedulable or gated.',
    type: 'gauge',
    labelNames: ['queue'],
    isKubeScheduler: true,
  },
  kubeUnschedulablePods: {
    name: 'scheduler_unschedulable_pods',
    help: 'Unschedulable pods by plugin that rejected them. A pod counts for each of its plugins.',
    type: 'gauge',
    labelNames: ['plugin', 'profile'],
    isKubeScheduler: true,
  },
  kubeIncomingPods: {
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Pods added to the queues active, backoff and unschedulable, by event. Events of nodes and objects have no suffix for the part that changed.',
    type: 'counter',
    labelNames: ['queue', 'event'],
    isKubeScheduler: true,
  },
  kubeExtensionPointDuration: {
    name: 'scheduler_framework_extension_point_duration_seconds',
    help: `Time that all plugins of an extension point took. ${SAMPLED}`,
    type: 'histogram',
    labelNames: ['extension_point', 'status', 'profile'],
    buckets: exponentialBuckets(0.0001, 2, 12),
    isKubeScheduler: true,
  },
  kubePluginDuration: {
    name: 'scheduler_plugin_execution_duration_seconds',
    help: `Time that a plugin took at an extension point, for all nodes. ${SAMPLED}`,
    type: 'histogram',
    labelNames: ['plugin', 'extension_point', 'status'],
    buckets: exponentialBuckets(0.00001, 1.5, 20),
    isKubeScheduler: true,
  },
  kubePluginEvaluations: {
    name: 'scheduler_plugin_evaluation_total',
    help: 'Evaluations by a plugin at PreFilter, Filter, PreScore and Score: one per attempt, and one per node at Filter and Score. Dry runs of preemption are not counted.',
    type: 'counter',
    labelNames: ['plugin', 'extension_point', 'profile'],
    isKubeScheduler: true,
  },
  kubeGoroutines: {
    name: 'scheduler_goroutines',
    help: 'Running tasks by operation: binding or prioritizing_extender. Plugins run on one thread, so they are not counted.',
    type: 'gauge',
    labelNames: ['operation'],
    isKubeScheduler: true,
  },
  kubeEventHandling: {
    name: 'scheduler_event_handling_duration_seconds',
    help: 'Time in which the scheduling queue handled a change of the cluster, by event.',
    type: 'histogram',
    labelNames: ['event'],
    buckets: exponentialBuckets(0.0001, 2, 12),
    isKubeScheduler: true,
  },
  kubePermitWait: {
    name: 'scheduler_permit_wait_duration_seconds',
    help: 'Time that a pod waited in Permit, by status, for profiles with a permit plugin.',
    type: 'histogram',
    labelNames: ['result'],
    buckets: exponentialBuckets(0.001, 2, 15),
    isKubeScheduler: true,
  },
  kubeVolumeErrors: {
    name: 'scheduler_volume_scheduling_stage_error_total',
    help: 'Errors of VolumeBinding by operation: predicate (its filter failed for the pod), assume (the volumes are no longer free) or bind (a write or the binding failed, or took too long).',
    type: 'counter',
    labelNames: ['operation'],
    isKubeScheduler: true,
  },
  kubeCacheSize: {
    name: 'scheduler_cache_size',
    help: 'Number of nodes, pods with a node, and assumed pods in the cache.',
    type: 'gauge',
    labelNames: ['type'],
    isKubeScheduler: true,
  },
})

import { defineMetrics, type Instruments } from '@berth/process/metrics'
import { kubeSchedulerMetrics } from './kube-scheduler-metrics.ts'

/** The metrics of the scheduler: its own, and those of kube-scheduler. */
export const metricDefinitions = defineMetrics({
  ...kubeSchedulerMetrics,
  attempts: {
    name: 'berth_scheduler_attempts_total',
    help: 'Scheduling attempts by result: scheduled, unschedulable or error.',
    type: 'counter',
    labelNames: ['result', 'profile'],
  },
  attemptDuration: {
    name: 'berth_scheduler_attempt_duration_seconds',
    help: 'Duration of a scheduling attempt, from popping the pod to its binding or rejection.',
    type: 'histogram',
    labelNames: ['result', 'profile'],
  },
  schedulingDuration: {
    name: 'berth_scheduler_scheduling_duration_seconds',
    help: 'Time from popping a pod to assuming it on a node. Does not include binding.',
    type: 'histogram',
    buckets: [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
  },
  podDuration: {
    name: 'berth_scheduler_pod_scheduling_duration_seconds',
    help: 'Time from first seeing a pod to its binding, including all attempts.',
    type: 'histogram',
  },
  podAttempts: {
    name: 'berth_scheduler_pod_scheduling_attempts',
    help: 'Number of attempts until a pod was bound.',
    type: 'histogram',
    buckets: [1, 2, 4, 8, 16],
  },
  pendingPods: {
    name: 'berth_scheduler_pending_pods',
    help: 'Pending pods by queue: active, backoff, unschedulable, gated or in_flight.',
    type: 'gauge',
    labelNames: ['queue'],
  },
  binds: {
    name: 'berth_scheduler_bind_total',
    help: 'Binds by outcome: bound, conflict (not bound), gone (deleted, or bound to another node), unknown (the response was lost and the pod was not bound in time) or error (a bind plugin rejected the pod or failed).',
    type: 'counter',
    labelNames: ['outcome'],
  },
  bindDuration: {
    name: 'berth_scheduler_bind_duration_seconds',
    help: 'Duration of a bind, including the wait for the rate limit.',
    type: 'histogram',
  },
  extenderCalls: {
    name: 'berth_scheduler_extender_calls_total',
    help: 'Calls to extenders by verb and result: ok, error or ignored (the error did not end the attempt).',
    type: 'counter',
    labelNames: ['verb', 'result'],
  },
  extenderDuration: {
    name: 'berth_scheduler_extender_duration_seconds',
    help: 'Duration of a call to an extender.',
    type: 'histogram',
    labelNames: ['verb'],
  },
  pluginRejections: {
    name: 'berth_scheduler_plugin_rejections_total',
    help: 'Attempts that ended unschedulable, by plugin that rejected the pod or a node.',
    type: 'counter',
    labelNames: ['plugin'],
  },
  pluginDuration: {
    name: 'berth_scheduler_plugin_duration_seconds',
    help: 'Time a plugin took at an extension point for all nodes of an attempt. One attempt in ten is measured.',
    type: 'histogram',
    labelNames: ['plugin', 'extension_point'],
    buckets: [0.000001, 0.00001, 0.00005, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.1, 1],
  },
  preemptionAttempts: {
    name: 'berth_scheduler_preemption_attempts_total',
    help: 'Attempts of default preemption to make room for an unschedulable pod.',
    type: 'counter',
  },
  preemptionVictims: {
    name: 'berth_scheduler_preemption_victims',
    help: 'Number of victims of a preemption.',
    type: 'histogram',
    buckets: [1, 2, 4, 8, 16, 32, 64],
  },
  refusals: {
    name: 'berth_scheduler_refused_pods_total',
    help: 'Attempts that ended because the pod uses features that are not implemented.',
    type: 'counter',
  },
  waitingPods: {
    name: 'berth_scheduler_waiting_pods',
    help: 'Pods that have a node and that permit plugins delay.',
    type: 'gauge',
  },
  eventsWritten: {
    name: 'berth_scheduler_events_written_total',
    help: 'Events that were created, or whose series was updated, by reason.',
    type: 'counter',
    labelNames: ['reason'],
  },
  eventsDropped: {
    name: 'berth_scheduler_events_dropped_total',
    help: 'Events that were not written, by reason and cause: rejected by the API server, queue-full (while it accepted no events), replaced by a newer event about the same pod, not-leading, shutdown or invalid. Only replaced events lose no information.',
    type: 'counter',
    labelNames: ['reason', 'cause'],
  },
  eventsWaiting: {
    name: 'berth_scheduler_events_waiting',
    help: 'Events that wait to be written. Binding slows down above 250.',
    type: 'gauge',
  },
  kubeletRejections: {
    name: 'berth_scheduler_kubelet_rejections_total',
    help: 'Pods that the kubelet rejected after the scheduler had placed them, by its reason: OutOf… or UnexpectedAdmissionError.',
    type: 'counter',
    labelNames: ['reason'],
  },
  unreadablePods: {
    name: 'berth_scheduler_unreadable_pods_total',
    help: 'Pods that could not be read when they were listed or changed, and are not scheduled.',
    type: 'counter',
  },
  unreadablePodGroups: {
    name: 'berth_scheduler_unreadable_pod_groups_total',
    help: 'Pod groups that could not be read when they were listed or changed. Their members wait.',
    type: 'counter',
  },
  viewAge: {
    name: 'berth_scheduler_view_age_seconds',
    help: 'Age of the cached cluster state, infinite until it was read once. Scheduling pauses above --max-view-age-seconds.',
    type: 'gauge',
  },
  leader: {
    name: 'berth_scheduler_is_leader',
    help: '1 while this process may schedule, 0 while another process holds the Lease.',
    type: 'gauge',
  },
})

/** The instruments that {@link metricDefinitions} defines. */
export type SchedulerMetrics = Instruments<typeof metricDefinitions>

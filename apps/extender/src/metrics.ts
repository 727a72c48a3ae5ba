import { defineMetrics, type Instruments } from '@berth/process/metrics'

/** Metrics of the extender. */
export const metricDefinitions = defineMetrics({
  calls: {
    name: 'berth_extender_calls_total',
    help: 'Calls by verb and result: ok, refused (answered with an error text) or bad_request.',
    type: 'counter',
    labelNames: ['verb', 'result'],
  },
  callDuration: {
    name: 'berth_extender_call_duration_seconds',
    help: 'Time from the complete request to the complete answer.',
    type: 'histogram',
    labelNames: ['verb'],
  },
  judgedNodes: {
    name: 'berth_extender_judged_nodes_total',
    help: 'Nodes that were filtered, by verdict: fits, unschedulable or unresolvable.',
    type: 'counter',
    labelNames: ['verdict'],
  },
  wholeNodeCalls: {
    name: 'berth_extender_whole_node_calls_total',
    help: 'Calls that sent whole nodes instead of names; set nodeCacheCapable to true in kube-scheduler.',
    type: 'counter',
  },
  viewAge: {
    name: 'berth_extender_view_age_seconds',
    help: 'Age of the last word of the API server; every pod is refused above --max-view-age-seconds.',
    type: 'gauge',
  },
})

/** The instruments behind {@link metricDefinitions}. */
export type ExtenderMetrics = Instruments<typeof metricDefinitions>

import { defineMetrics, type Instruments } from '@berth/process/metrics'

/** Definitions of the extender's metrics. */
export const metricDefinitions = defineMetrics({
  calls: {
    name: 'berth_extender_calls_total',
    help: 'Requests by verb and result: ok, refused (answered with an error text), bad_request (verb unknown: no such verb), or forbidden (verb any: the certificate has no allowed name).',
    type: 'counter',
    labelNames: ['verb', 'result'],
    initialLabels: [{ verb: 'any', result: 'forbidden' }],
  },
  callDuration: {
    name: 'berth_extender_call_duration_seconds',
    help: 'Time from the complete request to the complete response.',
    type: 'histogram',
    labelNames: ['verb'],
  },
  judgedNodes: {
    name: 'berth_extender_judged_nodes_total',
    help: 'Filtered nodes, by verdict: fits, unschedulable or unresolvable.',
    type: 'counter',
    labelNames: ['verdict'],
    initialLabels: [{ verdict: 'fits' }, { verdict: 'unschedulable' }, { verdict: 'unresolvable' }],
  },
  wholeNodeCalls: {
    name: 'berth_extender_whole_node_calls_total',
    help: 'Requests with whole nodes instead of node names. Set nodeCacheCapable to true in kube-scheduler.',
    type: 'counter',
  },
  closedConnections: {
    name: 'berth_extender_closed_connections_total',
    help: 'Connections that were closed for newer ones: without a TLS handshake, an allowed name in the certificate or, over plain HTTP, a request.',
    type: 'counter',
  },
  certificateExpiry: {
    name: 'berth_extender_certificate_expiry_timestamp_seconds',
    help: 'Unix time at which a certificate expires: of the server, of the first authority of client certificates to expire (client-ca), or of the connected caller whose certificate expires first (client; a day after the last connection it is removed).',
    type: 'gauge',
    labelNames: ['certificate'],
  },
  retrySignals: {
    name: 'berth_extender_retry_signals_total',
    help: 'Changes of the retrySignal object, which make kube-scheduler retry rejected pods, by result: sent or failed.',
    type: 'counter',
    labelNames: ['result'],
    initialLabels: [{ result: 'sent' }, { result: 'failed' }],
  },
  viewAge: {
    name: 'berth_extender_view_age_seconds',
    help: 'Age of the cached cluster state, infinite until it was read once. All pods are refused above --max-view-age-seconds.',
    type: 'gauge',
  },
})

/** Instruments of {@link metricDefinitions}. */
export type ExtenderMetrics = Instruments<typeof metricDefinitions>

import { isBound, isTerminal } from '@berth/resources'
import { schedulerNameOf } from '@berth/scheduler-config'
import { counted } from '@berth/text/counted'
import { humanDuration } from '@berth/text/human-duration'
import type { FactName } from '../../facts/facts.ts'
import type { SchedulerSettings } from '../../facts/scheduler-settings.ts'
import { check, type Finding, type Fix } from '../model/check.ts'
import { kubectlCommand } from '../model/kubectl-command.ts'
import { readingFix } from '../model/reading-fix.ts'

/** Requests for each pod: the binding and the event. */
const WRITES_PER_POD = 2
/** A backlog that takes longer than this to write is limited by the client, milliseconds. */
const SLOW_MS = 30_000
/** A cluster of this size gets bursts of pods that a limit of kube-scheduler's default cannot serve. */
const BIG_CLUSTER_NODES = 1_000
/** Limit that a control plane of any size serves (clusterloader2 schedules with 500 requests per second). */
const ADVISED_QPS = 500

/** Whether the rate limit of a scheduler's client, not its decisions, makes pods wait. */
export const clientLimits = check({
  id: 'client-limits',
  title: 'Rate limits of schedulers suit the cluster',
  needs: ['schedulerSettings', 'pods', 'nodes'],
  run({ schedulerSettings, pods, nodes }, { unread }) {
    const known = [
      ...new Map(schedulerSettings.filter(({ qps }) => qps !== undefined).map((one) => [one.source, one])).values(),
    ]
    return {
      examined: known.map(({ source, qps }) => `${source}: ${qps ?? 0} requests per second.`),
      findings: known.flatMap((settings): readonly Finding[] => {
        const { qps = 0, schedulerNames, source } = settings
        const waiting = pods.filter(
          (pod) =>
            !isTerminal(pod) && !isBound(pod) && isSchedulable(pod) && schedulerNames.includes(schedulerNameOf(pod)),
        ).length
        const backlogMs = ((waiting * WRITES_PER_POD) / qps) * 1_000
        const isSmall = qps < ADVISED_QPS
        if (!isSmall || (backlogMs <= SLOW_MS && nodes.length < BIG_CLUSTER_NODES)) return []
        return [
          {
            severity: 'warning',
            sentence: `The client of ${schedulerNames.join(', ')} may send ${qps} requests per second, so it places at most ${Math.floor(qps / WRITES_PER_POD)} pods per second.`,
            evidence: [
              `${source}.`,
              sizeText(waiting, nodes.length, unread),
              ...(waiting > 0 ? [`Writing their bindings and events takes at least ${humanDuration(backlogMs)}.`] : []),
            ],
            fix: limitFix(settings),
          },
        ]
      }),
    }
  },
})

/** Counts waiting pods and nodes. A count that misses some, because this user may not list them, is a minimum. */
function sizeText(waiting: number, nodes: number, unread: ReadonlySet<FactName>): string {
  const nodesText = unread.has('nodes') ? 'the number of nodes is unknown' : `the cluster has ${counted(nodes, 'node')}`
  return `${unread.has('pods') ? 'At least ' : ''}${waiting} of its pods wait, and ${nodesText}.`
}

/** A pod with gates waits for them, not for its scheduler. */
function isSchedulable({ spec }: { readonly spec: { readonly schedulingGates?: readonly unknown[] } }): boolean {
  return (spec.schedulingGates ?? []).length === 0
}

function limitFix({ source, namespace, pod }: SchedulerSettings): Fix {
  const note = 'The API server limits each client on its own (API priority and fairness).'
  const map = /^ConfigMap ([^/]+)\/(.+)$/.exec(source)
  if (map === null) {
    const words = ['get', 'pod', pod, '-n', namespace, '-o', 'jsonpath={.spec.containers[*].command}']
    return readingFix(
      `Start it with --kube-api-qps=${ADVISED_QPS} --kube-api-burst=${2 * ADVISED_QPS}, or set clientConnection.qps and .burst in its configuration. It reads them when it starts.`,
      kubectlCommand([pod, namespace], ...words),
      note,
    )
  }
  const [, mapNamespace = '', mapName = ''] = map
  return readingFix(
    `Set clientConnection: {qps: ${ADVISED_QPS}, burst: ${2 * ADVISED_QPS}} in ${source}, then restart the scheduler.`,
    kubectlCommand([mapName, mapNamespace], 'get', 'configmap', mapName, '-n', mapNamespace, '-o', 'yaml'),
    note,
  )
}

import type { PodSpec } from '@berth/types'
import { NAMESPACE, RELEASE } from '../cluster/release.ts'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'

const SEAT = 'example.com/seat'

/** The chart values that the checks of the scheduler need: a second profile that chooses nodes at random. */
export const schedulerValues: unknown = {
  scheduler: {
    config: {
      profiles: [
        { schedulerName: 'berth-scheduler' },
        {
          schedulerName: 'chaos-scheduler',
          plugins: { score: { enabled: [{ name: 'chaos-random-score', weight: 1 }], disabled: [{ name: '*' }] } },
        },
      ],
    },
  },
}

/** With this many draws, the chance that one of two workers is never drawn is one in half a million. */
const MOST_DRAWS = 20

/** Returns a preference that outweighs the other scores of similar nodes. */
function preferenceFor(node: string): NonNullable<PodSpec['affinity']> {
  const preference = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node] }] }
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] } }
}

/** The FlowSchema of the chart for all requests of the scheduler. */
const FLOW_SCHEMA = `${NAMESPACE}-${RELEASE}-scheduler`

/** Returns how many requests the API server has dispatched with this FlowSchema and priority level since its start. */
async function dispatchedRequests(testCluster: TestCluster, schema: string, level: string): Promise<number> {
  const metrics = await testCluster.kubectl('get', '--raw', '/metrics')
  const series = `apiserver_flowcontrol_dispatched_requests_total{flow_schema="${schema}",priority_level="${level}"} `
  const line = metrics.split('\n').find((text) => text.startsWith(series))
  return line === undefined ? 0 : Number(line.slice(series.length))
}

/** Checks of the scheduler. */
export const schedulerChecks: readonly Check[] = [
  {
    name: 'pods with its schedulerName run where the seats are; one too many waits until another is deleted',
    component: 'scheduler',
    failureText: 'seat-1',
    async run(testCluster) {
      const node = testCluster.workers[1] ?? ''
      const ours = { schedulerName: 'berth-scheduler' }
      const [first, second, third] = ['seat-1', 'seat-2', 'seat-3'].map(testCluster.uniqueName) as [
        string,
        string,
        string,
      ]
      await testCluster.advertise(node, SEAT, '2')
      for (const name of [first, second]) await testCluster.createPod(pausePod(name, { [SEAT]: '1' }, ours))
      for (const name of [first, second]) {
        const { spec } = await testCluster.untilRunning(name)
        expectThat(spec?.nodeName === node, `${name} runs on ${spec?.nodeName}, where no seat is`)
      }
      const { note, reporter } = await testCluster.untilEvent(first, 'Scheduled')
      expectThat(note === `Successfully assigned default/${first} to ${node}`, `the event says: ${note}`)
      expectThat(reporter === 'berth-scheduler', `${reporter} placed it`)

      await testCluster.createPod(pausePod(third, { [SEAT]: '1' }, ours))
      const refusal = await testCluster.untilEvent(third, 'FailedScheduling', /Insufficient example\.com\/seat/)
      expectThat(refusal.reporter === 'berth-scheduler', `${refusal.reporter} refused it`)
      await testCluster.deletePod(first)
      await testCluster.untilRunning(third)
    },
  },
  {
    name: 'its requests have the priority of kube-scheduler’s, by the FlowSchemas of the chart',
    component: 'scheduler',
    failureText: 'flow-1',
    async run(testCluster) {
      const name = testCluster.uniqueName('flow-1')
      const read = (): Promise<readonly number[]> =>
        Promise.all([
          dispatchedRequests(testCluster, FLOW_SCHEMA, 'workload-high'),
          dispatchedRequests(testCluster, `${FLOW_SCHEMA}-election`, 'leader-election'),
        ])
      const [workBefore = 0, electionBefore = 0] = await read()
      await testCluster.createPod(pausePod(name, {}, { schedulerName: 'berth-scheduler' }))
      await testCluster.untilRunning(name)
      // At least the binding and the event of this pod, and one renewal of the Lease.
      await testCluster.until('the API server to count the requests of the scheduler', async () => {
        const [work = 0, election = 0] = await read()
        return work >= workBefore + 2 && election > electionBefore ? true : undefined
      })
    },
  },
  {
    name: 'reports the same reason as kube-scheduler for a pod that does not fit',
    component: 'scheduler',
    failureText: 'an event FailedScheduling of ours',
    async run(testCluster) {
      const [ours, theirs] = [testCluster.uniqueName('ours'), testCluster.uniqueName('theirs')]
      const nothing = { 'example.com/nobody-has-it': '1' }
      await testCluster.createPod(pausePod(ours, nothing, { schedulerName: 'berth-scheduler' }))
      await testCluster.createPod(pausePod(theirs, nothing))
      const { note } = await testCluster.untilEvent(ours, 'FailedScheduling')
      const upstream = await testCluster.untilEvent(theirs, 'FailedScheduling')
      // Before "preemption:" kube-scheduler also reports that the dynamic resources plugin found nothing to release.
      const [filters = '?', preemption] = note.split(' preemption: ')
      expectThat(upstream.note.startsWith(filters), `${note}\n${upstream.note}`)
      expectThat(upstream.note.endsWith(`preemption: ${preemption}`), `${note}\n${upstream.note}`)
    },
  },
  {
    name: 'the chaos scheduler chooses a random node for each pod, while scores always choose the preferred node',
    component: 'scheduler',
    failureText: 'scored-1',
    async run(testCluster) {
      const [preferred = ''] = testCluster.workers
      const affinity = preferenceFor(preferred)
      const place = async (stem: string, schedulerName: string): Promise<string> => {
        const name = testCluster.uniqueName(stem)
        await testCluster.createPod(pausePod(name, {}, { schedulerName, affinity }))
        const { note, reporter } = await testCluster.untilEvent(name, 'Scheduled')
        expectThat(reporter === schedulerName, `${reporter} placed ${name}`)
        return note.split(' ').at(-1) ?? ''
      }
      for (const stem of ['scored-1', 'scored-2', 'scored-3']) {
        const node = await place(stem, 'berth-scheduler')
        expectThat(node === preferred, `scores took ${node}, and ${preferred} is preferred`)
      }
      const drawn = new Set<string>()
      for (let i = 1; i <= MOST_DRAWS && drawn.size < testCluster.workers.length; i++) {
        drawn.add(await place(`chaos-${i}`, 'chaos-scheduler'))
      }
      expectThat(
        drawn.size === testCluster.workers.length,
        `${MOST_DRAWS} draws gave nothing but ${[...drawn].join(', ')}`,
      )
    },
  },
]

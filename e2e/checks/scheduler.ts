import type { PodSpec } from '@berth/types'
import { check, pausePod } from '../cluster/test-cluster.ts'
import type { BerthPlay } from './check.ts'

const SEAT = 'example.com/seat'

/** Values that the plays of the scheduler need: a second profile that draws nodes at random. */
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

/** Two workers are both drawn by then but once in half a million times. */
const MOST_DRAWS = 20

/** A preference that outweighs what other scores say of nodes that are about the same. */
function preferenceFor(node: string): NonNullable<PodSpec['affinity']> {
  const preference = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: [node] }] }
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] } }
}

/** What the scheduler promises. */
export const schedulerPlays: readonly BerthPlay[] = [
  {
    name: 'pods of its schedulerName go where the seats are; one too many waits until another leaves',
    component: 'scheduler',
    missing: 'seat-1',
    async run(scene) {
      const node = scene.workers[1] ?? ''
      const ours = { schedulerName: 'berth-scheduler' }
      const [first, second, third] = ['seat-1', 'seat-2', 'seat-3'].map(scene.name) as [string, string, string]
      await scene.advertise(node, SEAT, '2')
      for (const name of [first, second]) await scene.createPod(pausePod(name, { [SEAT]: '1' }, ours))
      for (const name of [first, second]) {
        const { spec } = await scene.untilRunning(name)
        check(spec?.nodeName === node, `${name} runs on ${spec?.nodeName}, where no seat is`)
      }
      const { note, reporter } = await scene.untilEvent(first, 'Scheduled')
      check(note === `Successfully assigned default/${first} to ${node}`, `the event says: ${note}`)
      check(reporter === 'berth-scheduler', `${reporter} placed it`)

      await scene.createPod(pausePod(third, { [SEAT]: '1' }, ours))
      const refusal = await scene.untilEvent(third, 'FailedScheduling', /Insufficient example\.com\/seat/)
      check(refusal.reporter === 'berth-scheduler', `${refusal.reporter} refused it`)
      await scene.deletePod(first)
      await scene.untilRunning(third)
    },
  },
  {
    name: 'says of a pod that does not fit what kube-scheduler says',
    component: 'scheduler',
    missing: 'an event FailedScheduling of ours',
    async run(scene) {
      const [ours, theirs] = [scene.name('ours'), scene.name('theirs')]
      const nothing = { 'example.com/nobody-has-it': '1' }
      await scene.createPod(pausePod(ours, nothing, { schedulerName: 'berth-scheduler' }))
      await scene.createPod(pausePod(theirs, nothing))
      const { note } = await scene.untilEvent(ours, 'FailedScheduling')
      const upstream = await scene.untilEvent(theirs, 'FailedScheduling')
      // Before the colon of "preemption:" kube-scheduler also says that dynamic resources found nothing to take back.
      const [filters = '?', preemption] = note.split(' preemption: ')
      check(upstream.note.startsWith(filters), `${note}\n${upstream.note}`)
      check(upstream.note.endsWith(`preemption: ${preemption}`), `${note}\n${upstream.note}`)
    },
  },
  {
    name: 'the chaos scheduler draws a node for each pod, where scores always take the one that the pods prefer',
    component: 'scheduler',
    missing: 'scored-1',
    async run(scene) {
      const [preferred = ''] = scene.workers
      const affinity = preferenceFor(preferred)
      const place = async (stem: string, schedulerName: string): Promise<string> => {
        const name = scene.name(stem)
        await scene.createPod(pausePod(name, {}, { schedulerName, affinity }))
        const { note, reporter } = await scene.untilEvent(name, 'Scheduled')
        check(reporter === schedulerName, `${reporter} placed ${name}`)
        return note.split(' ').at(-1) ?? ''
      }
      for (const stem of ['scored-1', 'scored-2', 'scored-3']) {
        const node = await place(stem, 'berth-scheduler')
        check(node === preferred, `scores took ${node}, and ${preferred} is preferred`)
      }
      const drawn = new Set<string>()
      for (let i = 1; i <= MOST_DRAWS && drawn.size < scene.workers.length; i++) {
        drawn.add(await place(`chaos-${i}`, 'chaos-scheduler'))
      }
      check(drawn.size === scene.workers.length, `${MOST_DRAWS} draws gave nothing but ${[...drawn].join(', ')}`)
    },
  },
]

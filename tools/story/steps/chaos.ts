import { createPod, deletePod, untilPhase } from '../pods.ts'
import type { Step } from '../step.ts'
import { UnmetExpectationError } from '@berth/testing'

const count = 6

/** Schedules pods with a second schedulerName whose only score is random. */
export const chaosStep: Step = {
  title: 'Chaos: a second scheduler with random scores',
  async run(story) {
    const { narrator } = story
    narrator.explain(
      'schedulerName: chaos-scheduler is another profile of the same scheduler, with a plugin from plugins/chaos.',
    )
    const names = Array.from({ length: count }, (_, index) => `chaos-${index + 1}`)
    for (const name of names)
      await createPod(story, { name, requests: { cpu: '10m' }, schedulerName: 'chaos-scheduler' })
    const placed = new Map<string, number>()
    for (const name of names) {
      const { spec } = await untilPhase(story, name, 'Running')
      if (spec.schedulerName !== 'chaos-scheduler') throw new UnmetExpectationError(`${name} has another scheduler`)
      placed.set(spec.nodeName ?? '', (placed.get(spec.nodeName ?? '') ?? 0) + 1)
    }
    const shares = [...placed].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([node, pods]) => `${node} ${pods}`)
    narrator.observed(`${count} pods run: ${shares.join(', ')} (varies from run to run)`)
    for (const name of names) await deletePod(story, name)
  },
}

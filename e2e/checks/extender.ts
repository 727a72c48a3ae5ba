import { check, pausePod } from '../cluster/test-cluster.ts'
import type { BerthPlay } from './check.ts'

const LICENCE = 'example.com/licence'
const TOKEN = 'example.com/token'
const schedulerName = 'berth-kube-scheduler'

/**
 * Values for two resources that kube-scheduler is told to ignore. The extender alone judges one of them, and nobody the
 * other: without that one, kube-scheduler's own count would pass for the extender's.
 */
export const ignoredValues: unknown = {
  extender: {
    managedResources: [LICENCE, TOKEN].map((name) => ({ name, ignoredByScheduler: true })),
    config: { plugins: [{ name: 'NodeResourcesFit', args: { ignoredResources: [TOKEN] } }] },
  },
}

/** Values for the chaos extender: for every pod a coin decides about each node, and dice choose among the rest. */
export const chaosValues: unknown = {
  extender: {
    config: {
      plugins: [
        { name: 'chaos-coin-flip', args: { headsProbability: 0.5 } },
        { name: 'chaos-dice', weight: 1 },
      ],
    },
  },
}

/**
 * A resource that nobody counts: with the same kube-scheduler as {@link licencePlay}, and an extender that looks away. Where
 * kube-scheduler is not told to ignore it, it must not hold.
 */
export const uncountedPlay: BerthPlay = {
  name: 'tokens that kube-scheduler ignores and the extender passes over keep no pod back, though no node has one',
  component: 'extender',
  missing: 'to be bound without a token',
  async run(scene) {
    const [ours, theirs] = [scene.name('token-ours'), scene.name('token-theirs')]
    const tokens = { [TOKEN]: '5' }
    await scene.createPod(pausePod(theirs, tokens))
    await scene.createPod(pausePod(ours, tokens, { schedulerName }))
    await scene.until(`${ours} to be bound without a token`, async () =>
      (await scene.events()).find(({ pod, reason }) => pod === ours && reason === 'Scheduled'),
    )
    const { reporter } = await scene.untilEvent(ours, 'Scheduled')
    check(reporter === schedulerName, `${reporter} placed it`)
    await scene.untilEvent(theirs, 'FailedScheduling', /Insufficient example\.com\/token/)
  },
}

/** A resource that the extender alone counts. */
export const licencePlay: BerthPlay = {
  name: 'licences that kube-scheduler ignores are counted by the extender alone',
  component: 'extender',
  missing: 'licence-1',
  async run(scene) {
    const node = scene.workers[1] ?? ''
    const [first, second] = [scene.name('licence-1'), scene.name('licence-2')]
    await scene.advertise(node, LICENCE, '4')
    await scene.createPod(pausePod(first, { [LICENCE]: '3' }, { schedulerName }))
    const { spec } = await scene.untilRunning(first)
    check(spec?.nodeName === node, `${first} runs on ${spec?.nodeName}, where no licence is`)
    await scene.createPod(pausePod(second, { [LICENCE]: '2' }, { schedulerName }))
    const { note, reporter } = await scene.untilEvent(second, 'FailedScheduling', /Insufficient example\.com\/licence/)
    check(reporter === schedulerName, `${reporter} refused it`)
    // Both workers came to the extender: kube-scheduler itself turned away the control plane's taint only.
    check(/2 .*Insufficient example\.com\/licence/.test(note), note)
  },
}

/** The chapter's coin-flipping extender. */
export const chaosExtenderPlay: BerthPlay = {
  name: 'the chaos extender flips its coin for the nodes of kube-scheduler’s pods',
  component: 'extender',
  missing: 'a pod that heads let pass, and one that met tails only',
  async run(scene) {
    const names: string[] = []
    await scene.until('a pod that heads let pass, and one that met tails only', async () => {
      const events = (await scene.events()).filter(({ pod }) => names.includes(pod))
      const isPlaced = events.some(({ reason }) => reason === 'Scheduled')
      const isRefused = events.some(
        ({ reason, note }) => reason === 'FailedScheduling' && note.includes('coin is tails'),
      )
      if (isPlaced && isRefused) return true
      // One more toss, once the last one was decided.
      if (names.every((name) => events.some(({ pod }) => pod === name))) {
        const name = scene.name(`coin-${names.length}`)
        names.push(name)
        await scene.createPod(pausePod(name, {}, { schedulerName }))
      }
      return undefined
    })
  },
}

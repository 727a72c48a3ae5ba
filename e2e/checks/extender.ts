import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { createObject } from '../cluster/create-object.ts'
import { expectThat, pausePod } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'

const LICENCE = 'example.com/licence'
const schedulerName = 'berth-kube-scheduler'

/**
 * Chart values for a resource that kube-scheduler ignores and the extender counts. The extender refuses to start if it ignores the
 * resource as well.
 */
export const ignoredValues: unknown = {
  extender: {
    managedResources: [{ name: LICENCE, ignoredByScheduler: true }],
    config: { bind: true, plugins: [{ name: 'NodeResourcesFit' }] },
  },
}

/** Chart values for the chaos extender: one plugin accepts each node with a chance of one half, and another gives the remaining nodes random scores. */
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

/** Checks a resource that only the extender counts. */
export const licenceCheck: Check = {
  name: 'licences that kube-scheduler ignores are counted only by the extender',
  component: 'extender',
  failureText: 'licence-1',
  async run(testCluster) {
    const node = testCluster.workers[1] ?? ''
    const [first, second] = [testCluster.uniqueName('licence-1'), testCluster.uniqueName('licence-2')]
    await testCluster.advertise(node, LICENCE, '4')
    await testCluster.createPod(pausePod(first, { [LICENCE]: '3' }, { schedulerName }))
    const { spec } = await testCluster.untilRunning(first)
    expectThat(spec?.nodeName === node, `${first} runs on ${spec?.nodeName}, where no licence is`)
    await testCluster.createPod(pausePod(second, { [LICENCE]: '2' }, { schedulerName }))
    const { note, reporter } = await testCluster.untilEvent(
      second,
      'FailedScheduling',
      /Insufficient example\.com\/licence/,
    )
    expectThat(reporter === schedulerName, `${reporter} refused it`)
    // Both workers reached the extender: kube-scheduler itself rejected only the tainted control plane.
    expectThat(/2 .*Insufficient example\.com\/licence/.test(note), note)
    // Priority cannot preempt for an ignored resource.
    expectThat(/preemption: .*Preemption is not helpful for scheduling/.test(note), note)
  },
}

/**
 * Checks that kube-scheduler does not count an ignored resource and the extender enforces it. The difference shows in preemption: a
 * kube-scheduler that counts the resource makes room for a pod of high priority, one that ignores it sees no reason to.
 */
export const lastLicenceCheck: Check = {
  name: 'kube-scheduler sees no shortage of an ignored licence, for which another kube-scheduler preempts, and the extender keeps the last one',
  component: 'extender',
  failureText: 'last-licence',
  async run(testCluster) {
    const node = testCluster.workers[1] ?? ''
    const priorityClassName = testCluster.uniqueName('urgent')
    await createObject(testCluster, 'PriorityClass', priorityClassName, {
      apiVersion: 'scheduling.k8s.io/v1',
      value: 1_000,
    })
    await testCluster.advertise(node, LICENCE, '1')
    const create = async (stem: string, spec: Parameters<typeof pausePod>[2]): Promise<string> => {
      const name = testCluster.uniqueName(stem)
      await testCluster.createPod(pausePod(name, { [LICENCE]: '1' }, spec))
      return name
    }
    const holder = await create('last-licence', { schedulerName })
    await testCluster.untilRunning(holder)

    const refused = await create('refused', { schedulerName, priorityClassName })
    const { note } = await testCluster.untilEvent(refused, 'FailedScheduling')
    const isReadable =
      /^0\/\d+ nodes are available: .*\d Insufficient example\.com\/licence.* preemption: 0\/\d+ nodes are available: \d+ Preemption is not helpful for scheduling\.$/
    expectThat(isReadable.test(note), note)
    await testCluster.untilRunning(holder)

    const counting = await create('counting', { priorityClassName })
    const { note: preempted } = await testCluster.untilEvent(holder, 'Preempted')
    await testCluster.untilRunning(counting)
    const { status } = await testCluster.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: refused })
    expectThat(status?.phase === 'Pending', `${refused} is ${status?.phase} although ${counting} has the licence`)
    await testCluster.deletePod(counting)
    const { spec } = await testCluster.untilRunning(refused)
    expectThat(spec?.nodeName === node, `${refused} runs on ${spec?.nodeName}, where no licence is`)
    console.log(`ignored: ${note}\ncounted: ${preempted}`)
  },
}

/** Checks the coin-flipping extender. */
export const chaosExtenderCheck: Check = {
  name: 'the chaos extender flips a coin for each node of kube-scheduler’s pods',
  component: 'extender',
  failureText: 'a pod that passed with heads, and one that was refused with tails',
  async run(testCluster) {
    const names: string[] = []
    await testCluster.until('a pod that passed with heads, and one that was refused with tails', async () => {
      const events = (await testCluster.events()).filter(({ pod }) => names.includes(pod))
      const isPlaced = events.some(({ reason }) => reason === 'Scheduled')
      const isRefused = events.some(
        ({ reason, note }) => reason === 'FailedScheduling' && note.includes('coin is tails'),
      )
      if (isPlaced && isRefused) return true
      // Tosses once more after the last pod was decided.
      if (names.every((name) => events.some(({ pod }) => pod === name))) {
        const name = testCluster.uniqueName(`coin-${names.length}`)
        names.push(name)
        await testCluster.createPod(pausePod(name, {}, { schedulerName }))
      }
      return undefined
    })
  },
}

import type { Pod } from '@berth/types'
import { expectThat, pausePod, printingPod } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'

const SLICE = 'example.com/gpu-slice'
const DEVICE = `${SLICE}-device`
const QUOTA = 'example.com/gpu-slice-quota'

/** Chart values for a scheduler with two policies: slices of devices, and a quota of slices for each namespace. */
export const policyValues: unknown = {
  scheduler: {
    config: {
      profiles: [
        {
          schedulerName: 'berth-scheduler',
          plugins: { multiPoint: { enabled: [{ name: 'device-slices' }, { name: 'namespace-quota' }] } },
          pluginConfig: [
            { name: 'device-slices', args: { resource: SLICE, slicesPerDevice: 10 } },
            { name: 'namespace-quota', args: { resources: [{ name: SLICE, label: QUOTA }] } },
          ],
        },
      ],
    },
  },
}

/** Returns a pod that prints the device which the downward API shows to its container. */
function slicePod(name: string, slices: number): Pod {
  const printing = printingPod(name, { [SLICE]: String(slices) }, '"device " + process.env.DEVICE')
  const fieldRef = { fieldPath: `metadata.annotations['${DEVICE}']` }
  const containers = printing.spec.containers.map((container) => ({
    ...container,
    env: [{ name: 'DEVICE', valueFrom: { fieldRef } }],
  }))
  return { ...printing, spec: { ...printing.spec, schedulerName: 'berth-scheduler', containers } }
}

/** Checks that two policies hold together. */
export const policyChecks: readonly Check[] = [
  {
    name: 'a pod learns its device, and one above the quota of slices waits although a device has room',
    component: 'scheduler',
    failureText: 'sliced-1',
    async run(testCluster) {
      const node = testCluster.workers[1] ?? ''
      const label = (value: string): Promise<string> =>
        testCluster.kubectl('label', '--overwrite', 'namespace', 'default', `${QUOTA}${value}`)
      await testCluster.advertise(node, SLICE, '30')
      testCluster.addCleanup(async () => void (await label('-')))
      await label('=18')
      const [first, second, third, fourth] = ['sliced-1', 'sliced-2', 'sliced-3', 'sliced-4'].map(
        testCluster.uniqueName,
      ) as [string, string, string, string]
      const deviceOf = async (name: string): Promise<string | undefined> => {
        const { metadata } = await testCluster.untilRunning(name)
        const device = metadata.annotations?.[DEVICE]
        await testCluster.until(`${name} to print its device`, async () =>
          (await testCluster.kubectl('logs', '--namespace', 'default', name)).trim() === `device ${device}`
            ? true
            : undefined,
        )
        return device
      }
      await testCluster.createPod(slicePod(first, 7))
      expectThat((await deviceOf(first)) === '0', `${first} is not on the first device`)
      // The first device has only three free slices.
      await testCluster.createPod(slicePod(second, 7))
      expectThat((await deviceOf(second)) === '1', `${second} is not on the second device`)
      // Packed beside the first pod, so that the third device stays whole.
      await testCluster.createPod(slicePod(third, 3))
      expectThat((await deviceOf(third)) === '0', `${third} is not on the first device`)

      await testCluster.createPod(slicePod(fourth, 10))
      await testCluster.untilEvent(
        fourth,
        'FailedScheduling',
        /namespace default may hold 18 example\.com\/gpu-slice: it holds 17, and the pod requests 10/,
      )
      await label('=27')
      expectThat((await deviceOf(fourth)) === '2', `${fourth} is not on the third device`)

      // The quota has room for four more slices now, and no device has.
      await label('=40')
      const fifth = testCluster.uniqueName('sliced-5')
      await testCluster.createPod(pausePod(fifth, { [SLICE]: '4' }, { schedulerName: 'berth-scheduler' }))
      await testCluster.untilEvent(
        fifth,
        'FailedScheduling',
        /too few free slices|Insufficient example\.com\/gpu-slice/,
      )
      await testCluster.deletePod(first)
      expectThat(
        (await testCluster.untilRunning(fifth)).metadata.annotations?.[DEVICE] === '0',
        `${fifth} has no device`,
      )
    },
  },
]

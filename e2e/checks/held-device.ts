import { expectThat, printingPod, type TestCluster } from '../cluster/test-cluster.ts'

/** A running pod that holds devices. */
export interface HeldDevice {
  readonly pod: string
  /** Ids of the devices, separated by commas. */
  readonly id: string
  /** Checks that the pod still runs and was neither restarted nor replaced. */
  readonly expectUntouched: () => Promise<void>
}

/** Starts a pod that holds devices and prints their ids. */
export async function holdDevice(
  testCluster: TestCluster,
  resource: string,
  stem: string,
  { node, units = 1 }: { readonly node?: string; readonly units?: number } = {},
): Promise<HeldDevice> {
  const name = testCluster.uniqueName(stem)
  const variable = `BERTH_DEVICES_${resource.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`
  const { spec, ...pod } = printingPod(name, { [resource]: String(units) }, `'${name} ' + process.env.${variable}`)
  const nodeSelector = node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }
  await testCluster.createPod({ ...pod, spec: { ...spec, ...nodeSelector } })
  const { metadata } = await testCluster.untilRunning(name)
  const id = await testCluster.until(
    'the ids in the container',
    async () => new RegExp(`^${name} (\\S+)$`, 'm').exec(await testCluster.kubectl('logs', name))?.[1],
  )
  return {
    pod: name,
    id,
    async expectUntouched() {
      const now = await testCluster.untilRunning(name)
      const [status] = now.status?.containerStatuses ?? []
      const isSame = now.metadata.uid === metadata.uid && status?.restartCount === 0
      expectThat(isSame, `the pod that held ${id} was restarted or replaced`)
    },
  }
}

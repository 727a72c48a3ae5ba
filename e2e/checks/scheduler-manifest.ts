import { UnmetExpectationError } from '@berth/testing'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import { isSchedulerReady } from '../cluster/scheduler-manifest.ts'
import { onNode } from './kubelet.ts'
import type { Check } from './check.ts'

/** Returns the name of the node with kubeadm's manifests. */
export async function controlPlaneOf(testCluster: Pick<TestCluster, 'kubectl'>): Promise<string> {
  const label = 'node-role.kubernetes.io/control-plane'
  return (await testCluster.kubectl('get', 'nodes', '-l', label, '-o', 'jsonpath={.items[0].metadata.name}')).trim()
}

/** Waits until the pod of the manifest runs this image and its probes succeed. */
export async function untilSchedulerReady(testCluster: TestCluster, image: string): Promise<void> {
  const node = await controlPlaneOf(testCluster)
  const pod = ['pod', `kube-scheduler-${node}`, '-n', 'kube-system']
  await testCluster.until(`${node} to run ${image} and to pass its probes`, async () => {
    if (await isSchedulerReady(testCluster, node, image)) return true
    const state = await testCluster.kubectl('get', ...pod, '-o', 'jsonpath={.status.containerStatuses}')
    throw new UnmetExpectationError(state)
  })
}

/** Returns the programs that wrote an object, by its managed fields. */
async function writersOf(testCluster: TestCluster, ...object: readonly string[]): Promise<readonly string[]> {
  const path = 'jsonpath={.metadata.managedFields[*].manager}'
  const text = await testCluster.kubectl('get', ...object, '--show-managed-fields', '-o', path)
  return text.split(' ').filter((writer) => writer !== '')
}

/** The field manager of Berth's requests. kube-scheduler's is `kube-scheduler`. */
const BERTH = 'berth'

/** Waits until a program has written the Lease of kube-scheduler twice: one write might have been the last one of a holder that is gone. */
export async function untilHoldsLease(testCluster: TestCluster, program: 'berth' | 'kube-scheduler'): Promise<void> {
  const lease = ['lease', 'kube-scheduler', '-n', 'kube-system']
  const seen = new Set<string>()
  await testCluster.until(`${program} to write the Lease`, async () => {
    const writers = await writersOf(testCluster, ...lease)
    if (writers.length !== 1 || writers[0] !== program) return undefined
    seen.add(await testCluster.kubectl('get', ...lease, '-o', 'jsonpath={.spec.renewTime}'))
    return seen.size >= 2 ? true : undefined
  })
}

/**
 * Creates a pod of default-scheduler, waits until it runs, and fails unless `program` placed it.
 *
 * @param stem - Start of the pod's name; a check that calls this twice needs two.
 */
export async function expectPlacedBy(
  testCluster: TestCluster,
  program: 'berth' | 'kube-scheduler',
  stem = 'default-1',
): Promise<void> {
  const name = testCluster.uniqueName(stem)
  await testCluster.createPod(pausePod(name, {}, { schedulerName: 'default-scheduler' }))
  await testCluster.untilRunning(name)
  const { reporter } = await testCluster.untilEvent(name, 'Scheduled')
  expectThat(reporter === 'default-scheduler', `${reporter} placed it`)
  const events = ['events', '--field-selector', `involvedObject.name=${name},reason=Scheduled`]
  const path = 'jsonpath={.items[*].metadata.managedFields[*].manager}'
  const writers = await testCluster.kubectl('get', ...events, '--show-managed-fields', '-o', path)
  expectThat(writers === program, `the events of ${name} were written by ${writers}`)
}

/**
 * Checks of Berth in kubeadm's manifest. They fail while kube-scheduler runs from it.
 *
 * @param image - The image in the manifest.
 */
export const manifestChecks = (image: string): readonly Check[] => [
  {
    name: '/livez and /readyz on port 10259 answer the probes of the kubelet',
    component: 'scheduler',
    failureText: `to run ${image} and to pass its probes`,
    async run(testCluster) {
      await untilSchedulerReady(testCluster, image)
      for (const path of ['livez', 'readyz']) {
        const answer = await onNode(
          await controlPlaneOf(testCluster),
          `curl -sk -o /dev/null -w '%{http_code}' https://127.0.0.1:10259/${path}`,
        )
        expectThat(answer === '200', `/${path} answered ${answer}`)
      }
    },
  },
  {
    name: 'holds the Lease kube-system/kube-scheduler',
    component: 'scheduler',
    failureText: 'to write the Lease',
    run: (testCluster) => untilHoldsLease(testCluster, BERTH),
  },
  {
    name: 'binds a pod of default-scheduler',
    component: 'scheduler',
    failureText: 'were written by kube-scheduler',
    run: (testCluster) => expectPlacedBy(testCluster, BERTH),
  },
]

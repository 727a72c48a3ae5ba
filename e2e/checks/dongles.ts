import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Pod } from '@berth/types'
import { PAUSE_IMAGE, expectThat, type CheckFunction, type TestCluster } from '../cluster/test-cluster.ts'

/** The resource of the examples in `examples/dongle`. */
export const DONGLE = 'example.com/dongle'

/** Returns a pod of `examples/dongle` with a unique name and an image that the nodes have. */
function examplePod(testCluster: TestCluster, file: string): Pod {
  const path = join(import.meta.dirname, '..', '..', 'examples', 'dongle', file)
  const { metadata, spec } = parse(readFileSync(path, 'utf8')) as Required<Pick<Pod, 'metadata' | 'spec'>>
  const containers = spec.containers.map((container) => ({ ...container, image: PAUSE_IMAGE }))
  return {
    metadata: { name: testCluster.uniqueName(metadata.name ?? '') },
    spec: { ...spec, terminationGracePeriodSeconds: 1, containers },
  }
}

/** Checks that three of four dongles are allocated, and that a pod requesting two more waits with kube-scheduler's reason. */
export async function allocateThreeOfFour(testCluster: TestCluster, node: string): Promise<void> {
  await testCluster.untilUnits(node, DONGLE, '4/4')
  const first = examplePod(testCluster, 'extended-resource-pod.yaml')
  await testCluster.createPod(first)
  const running = await testCluster.untilRunning(first.metadata.name ?? '')
  expectThat(running.spec?.nodeName === node, `the pod runs on ${running.spec?.nodeName}, where no dongle is`)
  const second = examplePod(testCluster, 'extended-resource-pod-2.yaml')
  const name = second.metadata.name ?? ''
  await testCluster.createPod(second)
  const { note, reporter } = await testCluster.untilEvent(name, 'FailedScheduling', /Insufficient example\.com\/dongle/)
  expectThat(reporter === 'default-scheduler', `${reporter} and not kube-scheduler said: ${note}`)
  const described = await testCluster.kubectl('describe', 'pod', name)
  expectThat(/^Status:\s+Pending$/m.test(described), `kubectl describe does not say Pending:\n${described}`)
}

/** Checks the allocation with dongles that a JSON patch adds to a node's capacity and another one removes. */
export function patchedDonglesCheck(isPatched: boolean): CheckFunction {
  return async (testCluster) => {
    const node = testCluster.workers[1] ?? ''
    const path = `/status/capacity/${DONGLE.replace('/', '~1')}`
    const patch = (operation: object): Promise<string> =>
      testCluster.kubectl(
        'patch',
        'node',
        node,
        '--subresource=status',
        '--type=json',
        '-p',
        JSON.stringify([operation]),
      )
    if (isPatched) await patch({ op: 'add', path, value: '4' })
    try {
      await allocateThreeOfFour(testCluster, node)
    } finally {
      if (isPatched) await patch({ op: 'remove', path })
    }
    await testCluster.untilUnits(node, DONGLE, '-/-')
  }
}

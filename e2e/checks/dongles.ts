import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Pod } from '@berth/types'
import { PAUSE_IMAGE, check, type Scenario, type Scene } from '../cluster/test-cluster.ts'

/** The resource of the seed texts. */
export const DONGLE = 'example.com/dongle'

/** A pod of `examples/dongle`, under a name of this scene and with an image that the nodes have. */
function examplePod(scene: Scene, file: string): Pod {
  const path = join(import.meta.dirname, '..', '..', 'examples', 'dongle', file)
  const { metadata, spec } = parse(readFileSync(path, 'utf8')) as Required<Pick<Pod, 'metadata' | 'spec'>>
  const containers = spec.containers.map((container) => ({ ...container, image: PAUSE_IMAGE }))
  return {
    metadata: { name: scene.name(metadata.name ?? '') },
    spec: { ...spec, terminationGracePeriodSeconds: 1, containers },
  }
}

/** Three of four dongles are handed out; a pod that wants two more waits, and kube-scheduler says why. */
export async function allocateThreeOfFour(scene: Scene, node: string): Promise<void> {
  await scene.until(`four dongles on ${node}`, async () =>
    (await scene.units(node, DONGLE)) === '4/4' ? true : undefined,
  )
  const first = examplePod(scene, 'extended-resource-pod.yaml')
  await scene.createPod(first)
  const running = await scene.untilRunning(first.metadata.name ?? '')
  check(running.spec?.nodeName === node, `the pod runs on ${running.spec?.nodeName}, where no dongle is`)
  const second = examplePod(scene, 'extended-resource-pod-2.yaml')
  const name = second.metadata.name ?? ''
  await scene.createPod(second)
  const { note, reporter } = await scene.untilEvent(name, 'FailedScheduling', /Insufficient example\.com\/dongle/)
  check(reporter === 'default-scheduler', `${reporter} and not kube-scheduler said: ${note}`)
  const described = await scene.kubectl('describe', 'pod', name)
  check(/^Status:\s+Pending$/m.test(described), `kubectl describe does not say Pending:\n${described}`)
}

/** The seed's own way: one JSON patch of a node's capacity, and one that takes it back. */
export function patchedDongles(isPatched: boolean): Scenario {
  return async (scene) => {
    const node = scene.workers[1] ?? ''
    const path = `/status/capacity/${DONGLE.replace('/', '~1')}`
    const patch = (operation: object): Promise<string> =>
      scene.kubectl('patch', 'node', node, '--subresource=status', '--type=json', '-p', JSON.stringify([operation]))
    const untilUnits = (units: string): Promise<true> =>
      scene.until(`${units} dongles on ${node}`, async () =>
        (await scene.units(node, DONGLE)) === units ? true : undefined,
      )
    if (isPatched) await patch({ op: 'add', path, value: '4' })
    try {
      await allocateThreeOfFour(scene, node)
    } finally {
      if (isPatched) await patch({ op: 'remove', path })
    }
    await untilUnits('-/-')
  }
}

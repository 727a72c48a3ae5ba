import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { kubectlUnderTest, pausePod } from '../cluster/kubectl.ts'
import { onNode, startDevicePlugin, type NodeProgram } from '../cluster/node-container.ts'

const resource = 'example.com/slot'
const config = `
resources:
  - name: ${resource}
    source: path-glob
    args: { paths: [/tmp/berth-dev/slot*], healthFile: '/tmp/berth-dev/health-of-{name}', rescanSeconds: 1 }
`

describe('the device plugin under a real kubelet', () => {
  const kubectl = kubectlUnderTest()
  let node = ''
  let plugin: NodeProgram | undefined

  const slots = async (): Promise<string> => {
    const { status } = await kubectl.node(node)
    return `${status?.capacity?.[resource]}/${status?.allocatable?.[resource]}`
  }
  const untilSlots = (wanted: string): Promise<boolean> =>
    kubectl.until(`${wanted} slots`, async () => ((await slots()) === wanted ? true : undefined), 40_000)

  beforeAll(async () => {
    node = (await kubectl.workers())[0] ?? ''
    const make =
      'mkdir -p /tmp/berth-dev; for i in 0 1 2 3; do : > /tmp/berth-dev/slot$i; echo Healthy > /tmp/berth-dev/health-of-slot$i; done'
    await onNode(node, 'sh', '-c', make)
    plugin = await startDevicePlugin(node, config)
  })

  afterAll(async () => {
    await kubectl.attempt('delete', 'pod', 'slot-user', '--ignore-not-found')
    await plugin?.[Symbol.asyncDispose]()
  })

  test('is found by the kubelet, which counts its devices', async () => {
    expect(await untilSlots('4/4')).toBe(true)
  })

  test('a pod gets a device', async () => {
    await kubectl.apply(pausePod('slot-user', { [resource]: '1' }))
    const pod = await kubectl.until('the pod to run', async () => {
      const read = await kubectl.pod('slot-user')
      return read.status?.phase === 'Running' ? read : undefined
    })
    const held = pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus?.[0]
    expect(held).toMatchObject({ name: resource, resources: [{ health: 'Healthy' }] })
  })

  test('an unhealthy device leaves allocatable and comes back', async () => {
    await onNode(node, 'sh', '-c', 'echo Unhealthy > /tmp/berth-dev/health-of-slot3')
    expect(await untilSlots('4/3')).toBe(true)
    await onNode(node, 'sh', '-c', 'echo Healthy > /tmp/berth-dev/health-of-slot3')
    expect(await untilSlots('4/4')).toBe(true)
  })

  /** Every value that the node shows from now until it has shown `4/4` for 10 seconds. */
  const seenWhileSettling = async (): Promise<ReadonlySet<string>> => {
    const seen = new Set<string>()
    let steadySinceMs = performance.now()
    const deadlineMs = performance.now() + 90_000
    while (performance.now() - steadySinceMs < 10_000 && performance.now() < deadlineMs) {
      const attempt = await slots().catch(() => 'no answer')
      seen.add(attempt)
      if (attempt !== '4/4') steadySinceMs = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    return seen
  }

  test('capacity never falls when the kubelet restarts', async () => {
    await onNode(node, 'systemctl', 'restart', 'kubelet')
    expect([...(await seenWhileSettling())]).toEqual(['4/4'])
  })

  test('capacity comes back after the plugin was killed and started again', async () => {
    await plugin?.kill()
    await plugin?.start()
    await seenWhileSettling()
    expect(await slots()).toBe('4/4')
  })
})

import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { DONGLE, startTestNode, waitUntil, type StartedPlugin, type RegistrationMode } from './test-node.ts'

const modes: readonly { readonly mode: RegistrationMode }[] = [{ mode: 'watcher' }, { mode: 'classic' }]

/** A registration comes before its stream, and the node status may be older than both. */
const waitForStream = (plugin: StartedPlugin): Promise<true> =>
  waitUntil('the kubelet to follow the devices', async () => (plugin.problem() === undefined ? true : undefined))

describe.for(modes)('registration $mode', ({ mode }) => {
  test('counts devices, allocates them to a pod, and shows them in the pod status', async () => {
    await using testNode = await startTestNode()
    const plugin = testNode.startPlugin(mode)
    await testNode.waitForCounts('4/4')
    expect(plugin.problem()).toBeUndefined()

    const pod = await testNode.runPod('p', 2)
    expect(pod.status?.phase).toBe('Running')
    const env = testNode.kubelet.runOptions(pod, 'main').env.get('BERTH_DEVICES_EXAMPLE_COM_DONGLE') ?? ''
    const ids = env.split(',')
    expect(ids).toHaveLength(2)
    expect(ids).toEqual(ids.toSorted())
    const [shown] = pod.status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? []
    expect(shown).toMatchObject({
      name: DONGLE,
      resources: ids.map((resourceID) => ({ resourceID, health: 'Healthy' })),
    })

    const refused = await testNode.runPod('too-much', 3)
    expect(refused.status?.reason).toBe('UnexpectedAdmissionError')
  })

  test('registers once after a kubelet restart, and pods keep their devices', async () => {
    await using testNode = await startTestNode()
    const plugin = testNode.startPlugin(mode)
    await testNode.waitForCounts('4/4')
    const before = testNode.kubelet.runOptions(await testNode.runPod('p', 1), 'main')
    await testNode.kubelet.restart()
    await waitUntil('registered again', async () => ((await plugin.registrations()) > 1 ? true : undefined))
    await waitForStream(plugin)
    await testNode.waitForCounts('4/4')
    await setTimeout(1500)
    expect(await plugin.registrations()).toBe(2)
    expect(await testNode.counts()).toBe('4/4')
    expect((await testNode.pod('p')).status?.phase).toBe('Running')
    expect(testNode.kubelet.runOptions(await testNode.pod('p'), 'main')).toEqual(before)
  })

  test('registers with a kubelet that starts later', async () => {
    await using testNode = await startTestNode()
    await testNode.kubelet.stop()
    const plugin = testNode.startPlugin(mode)
    await setTimeout(700)
    expect(plugin.problem()).toBeDefined()
    await testNode.kubelet.start()
    await testNode.waitForCounts('4/4')
    expect(plugin.problem()).toBeUndefined()
  })

  test('replaces a socket that was deleted', async () => {
    await using testNode = await startTestNode()
    const plugin = testNode.startPlugin(mode)
    await testNode.waitForCounts('4/4')
    const dir = testNode.socketDir(mode)
    const name = (await readdir(dir)).find((each) => each.startsWith('berth-')) ?? ''
    await rm(join(dir, name))
    await waitUntil('another socket', async () => {
      const found = (await readdir(dir)).filter((each) => each.startsWith('berth-'))
      return found.length === 1 && found[0] !== name ? found : undefined
    })
    await waitUntil('registered again', async () => ((await plugin.registrations()) === 2 ? true : undefined))
    await waitForStream(plugin)
    await testNode.waitForCounts('4/4')
    expect(plugin.problem()).toBeUndefined()
  })

  test('ends the stream and deletes the socket on dispose, which sets allocatable to 0 and keeps capacity', async () => {
    await using testNode = await startTestNode()
    const plugin = testNode.startPlugin(mode)
    await testNode.waitForCounts('4/4')
    const start = performance.now()
    await plugin[Symbol.asyncDispose]()
    expect(performance.now() - start).toBeLessThan(3000)
    expect((await readdir(testNode.socketDir(mode))).filter((each) => each.startsWith('berth-'))).toEqual([])
    await testNode.waitForCounts('4/0')
  })

  test.for([
    { it: 'up to 1.36, which drops the new stream with the old one', hasStreamRace: true, registrations: 2 },
    { it: 'after 1.36', hasStreamRace: false, registrations: 1 },
  ])('keeps serving through an overlapping rolling update: kubelet $it', async ({ hasStreamRace, registrations }) => {
    await using testNode = await startTestNode({ hasStreamRace })
    const old = testNode.startPlugin(mode)
    await testNode.waitForCounts('4/4')
    const next = testNode.startPlugin(mode)
    await waitForStream(next)
    await old[Symbol.asyncDispose]()
    await waitUntil('registered', async () => ((await next.registrations()) === registrations ? true : undefined))
    await waitForStream(next)
    await testNode.waitForCounts('4/4')
    await setTimeout(300)
    expect(await testNode.counts()).toBe('4/4')
    expect(await next.registrations()).toBe(registrations)
    expect((await testNode.runPod('p', 1)).status?.phase).toBe('Running')
  })
})

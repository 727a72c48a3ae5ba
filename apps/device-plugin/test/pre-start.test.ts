import { credentials } from '@grpc/grpc-js'
import { DevicePluginClient } from '@berth/kubelet-api'
import type { DeviceSource } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestNode, waitUntil, type TestNode } from './test-node.ts'

const devices: readonly Device[] = [{ id: 'a', health: 'Healthy' }]
const probeMs = 100

function source(preStart?: DeviceSource['preStart']): DeviceSource {
  return {
    async *discover(signal) {
      yield devices
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    allocate: () => ({}),
    ...(preStart !== undefined && { preStart }),
  }
}

/** Calls the plugin's socket as the kubelet does. */
async function call<Response>(
  testNode: TestNode,
  start: (client: DevicePluginClient, done: (error: Error | null, response: Response) => void) => void,
): Promise<Response> {
  const directory = testNode.socketDir('watcher')
  const name = (await readdir(directory)).find((each) => each.startsWith('berth-')) ?? ''
  const client = new DevicePluginClient(`unix://${join(directory, name)}`, credentials.createInsecure())
  try {
    return await new Promise<Response>((resolve, reject) => {
      start(client, (error, response) => (error === null ? resolve(response) : reject(error)))
    })
  } finally {
    client.close()
  }
}

test('the kubelet calls the hook of the source before a container starts', async () => {
  await using testNode = await startTestNode()
  const prepared: string[] = []
  const preStart = async (ids: readonly string[]) => void prepared.push(...ids)
  testNode.startPlugin('watcher', { source: source(preStart) })
  await testNode.waitForCounts('1/1')
  await testNode.runPod('p', 1)
  expect(prepared).toEqual(['a'])
})

test('the kubelet gets the reason of a failed preparation', async () => {
  await using testNode = await startTestNode()
  const failing = source(async () => Promise.reject(new Error('the card does not reset')))
  const plugin = testNode.startPlugin('watcher', { source: failing })
  await testNode.waitForCounts('1/1')
  const prepare = (id: string) => call(testNode, (client, done) => client.preStartContainer({ devicesIds: [id] }, done))
  await expect(prepare('a')).rejects.toMatchObject({ details: 'prepare example.com/dongle a: the card does not reset' })
  const unknown = { details: 'prepare example.com/dongle x: the device does not exist' }
  await expect(prepare('x')).rejects.toMatchObject(unknown)
  // Listed, although the source does not find it.
  plugin.hold(['x'], performance.now())
  await testNode.waitForCounts('2/1')
  await expect(prepare('x')).rejects.toMatchObject(unknown)
})

test('a configuration that adds preStart registers once more, because the kubelet reads the options only then', async () => {
  await using testNode = await startTestNode()
  const options = () =>
    call<{ preStartRequired: boolean }>(testNode, (client, done) => client.getDevicePluginOptions({}, done))
  const plugin = testNode.startPlugin('watcher', { source: source() })
  await testNode.waitForCounts('1/1')
  expect(await options()).toMatchObject({ preStartRequired: false })
  plugin.reconfigure({ source: source(async () => {}), keepMissingMs: 0, probeMs })
  await waitUntil('the second registration', async () => ((await plugin.registrations()) === 2 ? true : undefined))
  await testNode.waitForCounts('1/1')
  expect(await options()).toMatchObject({ preStartRequired: true })
  plugin.reconfigure({ source: source(async () => {}), keepMissingMs: 0, probeMs })
  await testNode.runPod('p', 1)
  expect(await plugin.registrations()).toBe(2)
})

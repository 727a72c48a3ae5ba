import { systemClock } from '@berth/clock'
import { createServer, request } from 'node:http'
import type { DeviceSource } from '@berth/plugin-api'
import { silentLogger, type Device } from '@berth/types'
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openCdiDirectory } from '../src/node-helper/cdi-directory.ts'
import { createNodeHelperClient } from '../src/node-helper/node-helper-client.ts'
import { listPodDevices } from '../src/node-helper/pod-devices.ts'
import { serveNodeHelper } from '../src/node-helper/serve-node-helper.ts'
import { DONGLE, startTestNode, waitUntil, type TestNode } from './test-node.ts'

const CLASS = 'example-com-dongle-8db8f1d1'
const clock = systemClock()

/** Starts the node helper of a test node. Its CDI directory is `cdi`. */
async function startHelper(testNode: TestNode): Promise<AsyncDisposable> {
  const cdi = await openCdiDirectory(join(testNode.dir, 'cdi'), 'berth')
  const list = (signal: AbortSignal) => listPodDevices(join(testNode.dir, 'pod-resources'), signal)
  return serveNodeHelper(join(testNode.dir, 'helper.sock'), { cdi, listPodDevices: list }, silentLogger)
}

const clientOf = (testNode: TestNode) => createNodeHelperClient(join(testNode.dir, 'helper.sock'), clock)

/** A source with one dongle, whose device node is reached through a link. */
function dongleSource(link: string): { readonly source: DeviceSource; readonly plugIn: (real: string) => void } {
  let device: Device = { id: 'a', health: 'Healthy', paths: [link] }
  let notify = (): void => {}
  return {
    source: {
      async *discover(signal) {
        while (!signal.aborted) {
          yield [device]
          await new Promise<void>((resolve) => {
            notify = resolve
            signal.addEventListener('abort', () => resolve())
          })
        }
      },
      allocate: () => ({
        env: { OWN: '1' },
        deviceNodes: [{ hostPath: link, containerPath: '/dev/dongle', permissions: 'rw' }],
        mounts: [{ hostPath: '/opt/dongle', containerPath: '/opt/dongle', readOnly: true }],
        cdiDevices: ['vendor.com/card=0'],
      }),
    },
    plugIn(real) {
      device = { ...device, paths: [link, real] }
      notify()
    },
  }
}

async function specOf(testNode: TestNode): Promise<unknown> {
  return JSON.parse(await readFile(join(testNode.dir, 'cdi', `berth.${CLASS}.json`), 'utf8'))
}

test('a plugin that stands by writes its CDI file only when it may serve', async () => {
  await using testNode = await startTestNode()
  await using _helper = await startHelper(testNode)
  const written: string[] = []
  const { source } = dongleSource(join(testNode.dir, 'link'))
  const turn = Promise.withResolvers<void>()
  const client = clientOf(testNode)
  const nodeHelper = {
    putCdi: async (...file: Parameters<typeof client.putCdi>) => {
      written.push(file[0])
      await client.putCdi(...file)
    },
  }
  const plugin = testNode.startPlugin('watcher', { source, usesCdi: true, nodeHelper, turn: turn.promise })
  await waitUntil('the standby to be ready', async () =>
    plugin.devices().length === 1 && plugin.problem() === undefined ? true : undefined,
  )
  expect(written).toEqual([])
  expect(await readdir(testNode.socketDir('watcher'))).toEqual([])
  turn.resolve()
  await testNode.waitForCounts('1/1')
  await waitUntil('the CDI file', async () => (written.includes(CLASS) ? true : undefined))
})

test('a container gets a CDI name, and the file follows the device to another path under the same name', async () => {
  await using testNode = await startTestNode()
  await using _helper = await startHelper(testNode)
  const link = join(testNode.dir, 'by-id')
  for (const name of ['ttyUSB0', 'ttyUSB1']) await writeFile(join(testNode.dir, name), '')
  await symlink('ttyUSB0', link)
  const { source, plugIn } = dongleSource(link)
  testNode.startPlugin('watcher', { source, usesCdi: true, nodeHelper: clientOf(testNode) })
  await testNode.waitForCounts('1/1')
  const pod = await testNode.runPod('p', 1)
  const options = testNode.kubelet.runOptions(pod, 'main')
  expect(options.cdiDevices).toEqual(['vendor.com/card=0', `berth.dev/${CLASS}=a`])
  expect([options.devices, options.mounts]).toEqual([[], []])
  expect(Object.fromEntries(options.env)).toEqual({
    BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'a',
    BERTH_PATHS_EXAMPLE_COM_DONGLE: '/dev/dongle,/opt/dongle',
    OWN: '1',
  })
  const spec = (node: string) => ({
    cdiVersion: '0.5.0',
    kind: `berth.dev/${CLASS}`,
    devices: [
      {
        name: 'a',
        containerEdits: {
          deviceNodes: [{ path: '/dev/dongle', hostPath: join(testNode.dir, node), permissions: 'rw' }],
          mounts: [{ hostPath: '/opt/dongle', containerPath: '/opt/dongle', options: ['rbind', 'rprivate', 'ro'] }],
        },
      },
    ],
  })
  expect(await specOf(testNode)).toEqual(spec('ttyUSB0'))

  await rm(link)
  await symlink('ttyUSB1', link)
  plugIn(join(testNode.dir, 'ttyUSB1'))
  await expect.poll(() => specOf(testNode), { timeout: 60_000 }).toEqual(spec('ttyUSB1'))
})

test('devices without device nodes and mounts have no CDI file', async () => {
  await using testNode = await startTestNode()
  await using _helper = await startHelper(testNode)
  testNode.startPlugin('watcher', { usesCdi: true, nodeHelper: clientOf(testNode) })
  await testNode.waitForCounts('4/4')
  const pod = await testNode.runPod('p', 1)
  expect(testNode.kubelet.runOptions(pod, 'main').cdiDevices).toEqual([])
  expect(await readdir(join(testNode.dir, 'cdi'))).toEqual([])
})

test('refuses an allocation while the node helper is away, says so, and recovers', async () => {
  await using testNode = await startTestNode()
  const { source } = dongleSource('/dev/null')
  const plugin = testNode.startPlugin('watcher', { source, usesCdi: true, nodeHelper: clientOf(testNode) })
  await testNode.waitForCounts('1/1')
  const failed = await testNode.runPod('early', 1)
  expect(failed.status).toMatchObject({
    phase: 'Failed',
    message: expect.stringContaining('call the node helper at') as string,
  })
  await testNode.waitForCounts('1/0')
  expect(await waitUntil('the reason', async () => plugin.problem())).toContain('the CDI file is not up to date: call')

  await using _helper = await startHelper(testNode)
  await testNode.waitForCounts('1/1')
  expect((await testNode.runPod('late', 1)).status?.phase).toBe('Running')
  expect(plugin.problem()).toBeUndefined()
  expect(await specOf(testNode)).toMatchObject({ devices: [{ name: 'a' }] })
})

test('the node helper lists the devices of each container', async () => {
  await using testNode = await startTestNode()
  await using _helper = await startHelper(testNode)
  testNode.startPlugin('watcher')
  await testNode.waitForCounts('4/4')
  await testNode.runPod('p', 2)
  const held = await clientOf(testNode).listPodDevices()
  expect(held).toEqual([
    {
      namespace: 'default',
      pod: 'p',
      container: 'main',
      resourceName: DONGLE,
      ids: [expect.any(String), expect.any(String)],
    },
  ])
})

/** Sends a request to the helper's socket. Returns its status and text. */
function send(testNode: TestNode, path: string, body: string): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: join(testNode.dir, 'helper.sock'), method: 'PUT', path }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.once('end', () => resolve([response.statusCode, text]))
    })
    call.once('error', reject)
    call.end(body)
  })
}

test('the node helper writes no hooks, and nothing outside its directory', async () => {
  await using testNode = await startTestNode()
  await using _helper = await startHelper(testNode)
  const hooks = [{ hookName: 'createContainer', path: '/bin/sh' }]
  const edits = { deviceNodes: [{ path: '/dev/a', hostPath: '/dev/a', permissions: 'rw' }] }
  const put = (path: string, containerEdits: object) =>
    send(testNode, path, JSON.stringify([{ name: 'a', containerEdits }]))
  expect(await put('/cdi/x', { ...edits, hooks })).toEqual([400, expect.stringContaining('hooks')])
  expect(await put('/cdi/..%2fx', edits)).toEqual([404, 'not found\n'])
  expect(await send(testNode, '/cdi/x', 'no JSON')).toEqual([500, expect.stringContaining('JSON')])
  expect(await readdir(join(testNode.dir, 'cdi'))).toEqual([])
  expect(await put('/cdi/x', edits)).toEqual([204, ''])
})

test('every user may call the socket, and later files have their usual mode', async () => {
  await using testNode = await startTestNode()
  const before = process.umask()
  await using _helper = await startHelper(testNode)
  expect((await stat(join(testNode.dir, 'helper.sock'))).mode & 0o777).toBe(0o666)
  expect(process.umask()).toBe(before)
})

test('a part that is off says which flag is missing, and a helper that does not answer is given up', async () => {
  await using testNode = await startTestNode()
  const socket = join(testNode.dir, 'helper.sock')
  {
    await using _helper = await serveNodeHelper(socket, {}, silentLogger)
    const helper = createNodeHelperClient(socket, clock)
    await expect(helper.putCdi('x', [])).rejects.toThrow('started without --cdi-directory')
    await expect(helper.listPodDevices()).rejects.toThrow('started without --pod-resources-directory')
  }
  const silent = createServer(() => {}).listen(socket)
  try {
    const waits: (() => void)[] = []
    const impatient = {
      ...clock,
      setTimer: (_ms: number, task: () => void) => (waits.push(task), { cancel: () => {} }),
    }
    const answer = createNodeHelperClient(socket, impatient).listPodDevices().catch(String)
    await waitUntil('the call', async () => waits[0])
    waits[0]?.()
    expect(await answer).toContain('no answer within 5 s')
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})

import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '@berth/clock'
import { createNodeHelperClient } from '../src/node-helper/node-helper-client.ts'
import { DONGLE, startTestNode, waitUntil } from './test-node.ts'

const root = join(import.meta.dirname, '..')

interface Running {
  readonly child: ChildProcess
  /** Returns the output so far. */
  readonly output: () => string
  readonly exit: Promise<number | null>
}

function start(...args: string[]): Running {
  const argv = ['--conditions=@berth/source', 'src/main.ts', '--health-address=127.0.0.1:0', ...args]
  const child = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  // `close` comes after all output was read; `exit` may come earlier.
  const exit = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  return { child, output: () => output, exit }
}

const four = `[{name: ${DONGLE}, source: count, args: {count: 4}}]`

async function healthAddress(running: Running): Promise<string> {
  const line = await waitUntil('the health address', async () => /"address":"([^"]+)"/u.exec(running.output())?.[1])
  return `http://${line}`
}

test('removes the stale socket of a killed process, and stops cleanly on SIGTERM', async () => {
  await using testNode = await startTestNode()
  const dir = testNode.socketDir('watcher')
  const first = start('--resources', four, '--plugins-registry', dir)
  await testNode.waitForCounts('4/4')
  first.child.kill('SIGKILL')
  await first.exit
  await testNode.waitForCounts('4/0')
  const [stale = ''] = await readdir(dir)
  expect(stale).toMatch(/^berth-.*\.sock$/u)

  const second = start('--resources', four, '--plugins-registry', dir)
  await testNode.waitForCounts('4/4')
  expect(await readdir(dir)).not.toContain(stale)
  const health = await healthAddress(second)
  expect((await fetch(`${health}/readyz`)).status).toBe(200)
  // The kubelet counts devices as soon as the stream is open, and confirms the registration afterwards.
  const metrics = await waitUntil('the kubelet to say that it is registered', async () => {
    const text = await (await fetch(`${health}/metrics`)).text()
    return text.includes('berth_device_plugin_registrations_total{') ? text : undefined
  })
  expect(metrics).toContain(`berth_device_plugin_devices{resource_name="${DONGLE}",health="Healthy"} 4`)
  expect(metrics).toContain(`berth_device_plugin_registrations_total{resource_name="${DONGLE}",result="ok"} 1`)

  const before = performance.now()
  second.child.kill('SIGTERM')
  expect(await second.exit).toBe(0)
  expect(performance.now() - before).toBeLessThan(3000)
  expect(await readdir(dir)).toEqual([])
  expect(second.output()).toContain('"reason":"SIGTERM"')
})

test.for<NodeJS.Signals>(['SIGTERM', 'SIGKILL'])(
  'a standby is ready, changes nothing, and takes over when the process that serves ends by %s',
  async (signal) => {
    await using testNode = await startTestNode({ hasStreamRace: true })
    const dir = testNode.socketDir('watcher')
    const argv = ['--resources', four, '--plugins-registry', dir, '--standby']
    const old = start(...argv)
    await testNode.waitForCounts('4/4')
    const sockets = await readdir(dir)
    const next = start(...argv)
    const health = await healthAddress(next)
    const scrape = async (): Promise<string> => (await fetch(`${health}/metrics`)).text()
    await waitUntil('the standby to be ready', async () =>
      (await fetch(`${health}/readyz`)).ok && (await scrape()).includes('berth_device_plugin_standing_by 1')
        ? true
        : undefined,
    )
    expect(await scrape()).not.toContain('berth_device_plugin_registrations_total{')
    expect(await readdir(dir)).toEqual(sockets)
    expect((await testNode.runPod('before', 1)).status?.phase).toBe('Running')

    old.child.kill(signal)
    await old.exit
    const registered = `berth_device_plugin_registrations_total{resource_name="${DONGLE}",result="ok"} 1`
    await waitUntil('the standby to register', async () => ((await scrape()).includes(registered) ? true : undefined))
    await testNode.waitForCounts('4/4')
    expect(await scrape()).toContain('berth_device_plugin_standing_by 0')
    expect((await testNode.runPod('after', 1)).status?.phase).toBe('Running')
    expect(await scrape()).toContain(registered)
  },
)

test('a standby goes on waiting while the process that serves opens a new socket', async () => {
  await using testNode = await startTestNode({ hasStreamRace: true })
  const dir = testNode.socketDir('watcher')
  const argv = ['--resources', four, '--plugins-registry', dir, '--standby']
  const old = start(...argv)
  await testNode.waitForCounts('4/4')
  const next = start(...argv)
  await waitUntil('the standby', async () => (next.output().includes('Standing by') ? true : undefined))
  for (const name of await readdir(dir)) if (name.startsWith('berth-')) await rm(join(dir, name))
  const streams = () => old.output().split('Kubelet opened the device stream').length - 1
  await waitUntil('the new socket of the old process', async () => (streams() === 2 ? true : undefined))
  await testNode.waitForCounts('4/4')
  next.child.kill('SIGTERM')
  await next.exit
  expect(next.output()).not.toContain('Waiting for the kubelet')
})

test.for([{ isUninstalled: false }, { isUninstalled: true }])(
  'a standby that is stopped ends without having served (uninstall: $isUninstalled)',
  async ({ isUninstalled }) => {
    await using testNode = await startTestNode()
    const announcement = join(testNode.dir, 'uninstall-until')
    const argv = ['--resources', four, '--plugins-registry', testNode.socketDir('watcher'), '--standby']
    start(...argv)
    await testNode.waitForCounts('4/4')
    const next = start(...argv, '--uninstall-file', announcement)
    await waitUntil('the standby', async () => (next.output().includes('Standing by') ? true : undefined))
    if (isUninstalled) await writeFile(announcement, new Date(Date.now() + 300_000).toISOString())
    next.child.kill('SIGTERM')
    expect(await next.exit).toBe(0)
    expect(next.output()).not.toContain('Waiting for the kubelet')
    expect(await testNode.counts()).toBe('4/4')
  },
)

test('an announced uninstall withdraws all devices first, and an upgrade only ends the stream', async () => {
  await using testNode = await startTestNode()
  const announcement = join(testNode.dir, 'uninstall-until')
  const argv = ['--resources', four, '--plugins-registry', testNode.socketDir('watcher')]
  const upgraded = start(...argv, '--uninstall-file', announcement)
  await testNode.waitForCounts('4/4')
  const holder = await testNode.runPod('holder', 1)
  upgraded.child.kill('SIGTERM')
  await upgraded.exit
  await testNode.waitForCounts('4/0')

  const uninstalled = start(...argv, '--uninstall-file', announcement)
  await testNode.waitForCounts('4/4')
  await writeFile(announcement, new Date(Date.now() + 300_000).toISOString())
  await testNode.waitForCounts('0/0')
  expect((await testNode.pod(holder.metadata.name ?? '')).status?.phase).toBe('Running')
  uninstalled.child.kill('SIGTERM')
  expect(await uninstalled.exit).toBe(0)
  await testNode.waitForCounts('0/0')
})

test('an announcement that comes with the signal to stop withdraws the devices too', async () => {
  await using testNode = await startTestNode()
  const announcement = join(testNode.dir, 'uninstall-until')
  const argv = ['--resources', four, '--plugins-registry', testNode.socketDir('watcher')]
  const running = start(...argv, '--uninstall-file', announcement)
  await testNode.waitForCounts('4/4')
  await writeFile(announcement, new Date(Date.now() + 300_000).toISOString())
  running.child.kill('SIGTERM')
  expect(await running.exit).toBe(0)
  await testNode.waitForCounts('0/0')
})

test('a changed configuration file changes the devices in the same stream, and an invalid one changes nothing', async () => {
  await using testNode = await startTestNode()
  const file = join(testNode.dir, 'config.yaml')
  const entry = (name: string, args: string, more = ''): string =>
    `{name: ${name}, source: count, args: ${args}${more}}`
  const write = (...entries: readonly string[]) => writeFile(file, `resources: [${entries.join(', ')}]\n`)
  await write(entry(DONGLE, '{count: 4}'))
  const running = start('--config', file, '--plugins-registry', testNode.socketDir('watcher'))
  await testNode.waitForCounts('4/4')
  const holder = await testNode.runPod('holder', 1)
  const health = await healthAddress(running)
  const metric = async (line: string): Promise<true> =>
    waitUntil(line, async () =>
      (await (await fetch(`${health}/metrics`)).text()).includes(`${line}\n`) ? true : undefined,
    )

  await write(entry(DONGLE, '{count: 6}', ', health: [{type: exists, path: /dev/null}]'))
  await testNode.waitForCounts('6/6')
  await metric('berth_device_plugin_config_reloads_total{result="applied"} 1')
  await metric(`berth_device_plugin_registrations_total{resource_name="${DONGLE}",result="ok"} 1`)

  await write(entry(DONGLE, '{count: 8}'), entry('other.com/dongle', '{count: 1}'))
  await metric('berth_device_plugin_config_reloads_total{result="refused"} 1')
  expect(running.output()).toContain('resources[0] has the ids dongle-0, … too')
  expect(await testNode.counts()).toBe('6/6')

  await write(entry('other.com/dongle', '{count: 1}'))
  await testNode.waitForCounts('0/0')
  await write(entry(DONGLE, '{count: 2, idPrefix: x}'), entry('other.com/dongle', '{count: 1}'))
  await testNode.waitForCounts('2/2')
  expect((await testNode.pod(holder.metadata.name ?? '')).status?.phase).toBe('Running')
  await waitUntil('both resources to be ready', async () => {
    const text = await (await fetch(`${health}/readyz?verbose`)).text()
    return text.match(/\[\+\].*dongle ok/gu)?.length === 2 ? true : undefined
  })
})

test('validate accepts a configuration without looking for devices, and names the mistake in another one', async () => {
  const valid = start('validate', '--resources', four)
  expect(await valid.exit).toBe(0)
  expect(valid.output()).toBe(`${DONGLE}: count\nvalid resources: 1\n`)
  for (const [resources, says] of [
    [`[{name: ${DONGLE}, source: count, args: {cuont: 4}}]`, 'resources[0].args'],
    [`[{name: ${DONGLE}, source: moons}]`, `resources[0] (${DONGLE}): use device-source plugin "moons"`],
    [
      '[{name: a.com/a, source: usb, args: {devices: [{port: 1-1}]}}, {name: b.com/b, source: usb, args: {}}]',
      'resources[1] (b.com/b): read the arguments of plugin usb: args.devices: ',
    ],
  ] as const) {
    const invalid = start('validate', '--resources', resources)
    expect(await invalid.exit).not.toBe(0)
    expect(invalid.output()).toContain(says)
  }
})

test('names the unregistered resource and the reason in /readyz', async () => {
  await using testNode = await startTestNode()
  await testNode.kubelet.stop()
  const running = start('--resources', four, '--plugins-registry', testNode.socketDir('watcher'))
  const health = await healthAddress(running)
  const text = await waitUntil('a reason', async () => {
    const answer = await (await fetch(`${health}/readyz?verbose`)).text()
    return answer.includes('has not contacted') ? answer : undefined
  })
  expect(text).toContain(`[-]${DONGLE} failed: the kubelet has not contacted the socket yet`)
  const live = await fetch(`${health}/livez?verbose`)
  expect([live.status, await live.text()]).toEqual([200, expect.stringContaining(`[+]${DONGLE} socket ok\n`)])
})

test('fails with one clear error when the socket directory is missing', async () => {
  const running = start('--resources', four, '--plugins-registry', '/nonexistent/registry')
  expect(await running.exit).toBe(1)
  expect(running.output()).toBe(
    "use /nonexistent/registry for the plugin's sockets (--plugins-registry): it does not exist. Mount that host directory into the container, writable for this user, or set another directory with the flag. (BERTH_DEVICE_PLUGIN_SOCKET_DIR)\n",
  )
})

test('serves a resource with a device source from --plugin-dir', async () => {
  await using testNode = await startTestNode()
  const plugins = join(testNode.dir, 'plugins')
  await mkdir(plugins)
  await writeFile(
    join(plugins, 'moons.mjs'),
    `import { z } from 'zod'
    export const plugin = {
      kind: 'device-source', apiVersion: 'berth.dev/v1', name: 'moons', description: 'Moons of a planet.',
      argsSchema: z.strictObject({ names: z.array(z.string()) }),
      create: ({ names }) => ({
        async *discover(signal) {
          yield names.map((id) => ({ id, health: 'Healthy' }))
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
        },
        allocate: (ids) => ({ env: { MOONS: ids.join('+') } }),
      }),
    }`,
  )
  await chmod(plugins, 0o755)
  const resources = `[{name: ${DONGLE}, source: moons, args: {names: [phobos, deimos]}}]`
  start('--resources', resources, '--plugin-dir', plugins, '--plugins-registry', testNode.socketDir('watcher'))
  await testNode.waitForCounts('2/2')
  const pod = await testNode.runPod('p', 2)
  expect(testNode.kubelet.runOptions(pod, 'main').env.get('MOONS')).toBe('deimos+phobos')
})

test('serves a resource with a device source that was built for the previous version of the contract', async () => {
  await using testNode = await startTestNode()
  const plugins = join(root, '../../packages/plugin-api/test/previous-version')
  const file = join(testNode.dir, 'seats')
  await writeFile(file, 'one\ntwo\nthree\n')
  const resources = `[{name: ${DONGLE}, source: example-seat-file, args: {file: ${file}}}]`
  start('--resources', resources, '--plugin-dir', plugins, '--plugins-registry', testNode.socketDir('watcher'))
  await testNode.waitForCounts('3/3')
  const pod = await testNode.runPod('p', 3)
  expect(testNode.kubelet.runOptions(pod, 'main').env.get('SEATS')).toBe('one,three,two')
})

test('logs the name of a plugin whose source fails', async () => {
  await using testNode = await startTestNode()
  const plugins = join(testNode.dir, 'plugins')
  await mkdir(plugins)
  await writeFile(
    join(plugins, 'broken.mjs'),
    `import { z } from 'zod'
    export const plugin = {
      kind: 'device-source', apiVersion: 'berth.dev/v1', name: 'broken', description: 'D.', argsSchema: z.strictObject({}),
      create: () => ({ async *discover() { yield 'no list' }, allocate: () => ({}) }),
    }`,
  )
  const resources = `[{name: ${DONGLE}, source: broken}]`
  const argv = ['--resources', resources, '--plugin-dir', plugins, '--plugins-registry', testNode.socketDir('watcher')]
  const running = start(...argv)
  const line = await waitUntil('the log line of the failure', async () =>
    running
      .output()
      .split('\n')
      .find((text) => text.includes('"err"')),
  )
  expect(JSON.parse(line)).toMatchObject({
    plugin: 'broken',
    resourceName: DONGLE,
    err: { message: expect.stringContaining('discover yielded "no list", expected an array of devices') },
  })
})

test('discover prints the devices without a kubelet', async () => {
  const table = start('discover', '--resources', four)
  expect(await table.exit).toBe(0)
  expect(table.output().split('\n').slice(0, 2)).toEqual([
    'RESOURCE            DEVICE    HEALTH   NUMA  PATHS',
    'example.com/dongle  dongle-0  Healthy  -     -',
  ])
  const json = start('--dry-run', '-o', 'json', '--resources', four)
  expect(await json.exit).toBe(0)
  expect(JSON.parse(json.output())).toMatchObject({
    resources: [{ name: DONGLE, devices: [{ id: 'dongle-0' }, {}, {}, {}] }],
  })
})

test('the node helper deletes its CDI files when an uninstall is announced, and an upgrade leaves them', async () => {
  await using testNode = await startTestNode()
  const [socket, cdi, announcement] = ['helper.sock', 'cdi', 'uninstall-until'].map((name) => join(testNode.dir, name))
  const args = ['--node-helper', socket ?? '', '--cdi-directory', cdi ?? '', '--uninstall-file', announcement ?? '']
  const run = async (): Promise<Running> => {
    const helper = start('node-helper', ...args)
    await healthAddress(helper)
    return helper
  }
  const upgraded = await run()
  await createNodeHelperClient(socket ?? '', systemClock()).putCdi('dongle', [
    { name: 'a', containerEdits: { deviceNodes: [{ path: '/dev/a', hostPath: '/dev/a', permissions: 'rw' }] } },
  ])
  upgraded.child.kill('SIGTERM')
  expect(await upgraded.exit).toBe(0)
  expect(await readdir(cdi ?? '')).toEqual(['berth.dongle.json'])

  const uninstalled = await run()
  await writeFile(announcement ?? '', new Date(Date.now() + 300_000).toISOString())
  uninstalled.child.kill('SIGTERM')
  expect(await uninstalled.exit).toBe(0)
  expect(await readdir(cdi ?? '')).toEqual([])
})

test('shows which pod holds which device, and keeps a held device that disappears as unhealthy, with a node helper', async () => {
  await using testNode = await startTestNode()
  const [socket = '', ports = ''] = ['helper.sock', 'ports'].map((name) => join(testNode.dir, name))
  await mkdir(ports)
  for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(ports, name), '')
  const podResources = join(testNode.dir, 'pod-resources')
  const helper = start('node-helper', '--node-helper', socket, '--pod-resources-directory', podResources)
  await healthAddress(helper)
  const resources = `[{name: ${DONGLE}, source: path-glob, args: {paths: ['${ports}/*']}}]`
  const directory = testNode.socketDir('watcher')
  const argv = ['--resources', resources, '--node-helper', socket, '--pod-resources', '--plugins-registry', directory]
  const first = start(...argv)
  await testNode.waitForCounts('4/4')
  const holder = await testNode.runPod('holder', 2)
  first.child.kill('SIGTERM')
  await first.exit
  // It asks at its start, and then every ten seconds.
  const health = await healthAddress(start(...argv))
  const line = `berth_device_plugin_pod_devices{resource_name="${DONGLE}",namespace="default",pod="holder"} 2`
  await waitUntil('the metric', async () =>
    (await (await fetch(`${health}/metrics`)).text()).includes(line) ? true : undefined,
  )
  const page = await waitUntil('the page', async () => {
    const text = await (await fetch(`${health}/debug/devices`)).text()
    return text.includes('heldBy') ? text : undefined
  })
  expect(page.match(/default\/holder\/main/gu)).toHaveLength(2)

  const paths = testNode.kubelet.runOptions(holder, 'main').env.get('BERTH_PATHS_EXAMPLE_COM_DONGLE') ?? ''
  const free = ['a', 'b', 'c', 'd'].map((name) => join(ports, name)).find((path) => !paths.includes(path)) ?? ''
  for (const path of [...paths.split(',').slice(0, 1), free]) await rm(path)
  // The free one has left the list.
  await testNode.waitForCounts('3/2')
  await waitUntil('an unhealthy device in the status of the pod', async () => {
    const [shown] = (await testNode.pod('holder')).status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? []
    return shown?.resources?.some(({ health: state }) => state === 'Unhealthy') === true ? true : undefined
  })
})

/** An address of this host at which it is not a local caller; undefined on a host that has only loopback. */
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

test.skipIf(ownAddress === undefined).for([
  { flags: [], status: 403 },
  { flags: ['--remote-debug'], status: 200 },
])('answers /debug/devices outside the pod with $status for $flags', async ({ flags, status }) => {
  await using testNode = await startTestNode()
  const directory = testNode.socketDir('watcher')
  const args = ['--resources', four, '--plugins-registry', directory, '--health-address=0.0.0.0:0', ...flags]
  const running = start(...args)
  const { port } = new URL(await healthAddress(running))
  expect((await fetch(`http://${ownAddress}:${port}/debug/devices`)).status).toBe(status)
  running.child.kill('SIGTERM')
  await running.exit
})

test('refuses cdi and podResources without a node helper, and a node helper without a socket', async () => {
  const resources = `[{name: ${DONGLE}, source: count, args: {count: 4}, cdi: true}]`
  const plugin = start('--resources', resources, '--plugins-registry', root)
  expect(await plugin.exit).toBe(1)
  expect(plugin.output()).toContain('configure example.com/dongle: cdi needs the node helper')
  const usage = start('--resources', four, '--pod-resources', '--plugins-registry', root)
  expect(await usage.exit).toBe(1)
  expect(usage.output()).toContain('podResources needs the node helper')
  const helper = start('node-helper')
  expect(await helper.exit).toBe(1)
  expect(helper.output()).toContain('it has no socket. Set --node-helper')
})

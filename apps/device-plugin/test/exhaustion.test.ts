import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  killByMemory,
  type LoggedProgram,
  mountSmallFileSystem,
  startLoggedProgram,
  withoutFileDescriptors,
} from '@berth/testing'
import { expect, test } from 'vitest'
import { DONGLE, startTestNode, waitUntil, type TestNode } from './test-node.ts'

const main = join(import.meta.dirname, '../src/main.ts')
/** Several scans of the source, which looks every second. */
const SOME_SCANS_MS = 3_500

function start(testNode: TestNode, logPath: string, ...flags: readonly string[]): LoggedProgram {
  const args = ['--conditions=@berth/source', main, '--health-address=127.0.0.1:0', ...flags]
  return startLoggedProgram([...args, '--resources', resources(testNode)], logPath)
}

/** Declares the files `dev/slot*`, whose health is in other files. */
function resources({ dir }: TestNode): string {
  const args = { paths: [join(dir, 'dev/slot*')], healthFile: join(dir, 'dev/health-{name}'), rescanSeconds: 1 }
  return JSON.stringify([{ name: DONGLE, source: 'path-glob', args }])
}

function addDevice({ dir }: TestNode, number: number): void {
  writeFileSync(join(dir, `dev/health-slot${number}`), 'Healthy')
  writeFileSync(join(dir, `dev/slot${number}`), '')
}

async function startNodeWithDevices(): Promise<TestNode> {
  const testNode = await startTestNode()
  await mkdir(join(testNode.dir, 'dev'))
  for (const number of [0, 1, 2, 3]) addDevice(testNode, number)
  return testNode
}

async function readiness(program: LoggedProgram): Promise<string> {
  const address = await waitUntil('the health address', async () => /"address":"([^"]+)"/u.exec(program.output())?.[1])
  return await (await fetch(`http://${address}/readyz?verbose`)).text()
}

test('counts its devices as unhealthy with the reason while it has no file descriptors, and recovers with a restarted kubelet', async () => {
  await using testNode = await startNodeWithDevices()
  await using program = start(testNode, join(testNode.dir, 'log'), '--plugins-registry', testNode.socketDir('watcher'))
  await testNode.waitForCounts('4/4')
  const holder = await testNode.runPod('holder', 1)
  {
    using _ = withoutFileDescriptors(program.pid)
    addDevice(testNode, 4)
    await testNode.waitForCounts('4/0')
    expect(program.output()).toContain('/dev cannot be read (EMFILE)')
    await testNode.kubelet.stop()
    await testNode.kubelet.start()
    await pause(SOME_SCANS_MS)
    expect(await testNode.counts()).toMatch(/\/0$/)
  }
  await testNode.waitForCounts('5/5')
  expect((await testNode.pod(holder.metadata.name ?? '')).status?.phase).toBe('Running')
  expect((await testNode.runPod('after', 4)).status?.phase).toBe('Running')
  expect(program.child.exitCode).toBe(null)
})

test('waits with a clear reason while the directory of its socket is full, and registers when there is room', async () => {
  await using testNode = await startNodeWithDevices()
  const directory = join(testNode.socketDir('watcher'), 'berth')
  await mkdir(directory)
  using disk = mountSmallFileSystem(directory)
  disk.fill()
  await using program = start(testNode, join(testNode.dir, 'log'), '--plugins-registry', directory)
  await waitUntil('the reason', async () =>
    (await readiness(program)).includes('ENOSPC: no space left on device') ? true : undefined,
  )
  expect(program.child.exitCode).toBe(null)
  disk.free()
  await testNode.waitForCounts('4/4')
  expect((await testNode.runPod('after', 4)).status?.phase).toBe('Running')
})

test('works while the disk of its log is full, and logs again when there is room', async () => {
  await using testNode = await startNodeWithDevices()
  using disk = mountSmallFileSystem()
  await using program = start(testNode, join(disk.dir, 'log'), '--plugins-registry', testNode.socketDir('watcher'))
  await testNode.waitForCounts('4/4')
  disk.fill(join(disk.dir, 'log'))
  for (const number of [4, 5, 6]) {
    addDevice(testNode, number)
    await testNode.waitForCounts(`${number + 1}/${number + 1}`)
  }
  expect(program.child.exitCode).toBe(null)
  disk.free()
  const before = program.output().length
  await testNode.kubelet.stop()
  await testNode.kubelet.start()
  await waitUntil('a line of the log', async () => (program.output().length > before ? true : undefined))
})

test('is killed when its memory is exhausted, and its successor offers the same devices again', async () => {
  await using testNode = await startNodeWithDevices()
  const flags = ['--plugins-registry', testNode.socketDir('watcher')]
  await using program = start(testNode, join(testNode.dir, 'log'), ...flags)
  await testNode.waitForCounts('4/4')
  const holder = await testNode.runPod('holder', 1)
  expect(await killByMemory(program)).toBe('SIGKILL')
  await testNode.waitForCounts('4/0')
  await using _ = start(testNode, join(testNode.dir, 'log-2'), ...flags)
  await testNode.waitForCounts('4/4')
  expect((await testNode.pod(holder.metadata.name ?? '')).status?.phase).toBe('Running')
  expect((await testNode.runPod('after', 3)).status?.phase).toBe('Running')
})

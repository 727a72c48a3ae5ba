import { systemClock } from '@berth/clock'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { checkAllocation } from './check-allocation.ts'
import { clearSocketDirectory } from './clear-socket-directory.ts'
import { ownSocketDirectory } from './own-socket-directory.ts'
import { runNodeCommand } from './run-node-command.ts'

const root = mkdtempSync(join(tmpdir(), 'berth-commands-'))
afterAll(() => rmSync(root, { recursive: true }))
const clock = systemClock()
const dongle = 'example.com/dongle'

describe('checkAllocation', () => {
  const exists = (path: string): boolean => path === '/dev/null'
  test.for([
    { it: 'accepts a device', env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'dongle-0' }, isOk: true, text: 'got dongle-0' },
    {
      it: 'accepts a device whose path exists',
      env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'a', BERTH_PATHS_EXAMPLE_COM_DONGLE: '/dev/null' },
      isOk: true,
      text: 'got a /dev/null',
    },
    {
      it: 'refuses a device whose path does not exist',
      env: { BERTH_DEVICES_EXAMPLE_COM_DONGLE: 'a', BERTH_PATHS_EXAMPLE_COM_DONGLE: '/dev/none' },
      isOk: false,
      text: '/dev/none does not exist in the container',
    },
    {
      it: 'refuses a container without a device',
      env: {},
      isOk: false,
      text: 'BERTH_DEVICES_EXAMPLE_COM_DONGLE is not set',
    },
  ])('$it', ({ env, isOk, text }) => {
    expect(checkAllocation(dongle, { env, exists })).toEqual({ isOk, text: expect.stringContaining(text) })
  })
})

describe('ownSocketDirectory', () => {
  test('takes the directory as root, sets its mode, then hands it over, because only the owner may set a mode', () => {
    const calls: unknown[] = []
    ownSocketDirectory('/sockets', {
      chown: (...args) => void calls.push(['chown', ...args]),
      chmod: (...args) => void calls.push(['chmod', ...args]),
    })
    expect(calls).toEqual([
      ['chown', '/sockets', 0, 0],
      ['chmod', '/sockets', 0o700],
      ['chown', '/sockets', 65_532, 65_532],
    ])
  })
})

describe('clearSocketDirectory', () => {
  const makeDirectory = (name: string): string => {
    const directory = join(root, name)
    mkdirSync(directory)
    return directory
  }
  /** Leaves the socket of a killed process, which refuses connections. */
  const leaveSocket = async (path: string): Promise<void> => {
    const listen = `require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`
    await new Promise((resolve) => void execFile(process.execPath, ['--eval', listen, path], resolve))
    if (!existsSync(path)) throw new Error(`${path} was not created`)
  }

  test('accepts an empty directory and a missing one', async () => {
    const empty = { deleted: [], remaining: [] }
    expect(await clearSocketDirectory(makeDirectory('empty'), { timeoutMs: 0, clock })).toEqual(empty)
    expect(await clearSocketDirectory(join(root, 'none'), { timeoutMs: 0, clock })).toEqual(empty)
  })

  test('deletes the sockets of a killed device plugin, which the kubelet would keep calling', async () => {
    const directory = makeDirectory('killed')
    const paths = ['berth-0123456789-a.sock', '.berth-claim.sock'].map((name) => join(directory, name))
    for (const path of paths) await leaveSocket(path)
    const { deleted, remaining } = await clearSocketDirectory(directory, { timeoutMs: 0, clock })
    expect([deleted.toSorted(), remaining]).toEqual([paths.toSorted(), []])
    expect(paths.filter((path) => existsSync(path))).toEqual([])
  })

  test('waits until the device plugin has left', async () => {
    const directory = makeDirectory('busy')
    const server = createServer().listen(join(directory, 'berth-0123456789-b.sock'))
    await once(server, 'listening')
    server.once('connection', () => server.close())
    expect(await clearSocketDirectory(directory, { timeoutMs: 60_000, clock })).toEqual({ deleted: [], remaining: [] })
  })

  test('reports a socket in use and a foreign file, and deletes neither', async () => {
    const directory = makeDirectory('kept')
    const [live, file] = [join(directory, 'berth-0123456789-c.sock'), join(directory, 'other.sock')]
    const server = createServer().listen(live)
    await once(server, 'listening')
    await leaveSocket(file)
    expect(await clearSocketDirectory(directory, { timeoutMs: 0, clock })).toEqual({
      deleted: [],
      remaining: [`${live} still accepts connections`, `${file} does not belong to Berth`],
    })
    expect([existsSync(live), existsSync(file)]).toEqual([true, true])
    server.close()
  })
})

describe('runNodeCommand', () => {
  const run = (command: 'remove-socket-directory' | 'check-allocation', directory: string) =>
    runNodeCommand(command, { directory, resourceName: dongle, env: {}, clock })

  test('remove-socket-directory removes an empty directory and accepts a missing one', async () => {
    const directory = join(root, 'removed')
    mkdirSync(directory)
    expect(await run('remove-socket-directory', directory)).toMatchObject({ code: 0, text: `removed ${directory}\n` })
    expect(existsSync(directory)).toBe(false)
    expect(await run('remove-socket-directory', directory)).toMatchObject({ code: 0, text: '' })
  })

  test('remove-socket-directory fails when the directory is not empty', async () => {
    const directory = join(root, 'full')
    mkdirSync(directory)
    writeFileSync(join(directory, 'a.sock'), '')
    const { code, text } = await run('remove-socket-directory', directory)
    expect([code, text]).toEqual([1, expect.stringMatching(/cannot remove \S+full: ENOTEMPTY/)])
    expect(existsSync(directory)).toBe(true)
  })

  test('check-allocation fails with one line', async () => {
    expect(await run('check-allocation', '/none')).toMatchObject({ code: 1, text: expect.stringMatching(/^[^\n]+\n$/) })
  })
})

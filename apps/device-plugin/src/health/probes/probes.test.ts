import type { Device } from '@berth/types'
import { execFileSync } from 'node:child_process'
import { chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createProbes } from '../create-probes.ts'
import { probeConfig } from '../probe-config.ts'

const signal = AbortSignal.timeout(60_000)
const dirOf = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'probes-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}
const device = (path: string): Device => ({ id: 'dev-a', health: 'Healthy', paths: [path, path] })

async function probe(config: object, target: Device): Promise<string> {
  const [created] = createProbes([probeConfig.parse(config)])
  const { health, reason } = (await created?.run(target, signal)) ?? { health: 'none' }
  return reason ?? health
}

describe('probes of files', () => {
  test('exists checks the paths of the device, or another path', async () => {
    const dir = await dirOf()
    expect(await probe({ type: 'exists' }, device('/dev/null'))).toBe('Healthy')
    expect(await probe({ type: 'exists' }, device(join(dir, 'a')))).toBe(`${dir}/a is missing`)
    expect(await probe({ type: 'exists', path: `${dir}/{name}.ok` }, device('/dev/null'))).toBe(
      `${dir}/null.ok is missing`,
    )
  })

  test('a file name that looks like a placeholder is not replaced', async () => {
    expect(await probe({ type: 'exists', path: '{path}.ok' }, device('/none/{id}{name}'))).toBe(
      '/none/{id}{name}.ok is missing',
    )
  })

  test('readable says why a path cannot be read', async () => {
    expect(await probe({ type: 'readable' }, device('/dev/null'))).toBe('Healthy')
    expect(await probe({ type: 'readable' }, device('/none/a'))).toBe('/none/a cannot be read (ENOENT)')
  })

  test.for([
    { content: '41\n', expected: { max: 80 }, says: 'Healthy' },
    { content: '81', expected: { max: 80 }, says: 'FILE is "81", expected at most 80' },
    { content: '-3', expected: { min: 0 }, says: 'FILE is "-3", expected at least 0' },
    { content: '', expected: { min: 0 }, says: 'FILE is "", expected a number' },
    { content: 'up\nmore', expected: { equals: 'up' }, says: 'Healthy' },
    { content: 'down', expected: { equals: 'up' }, says: 'FILE is "down", expected "up"' },
  ])('sysfs reads "$content" and expects $expected', async ({ content, expected, says }) => {
    const path = join(await dirOf(), 'value')
    await writeFile(path, content)
    expect(await probe({ type: 'sysfs', path, ...expected }, device('/dev/null'))).toBe(says.replace('FILE', path))
  })

  test.for(['exists', 'readable'])(
    '%s passes for a path that cannot be opened, because it never opens one',
    async (type) => {
      const path = join(await dirOf(), 'socket')
      const server = createServer().listen(path)
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      await expect(open(path)).rejects.toMatchObject({ code: 'ENXIO' })
      expect(await probe({ type }, device(path))).toBe('Healthy')
    },
  )

  test('sysfs does not wait for a writer of a pipe', async () => {
    const path = join(await dirOf(), 'pipe')
    execFileSync('mkfifo', [path])
    expect(await probe({ type: 'sysfs', path, equals: 'up' }, device('/dev/null'))).toBe(
      `${path} cannot be read (ESPIPE)`,
    )
  })

  test('sysfs finds the directory of a device node, and refuses another file', async () => {
    const config = { type: 'sysfs', path: '{sysfs}/dev', equals: '1:3' }
    expect(await probe(config, device('/dev/null'))).toBe('Healthy')
    expect(await probe(config, device('/'))).toBe('/ is not a device node, so it has no {sysfs}')
  })
})

describe('probes that run programs', () => {
  test.for([
    { command: ['true'], says: 'Healthy' },
    { command: ['false'], says: 'false ended with 1' },
    { command: ['sh', '-c', 'echo "too hot"; exit 3'], says: 'too hot' },
    { command: ['sh', '-c', 'kill -TERM $$'], says: 'sh ended with SIGTERM' },
    { command: ['/none/program'], says: '/none/program cannot be run (ENOENT)' },
    { command: ['test', '{path}', '=', '/dev/a b$(id)'], says: 'Healthy' },
  ])('command $command: $says', async ({ command, says }) => {
    expect(await probe({ type: 'command', command }, device('/dev/a b$(id)'))).toBe(says)
  })

  test.for([
    { text: 'echo Healthy', says: 'Healthy' },
    { text: 'echo "Unhealthy: $BERTH_DEVICE_ID at $BERTH_DEVICE_PATH"', says: 'dev-a at /dev/null' },
    { text: 'exit 2', says: 'SCRIPT ended with 2' },
    { text: 'true', says: 'SCRIPT reports it as unhealthy' },
  ])('script "$text": $says', async ({ text, says }) => {
    const script = join(await dirOf(), 'probe.sh')
    await writeFile(script, `#!/bin/sh\n${text}\n`)
    await chmod(script, 0o755)
    expect(await probe({ type: 'script', script }, device('/dev/null'))).toBe(says.replace('SCRIPT', script))
  })

  test('a program is killed with its children when its time is over', async () => {
    const file = join(await dirOf(), 'pid')
    const [created] = createProbes([
      probeConfig.parse({ type: 'command', command: ['sh', '-c', `sleep 600 & echo $! > ${file}; wait`] }),
    ])
    const stop = new AbortController()
    const result = created?.run(device('/dev/null'), stop.signal)
    const bound = { timeout: 30_000, interval: 5 }
    const text = await vi.waitFor(async () => {
      const written = await readFile(file, 'utf8')
      expect(written).toMatch(/\n$/)
      return written
    }, bound)
    const pid = Number(text)
    stop.abort()
    expect(await result).toEqual({ health: 'Unhealthy', reason: 'sh ended with SIGKILL' })
    const isGone = async (): Promise<boolean> => {
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z')
      return status.split(') ')[1]?.startsWith('Z') === true
    }
    await vi.waitFor(async () => expect(await isGone()).toBe(true), bound)
  })
})

test('tcp connects to a port', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  expect(await probe({ type: 'tcp', port }, device('/dev/null'))).toBe('Healthy')
  await new Promise((resolve) => server.close(resolve))
  expect(await probe({ type: 'tcp', port }, device('/dev/null'))).toBe(
    `127.0.0.1:${port} refuses connections (ECONNREFUSED)`,
  )
})

import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-npm-'))
})

afterAll(async () => {
  await rm(dir, { recursive: true, force: true })
})

async function sockets(place: string): Promise<readonly string[]> {
  const paths = await readdir(place, { recursive: true })
  return paths.filter((path) => path.endsWith('.sock'))
}

test.for(['SIGTERM', 'SIGINT'] as const)('npm run simulate leaves no process running after %s', async (signal) => {
  const place = join(dir, signal)
  const args = ['run', 'simulate', '--', '--nodes', '1', '--kubeconfig', join(dir, 'kubeconfig'), '--dir', place]
  const npm = spawn('npm', args, { cwd: join(import.meta.dirname, '../../..'), stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const closed = new Promise((resolve) => npm.once('close', resolve))
  const end = performance.now() + 120_000
  while (!output.includes('ready') && performance.now() < end) await setTimeout(50)
  const [, url = ''] = /serving (https:\S+)/.exec(output) ?? []
  expect(url).not.toBe('')
  expect(await sockets(place)).not.toEqual([])

  npm.kill(signal)
  // Standard output closes only after the last process that holds it has ended.
  await closed
  expect(await sockets(place)).toEqual([])
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = join(import.meta.dirname, '../src/main.ts')

let dir: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-sim-'))
})

afterAll(async () => {
  await rm(dir, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command, and `onReady` once it is ready. */
function simulate(args: readonly string[], onReady: (stop: () => void) => void = (stop) => stop()): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-C', '@berth/source', MAIN, 'simulate', ...args])
    const output = { stdout: '', stderr: '' }
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
      if (text.includes('ready\n')) onReady(() => child.kill('SIGTERM'))
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, ...output }))
  })
}

describe('npm run simulate', () => {
  test('writes a kubeconfig, says ready and ends with 0 when it is told to', async () => {
    const kubeconfig = join(dir, 'kubeconfig')
    let written = ''
    const ended = await simulate(['--nodes', '2', '--pods', '4', '--kubeconfig', kubeconfig], (stop) => {
      written = readFileSync(kubeconfig, 'utf8')
      stop()
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(
      /^serving https:\/\/127\.0\.0\.1:\d+ with 2 nodes; kubeconfig in .*\nexport KUBECONFIG=.*\nready\n$/,
    )
    expect(written).toContain('"current-context": "berth"')
  })

  test('a second signal, as npm hands on, does not cut its end short', async () => {
    const args = ['--nodes', '20', '--kubeconfig', join(dir, 'kubeconfig'), '--dir', join(dir, 'twice')]
    const { stderr } = await simulate(args, (stop) => {
      // Two signals that wait at the same time are one for the kernel.
      for (const delayMs of [0, 2, 4]) setTimeout(stop, delayMs)
    })
    expect(stderr).toBe('')
    const left = readdirSync(join(dir, 'twice'), { recursive: true, encoding: 'utf8' })
    expect(left.filter((path) => path.endsWith('.sock'))).toEqual([])
  })

  test('ends with 1 and one clear error where the port is in use', async () => {
    const blocker = createServer()
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
    const { port } = blocker.address() as AddressInfo
    const ended = await simulate(['--kubeconfig', join(dir, 'k'), '--port', String(port)])
    blocker.close()
    expect(ended.code).toBe(1)
    expect(ended.stderr).toBe(
      `listen on 127.0.0.1:${port}: the port is in use. Choose another port with --port, or 0 for any free one. (BERTH_SIMULATOR_LISTEN)\n`,
    )
  })

  test('ends with 1 where the kubeconfig cannot be written', async () => {
    const ended = await simulate(['--kubeconfig', join(dir, 'no', 'such', 'folder')])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('(BERTH_SIMULATOR_KUBECONFIG)')
    expect(ended.stderr).not.toContain('    at ')
  })

  test('ends with 1 where the directory of the kubelets is a file', async () => {
    const ended = await simulate(['--kubeconfig', join(dir, 'k'), '--dir', MAIN])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^create directory .* Choose a writable directory .* \(BERTH_SIMULATOR_DIRECTORY\)\n$/)
  })

  test('ends with 2 on an unknown flag, and with 0 after its help', async () => {
    const wrong = await simulate(['--colour', 'red'])
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('unknown flag --colour')
    const help = await simulate(['--help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('Prints "ready" when the cluster serves')
  })
})

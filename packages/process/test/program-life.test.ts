import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('sample-program.ts', import.meta.url))

function start(args: readonly string[]) {
  const child = spawn('node', ['-C', '@berth/source', program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, out, err }))
  })
  const says = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = () => out.includes(text) && resolve()
      child.stdout.on('data', look)
      look()
    })
  return { child, ended, says }
}

describe('the life of a program', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('%s closes what is open and ends with 0', async (signal) => {
    const { child, ended, says } = start([])
    await says('Ready')
    child.kill(signal)
    const { code, out, err } = await ended
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toContain(`"reason":"${signal}"`)
  })

  test('a wait that the signal cuts short is no failure', async () => {
    const { child, ended, says } = start(['--stuck=wait'])
    await says('Waiting')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  test('a program that something holds open is ended, and says what', async () => {
    const { child, ended, says } = start(['--stuck=handle'])
    await says('Ready')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, err: 'ended with open handles: Timeout\n' })
  })

  test('a second signal ends it at once', async () => {
    const { child, ended, says } = start(['--stuck=main'])
    await says('Ready')
    child.kill('SIGTERM')
    await says('Stopping')
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
  })

  test.for([
    {
      it: 'an unknown flag',
      args: ['--stuk=main'],
      code: 2,
      err: 'sample: --stuk: no such flag; did you mean --stuck? See sample --help. (BERTH_CONFIG_INVALID)\n',
    },
    {
      it: 'a plugin that the configuration names and nobody has',
      args: ['--fail=plugin'],
      code: 2,
      err: 'use plugin "x": there is none of this name. (BERTH_PLUGIN_UNKNOWN)\n',
    },
    {
      it: 'several mistakes',
      args: ['--fail=maybe', '--stuck=maybe'],
      code: 2,
      err:
        'sample: the configuration has 2 mistakes. See sample --help. (BERTH_CONFIG_INVALID)\n' +
        '  fail: expected one of "no"|"config"|"plugin"|"defect"|"late" (from --fail)\n' +
        '  stuck: expected one of "no"|"handle"|"main"|"wait" (from --stuck)\n',
    },
    {
      it: 'a failure over the configuration',
      args: ['--fail=config'],
      code: 2,
      err: 'read certificate /none: no such file. Check --tls-cert-file. (BERTH_CONFIG_READ)\n',
    },
  ])('$it ends it with $code and no stack', async ({ args, code, err }) => {
    expect(await start(args).ended).toEqual({ code, out: '', err })
  })

  test('--log-level debug adds the stack', async () => {
    const { err } = await start(['--fail=config', '--log-level', 'debug']).ended
    expect(err).toMatch(/^\s+at /m)
  })

  test.for([
    { args: ['--fail=defect'], says: 'TypeError: x is undefined' },
    { args: ['--fail=late'], says: 'Error: late' },
  ])('a defect ($says) ends it with 1 and shows where', async ({ args, says }) => {
    const { code, err } = await start(args).ended
    expect(code).toBe(1)
    expect(err).toContain(says)
    expect(err).toMatch(/^\s+at /m)
  })

  test('an occupied port ends it with one line', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { code, err } = await start([`--health-address=127.0.0.1:${port}`]).ended
    other.close()
    expect(code).toBe(1)
    expect(err).toBe(
      `listen for health and metrics on 127.0.0.1:${port}: the port is in use. ` +
        'Choose another --health-address; port 0 takes any free one. (BERTH_LISTEN_FAILED)\n',
    )
  })

  test('--help goes to standard output', async () => {
    expect(await start(['--help']).ended).toMatchObject({ code: 0, err: '', out: expect.stringContaining('Usage:') })
  })
})

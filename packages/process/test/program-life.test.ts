import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startProgram, type RunningProgram } from '@berth/process/testing'
import { describe, expect, test } from 'vitest'

const program = fileURLToPath(new URL('sample-program.ts', import.meta.url))

const start = (args: readonly string[]): RunningProgram => startProgram(program, args)

describe('the life of a program', () => {
  test.for(['SIGTERM', 'SIGINT'] as const)('%s closes everything and exits with 0', async (signal) => {
    const { child, ended, line } = start([])
    await line('Ready')
    child.kill(signal)
    const { code, stdout, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`"reason":"${signal}"`)
  })

  test('a wait that the signal interrupts is not a failure', async () => {
    const { child, ended, line } = start(['--stuck=wait'])
    await line('Waiting')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('a program with open handles ends and names them', async () => {
    const { child, ended, line } = start(['--stuck=handle'])
    await line('Ready')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, stderr: 'ended with open handles: Timeout\n' })
  })

  test('a second signal ends it at once', async () => {
    const { child, ended, line } = start(['--stuck=main'])
    await line('Ready')
    child.kill('SIGTERM')
    await line('Stopping')
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
  })

  test.for([
    {
      it: 'an unknown flag',
      args: ['--stuk=main'],
      code: 2,
      err: 'sample: unknown flag --stuk; did you mean --stuck? See sample --help. (BERTH_CONFIG_INVALID)\n',
    },
    {
      it: 'a plugin that the configuration names and that does not exist',
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
    expect(await start(args).ended).toEqual({ code, stdout: '', stderr: err })
  })

  test('--log-level debug adds the stack', async () => {
    const { stderr } = await start(['--fail=config', '--log-level', 'debug']).ended
    expect(stderr).toMatch(/^\s+at /m)
  })

  test.for([
    { args: ['--fail=defect'], says: 'TypeError: x is undefined' },
    { args: ['--fail=late'], says: 'Error: late' },
  ])('a defect ($says) ends it with 1 and shows where', async ({ args, says }) => {
    const { code, stderr } = await start(args).ended
    expect(code).toBe(1)
    expect(stderr).toContain(says)
    expect(stderr).toMatch(/^\s+at /m)
  })

  test('an occupied port ends it with one line', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { code, stderr } = await start([`--health-address=127.0.0.1:${port}`]).ended
    other.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `listen for health and metrics on 127.0.0.1:${port}: the port is in use. ` +
        'Choose another --health-address. Port 0 selects any free port. (BERTH_LISTEN_FAILED)\n',
    )
  })

  test('--help goes to standard output', async () => {
    expect(await start(['--help']).ended).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Usage:'),
    })
  })
})

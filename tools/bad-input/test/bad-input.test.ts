import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { badCases, daemons, good, refusals } from '../bad-cases.ts'
import { writeBadFiles, type Servers } from '../bad-files.ts'
import { startProgram, type Running } from '../run-bundle.ts'

// The cases contain names instead of ports, because ports are known only after the servers listen.
const names: Servers = { secured: 'https://SECURED', forbidding: 'http://FORBIDDING', busyPort: 65_535 }
const cases = badCases(names)

let home: string
let busyPort: number
let simulator: Running
const servers: Server[] = []

async function listen(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'berth-bad-'))
  const status = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', code: 403 })
  busyPort = await listen(createServer())
  const forbidding = await listen(
    createHttpServer((_, response) => {
      response.writeHead(403, { 'content-type': 'application/json' }).end(status)
    }),
  )
  // Runs longer than all tests of this file together.
  simulator = startProgram('simulate', ['--nodes', '1', '--kubeconfig', 'kube-good'], { home, limitMs: 3_600_000 })
  await simulator.says('ready')
  const [, secured = ''] = /serving (\S+)/.exec(await firstLine(simulator)) ?? []
  await writeBadFiles(home, { secured, forbidding: `http://127.0.0.1:${forbidding}`, busyPort })
})

afterAll(async () => {
  simulator.kill('SIGTERM')
  await simulator.ended
  for (const server of servers) server.close()
  await rm(home, { recursive: true, force: true })
})

async function firstLine({ says, output }: Running): Promise<string> {
  await says('\n')
  return output().split('\n', 1)[0] ?? ''
}

const withPort = (text: string): string => text.replaceAll(String(names.busyPort), String(busyPort))

describe.concurrent('a mistake is one clear line, and no stack', () => {
  test.for(cases)('$program: $it', async ({ program, args, code, says }, { expect }) => {
    const ended = await startProgram(program, args.map(withPort), { home }).ended
    expect(ended).toMatchObject({ code, stderr: expect.stringMatching(/^[^\n]+\n$/) as unknown })
    for (const part of says) expect(ended.stderr).toContain(withPort(part))
    expect(ended.stderr).not.toContain('please report')
    expect(ended.stderr).toMatch(/ \(BERTH_[A-Z_]+\)\n$/)
  })
})

describe.concurrent('a refusal that may pass is logged and does not end the program', () => {
  const rows = (['advertiser', 'extender', 'scheduler'] as const).flatMap((program) =>
    refusals.map((refusal) => ({ program, ...refusal })),
  )
  test.for(rows)('$program: $it', async ({ program, kubeconfig, code }, { expect }) => {
    const running = startProgram(program, [...good(program), '--kubeconfig', kubeconfig], { home })
    await running.says(`"code":"${code}"`)
    running.kill('SIGTERM')
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe.concurrent('valid input', () => {
  test.for(daemons)('%s: an empty configuration is the default one', async (program, { expect }) => {
    const [empty, none] = await Promise.all(
      [['--config', 'empty.yaml'], []].map(
        (args) => startProgram(program, [...args, '--print-config'], { home }).ended,
      ),
    )
    expect(empty).toMatchObject({ code: 0, stderr: '' })
    expect(withoutPath(empty?.stdout)).toBe(withoutPath(none?.stdout))
  })

  const helps = [
    ...daemons.map((program) => ({ program, args: ['--help'] })),
    ...['brief', 'explain', 'capacity', 'simulate', 'plugin'].map((command) => ({
      program: 'kubectl-berth' as const,
      args: [command, '--help'],
    })),
    { program: 'kubectl-berth' as const, args: ['--help'] },
    { program: 'simulate' as const, args: ['--help'] },
  ]
  test.for(helps)('$program $args fits 80 columns', async ({ program, args }, { expect }) => {
    const { code, stdout, stderr } = await startProgram(program, args, { home }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Examples?:$/m)
    // The command of an example must be on one line, so that it can be copied.
    const isCommand = (line: string): boolean =>
      line.startsWith(`  ${program.replace('kubectl-berth', 'kubectl berth')} `)
    expect(stdout.split('\n').filter((line) => line.length > 80 && !isCommand(line))).toEqual([])
  })

  test('--print-config prints a valid configuration', async ({ expect }) => {
    for (const program of ['advertiser', 'device-plugin', 'extender'] as const) {
      const first = await startProgram(program, [...good(program), '--print-config'], { home }).ended
      await writeFile(join(home, `printed-${program}.yaml`), first.stdout)
      const second = await startProgram(program, ['--config', `printed-${program}.yaml`, '--print-config'], { home })
        .ended
      expect(second.stdout.replaceAll(/^#.*\n/gm, '')).toBe(first.stdout.replaceAll(/^#.*\n/gm, ''))
    }
  })
})

function withoutPath(text: string | undefined): string | undefined {
  return text?.replace(/^# flag\nconfig: .*\n/m, '')
}

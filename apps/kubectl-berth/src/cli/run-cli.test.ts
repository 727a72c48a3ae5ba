import { describe, expect, test } from 'vitest'
import { briefCommand } from '../brief/brief-command.ts'
import { capacityCommand } from '../capacity/capacity-command.ts'
import { paintFor } from '../output/paint.ts'
import { type CliOptions, runCli } from './run-cli.ts'
import type { Terminal } from './terminal.ts'
import type { CommandLine } from '@berth/process/command'
import type { Command } from './command.ts'
import { UsageError } from '../errors.ts'
import { explainCommand } from '../explain/explain-command.ts'
import { withProgress } from './progress.ts'
import { testTerminal } from '../../test/test-terminal.ts'

function probe(): { command: Command; given: () => CommandLine | undefined } {
  let seen: CommandLine | undefined
  const command: Command = {
    name: 'probe',
    summary: 'Shows what it was given.',
    arguments: [
      { name: 'KIND', description: 'A kind.' },
      { name: 'NAME', description: 'A name.' },
    ],
    usesCluster: true,
    flags: [
      { name: 'namespace', short: 'n', placeholder: 'NAME', description: 'A name.' },
      { name: 'kind', placeholder: 'KIND', isRepeatable: true, description: 'Kinds.' },
      { name: 'output', short: 'o', placeholder: 'FORMAT', choices: ['json'], description: 'Format.' },
      { name: 'all', description: 'All.' },
    ],
    examples: [{ command: 'kubectl berth probe', description: 'Probe' }],
    run: async (given, { connect }) => {
      seen = given
      await connect()
    },
  }
  return { command, given: () => seen }
}

function cliOptions(terminal: Terminal): Omit<CliOptions, 'argv' | 'commands'> {
  return {
    terminal,
    stop: new AbortController().signal,
    version: '1.2.3',
    complete: async () => undefined,
    contexts: async () => [],
    connectTransport: () => Promise.reject(new Error('no transport')),
    builtInPlugins: async () => [],
    loadPlugins: () => Promise.reject(new Error('no plugins')),
    connect: () => Promise.reject(new Error('no cluster')),
  }
}

async function run(...argv: string[]) {
  const terminal = testTerminal()
  const { command, given } = probe()
  const connections: unknown[] = []
  await runCli({
    ...cliOptions(terminal),
    argv,
    commands: [briefCommand, explainCommand, capacityCommand, command],
    connect: (choice) => {
      connections.push(choice)
      return Promise.resolve({} as never)
    },
  })
  return { output: terminal.output(), given: given(), connections }
}

describe('runCli', () => {
  test.for([{ hasColor: true }, { hasColor: false }])(
    'prints no control or bidi character of the cluster, with color: $hasColor',
    async ({ hasColor }) => {
      const terminal = { ...testTerminal(), hasColor }
      const hostile = '\u001B[8mhidden\u001B]0;title\u0007\u202E\r.\n'
      const own = paintFor({ hasColor })('bad', 'own')
      await runCli({
        ...cliOptions(terminal),
        argv: ['probe'],
        commands: [
          {
            ...probe().command,
            run: async (_, context) => {
              context.terminal.out(own + hostile)
              context.terminal.note(hostile)
            },
          },
        ],
      })
      expect([terminal.output(), terminal.notes()]).toEqual([`${own}hidden.\n`, 'hidden.\n'])
    },
  )

  test('reads flags, repeatable flags, words and the choice of a cluster', async () => {
    const argv = [
      'probe',
      'pod',
      'a',
      '-n',
      'shop',
      '--kind=x',
      '--kind',
      'y',
      '--all',
      '--context',
      'kind',
      '-o',
      'json',
    ]
    const { given, connections } = await run(...argv)
    expect(given?.words).toEqual(['pod', 'a'])
    expect(given?.text('namespace')).toBe('shop')
    expect(given?.texts('kind')).toEqual(['x', 'y'])
    expect([given?.has('all'), given?.text('kubeconfig'), given?.texts('all')]).toEqual([true, undefined, []])
    expect(connections).toEqual([{ kubeconfig: undefined, context: 'kind', deadlineMs: 30_000 }])
  })

  test.for([{ argv: [] }, { argv: ['--help'] }, { argv: ['-h'] }, { argv: ['help'] }])(
    'prints the help of the program for $argv',
    async ({ argv }) => {
      const { output } = await run(...argv)
      for (const name of ['brief', 'explain', 'capacity', 'probe']) expect(output).toContain(`\n  ${name}\n`)
    },
  )

  test.for([{ name: 'brief' }, { name: 'explain' }, { name: 'capacity' }])(
    'prints help with examples for $name',
    async ({ name }) => {
      const { output } = await run(name, '--help')
      expect(output).toContain(`Usage:\n  kubectl berth ${name}`)
      expect(output).toContain(`  kubectl berth ${name}`)
      expect(output).toContain('--kubeconfig FILE')
      expect((await run('help', name)).output).toBe(output)
    },
  )

  test('prints its version', async () => {
    expect((await run('--version')).output).toBe('kubectl-berth 1.2.3\n')
  })

  test.for([
    { argv: ['breif'], says: 'unknown command "breif": did you mean brief?' },
    { argv: ['wat'], says: 'unknown command "wat": expected one of brief, explain, capacity, probe' },
    { argv: ['probe', '--nope'], says: 'unknown flag --nope' },
    { argv: ['probe', '--al'], says: 'unknown flag --al; did you mean --all?' },
    { argv: ['probe', '-n'], says: '-n needs a value' },
    { argv: ['probe', '-o', 'xml'], says: '--output xml: expected one of json' },
    { argv: ['explain'], says: 'explain: which pod?' },
    {
      argv: ['explain', 'node', 'a'],
      says: 'explain: cannot explain "node", only pods, deployments, statefulsets, daemonsets, replicasets and jobs',
    },
    { argv: ['explain', 'pod'], says: 'explain: expected names after "pod"' },
    {
      argv: ['explain', 'pod', 'a', '--all-pending'],
      says: 'explain: give only one of pods, --filename and --all-pending',
    },
    { argv: ['explain', 'pod', 'a', '-A'], says: 'explain: --all-namespaces needs --all-pending' },
    {
      argv: ['explain', 'pod/a', 'node/b'],
      says: 'explain: cannot explain "node", only pods, deployments, statefulsets, daemonsets, replicasets and jobs',
    },
    { argv: ['explain', 'pod/a/b'], says: 'explain: expected KIND/NAME, not "pod/a/b"' },
    { argv: ['brief', 'pod/a/b'], says: 'brief: expected KIND/NAME, not "pod/a/b"' },
    { argv: ['capacity', 'a', 'b'], says: 'unexpected argument "b"' },
    {
      argv: ['explain', 'pod', 'a', '-f', 'x.yaml'],
      says: 'explain: give only one of pods, --filename and --all-pending',
    },
  ])('refuses $argv and names the next command', async ({ argv, says }) => {
    const error = await run(...argv).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(UsageError)
    expect(error).toMatchObject({
      message: says,
      code: 'BERTH_KUBECTL_USAGE',
      hint: expect.stringMatching(/^Run: kubectl berth .*--help$/),
    })
  })
})

describe('withProgress', () => {
  test('prints nothing for quick work, and what it is doing after two seconds', async () => {
    const terminal = testTerminal()
    await withProgress(terminal, 'Reading', () => terminal.clock.advance(1_999))
    expect(terminal.notes()).toBe('')
    await withProgress(terminal, 'Reading', () => terminal.clock.advance(2_000))
    expect(terminal.notes()).toBe('Reading …\n')
  })
})

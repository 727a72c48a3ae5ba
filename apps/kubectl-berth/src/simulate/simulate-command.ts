import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command, Given } from '../command.ts'
import { CommandError, UsageError } from '../errors.ts'

const HELP = 'Run: kubectl berth simulate --help'

/** `kubectl berth simulate`. */
export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'Runs a simulated cluster on this machine until Ctrl-C: no container, no hardware, nothing real is touched.',
  usage: 'simulate [--nodes N] [--pods N] [--dir DIR]',
  maxWords: 0,
  usesCluster: false,
  flags: [
    { name: 'nodes', placeholder: 'N', description: 'How many nodes; default: 3.' },
    { name: 'pods', placeholder: 'N', description: 'How many pods run from the start; default: 0.' },
    {
      name: 'dir',
      placeholder: 'DIR',
      description: 'Where kubeconfig and kubelet sockets go; default: ./berth-simulation.',
    },
    { name: 'port', placeholder: 'N', description: 'Port of the API server on 127.0.0.1; default: any free one.' },
  ],
  examples: [
    { command: 'kubectl berth simulate', description: 'Three nodes to try things on' },
    { command: 'kubectl berth simulate --nodes 1000 --pods 5000', description: 'A big cluster' },
  ],
  async run(given, { terminal, stop }) {
    const request = {
      nodes: count(given, 'nodes', 3),
      pods: count(given, 'pods', 0),
      port: count(given, 'port', 0, 65_535),
    }
    const dir = resolve(given.text('dir') ?? 'berth-simulation')
    const kubeconfig = join(dir, 'kubeconfig')
    await mkdir(dir, { recursive: true }).catch((cause: unknown) => {
      throw new CommandError(`make directory ${dir}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        code: 'BERTH_KUBECTL_DIRECTORY',
        cause,
        hint: 'Choose another one with --dir.',
      })
    })
    // Loaded only here: no other command needs a simulator.
    const { simulate } = await import('@berth/simulator')
    await simulate(
      { kind: 'run', ...request, dir, kubeconfig },
      {
        clock: terminal.clock,
        random: terminal.random,
        stop,
        write(text) {
          if (text === 'ready\n') terminal.out(`export KUBECONFIG=${kubeconfig}\n`)
          else terminal.note(text)
        },
      },
    )
  },
}

function count(given: Given, flag: string, standard: number, limit = 100_000): number {
  const text = given.text(flag)
  if (text === undefined) return standard
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= limit) return value
  throw new UsageError(`--${flag} ${text}: expected a whole number from 0 to ${limit}`, HELP)
}

import { errorText } from '@berth/text/error-text'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command, Given } from '../command.ts'
import { CommandError, UsageError } from '../errors.ts'

const HELP = 'Run: kubectl berth simulate --help'

/** `kubectl berth simulate`. */
export const simulateCommand: Command = {
  name: 'simulate',
  summary: 'Runs a simulated cluster on this machine until Ctrl-C: no container, no hardware, nothing real is touched.',
  usage: 'simulate [--nodes N] [--pods N] [--dir DIR] [--join KUBECONFIG]',
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
    { name: 'default-scheduler', description: 'Place pods of default-scheduler too, wherever there is room.' },
    {
      name: 'join',
      placeholder: 'KUBECONFIG',
      description:
        'Add virtual nodes to the cluster of this file instead; they are tainted, and removed again at the end.',
    },
    { name: 'prefix', placeholder: 'NAME', description: 'Joined nodes are NAME-1, NAME-2, …; default: berth-sim.' },
    {
      name: 'device',
      placeholder: 'NAME=N',
      isRepeatable: true,
      description: 'Every node has N devices of this extended resource, without a plugin.',
    },
  ],
  examples: [
    { command: 'kubectl berth simulate', description: 'Three nodes to try things on' },
    { command: 'kubectl berth simulate --nodes 1000 --pods 5000', description: 'A big cluster' },
    {
      command: 'kubectl berth simulate --join ~/.kube/config --device example.com/dongle=4',
      description: 'Three virtual nodes with dongles in the cluster you work with',
    },
  ],
  async run(given, { terminal, stop, connect }) {
    const nodes = count(given, 'nodes', 3)
    const joined = given.text('join')
    const run = { pods: count(given, 'pods', 0), port: count(given, 'port', 0, 65_535) }
    const dir = await directoryOf(given)
    // Loaded only here: no other command needs a simulator.
    const { parseDevices, simulate } = await import('@berth/simulator')
    const kubeconfig = join(dir ?? '', 'kubeconfig')
    const common = { nodes, devices: devicesOf(given, parseDevices), ...(dir === undefined ? {} : { dir }) }
    const prefix = given.text('prefix')
    const schedulesPods = given.has('default-scheduler')
    await simulate(
      joined === undefined
        ? { kind: 'run', ...common, ...run, kubeconfig, schedulesPods }
        : { kind: 'join', ...common, kubeconfig: joined, ...(prefix === undefined ? {} : { prefix }) },
      {
        clock: terminal.clock,
        random: terminal.random,
        stop,
        async connect(file) {
          const session = await connect(file)
          const { client } = session.cluster
          return {
            handle: (request) => client.raw(request),
            [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
          }
        },
        write(text) {
          if (text === 'ready\n' && joined === undefined) terminal.out(`export KUBECONFIG=${kubeconfig}\n`)
          else terminal.note(text)
        },
      },
    )
  },
}

/** Where the simulation keeps its files; nowhere, for nodes that join and have no sockets. */
async function directoryOf(given: Given): Promise<string | undefined> {
  const asked = given.text('dir') ?? (given.text('join') === undefined ? 'berth-simulation' : undefined)
  if (asked === undefined) return undefined
  const dir = resolve(asked)
  try {
    await mkdir(dir, { recursive: true })
  } catch (cause) {
    throw new CommandError(`make directory ${dir}: ${errorText(cause)}`, {
      code: 'BERTH_KUBECTL_DIRECTORY',
      cause,
      hint: 'Choose another one with --dir.',
    })
  }
  return dir
}

function devicesOf(
  given: Given,
  parse: (texts: readonly string[]) => Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  try {
    return parse(given.texts('device'))
  } catch (error) {
    throw new UsageError(errorText(error), HELP)
  }
}

function count(given: Given, flag: string, standard: number, limit = 100_000): number {
  const text = given.text(flag)
  if (text === undefined) return standard
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= limit) return value
  throw new UsageError(`--${flag} ${text}: expected a whole number from 0 to ${limit}`, HELP)
}

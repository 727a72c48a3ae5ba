import { enableCompileCache } from 'node:module'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommandLine } from '@berth/process/command'
import { validateExtendedResourceName } from '@berth/types'
import { shellWord } from '@berth/text/shell-command'
import type { Command } from '../cli/command.ts'
import { requestTimeoutFlag } from '../cli/request-timeout.ts'
import { readLines } from '../cli/read-lines.ts'
import { UsageError } from '../errors.ts'
import { startingObjects } from './starting-objects.ts'

const HELP = 'Run: kubectl berth simulate --help'
const DEFAULT_DIR = 'berth-simulation'
const MAX_DEVICES = 10_000

/** `kubectl berth simulate`, also `npm run simulate`. */
export const simulateCommand: Command = {
  name: 'simulate',
  summary:
    'Runs a simulated cluster on this machine until Ctrl-C. It needs no container engine and no hardware. With --join, adds simulated nodes to a running cluster instead.',
  usage: [
    '[--nodes N] [--pods N] [--dir DIR] [--kubeconfig FILE] [--timeline FILE]',
    '--from-cluster KUBECONFIG [--record FILE]',
    '--snapshot FILE',
    '--join KUBECONFIG [--nodes N] [--prefix NAME]',
  ],
  usesCluster: false,
  flags: [
    {
      name: 'nodes',
      placeholder: 'N',
      range: { min: 0, max: 100_000 },
      description: 'Number of nodes; with --from-cluster and --snapshot, further nodes. Default: 3, or 0 with these.',
    },
    {
      name: 'pods',
      placeholder: 'N',
      range: { min: 0, max: 1_000_000 },
      description: 'Number of pods that run from the start. Default: 0.',
    },
    {
      name: 'dir',
      placeholder: 'DIR',
      description: `Directory for the sockets of the kubelets: device-plugins, plugins_registry and pod-resources below DIR/NODE. Default: ./${DEFAULT_DIR}, or no sockets with --kubeconfig or --join.`,
    },
    {
      name: 'kubeconfig',
      placeholder: 'FILE',
      description: 'Where to write the kubeconfig of the administrator. Default: DIR/kubeconfig.',
    },
    {
      name: 'port',
      placeholder: 'N',
      range: { min: 0, max: 65_535 },
      description: 'Port of the API server on 127.0.0.1. Default: any free port.',
    },
    {
      name: 'device',
      placeholder: 'NAME=N',
      isRepeatable: true,
      description: 'Each node has N devices of this extended resource, without a device plugin.',
    },
    {
      name: 'no-default-scheduler',
      description:
        'Leave pods of default-scheduler pending. Otherwise a minimal scheduler places them on any node that fits: no scores, no preemption.',
    },
    { name: 'rbac', description: 'Enforce roles and role bindings. Otherwise each known user may do everything.' },
    {
      name: 'audit-log',
      placeholder: 'FILE',
      description: 'Append each request and its response as a line of JSON (audit.k8s.io/v1, level Request).',
    },
    {
      name: 'from-cluster',
      placeholder: 'KUBECONFIG',
      description:
        'Start with the objects of this cluster, without Secrets. Reads only. Its nodes become simulated nodes of the same capacity, and its pods stay on them.',
    },
    {
      name: 'record',
      placeholder: 'FILE',
      description:
        'Write what --from-cluster read into this file, for --snapshot and whatif. Credentials that custom resources show by schema or key are replaced; ConfigMaps and the environment of containers are in it as they are.',
    },
    {
      name: 'snapshot',
      placeholder: 'FILE',
      description: 'Start with the objects of this list. Use - for standard input.',
    },
    {
      name: 'timeline',
      placeholder: 'FILE',
      description:
        'When the cluster is ready, repeat the writes of this audit log (level Request, such as of --audit-log) at their times, without those of the control plane.',
    },
    {
      name: 'speed',
      placeholder: 'N',
      range: { min: 1, max: 1_000_000 },
      description: 'Replay N seconds of the timeline in one second. Default: 1.',
    },
    {
      name: 'context',
      placeholder: 'NAME',
      description: 'Context of the kubeconfig of --from-cluster or --join. Default: its current context.',
    },
    requestTimeoutFlag,
    {
      name: 'join',
      placeholder: 'KUBECONFIG',
      description:
        'Add simulated nodes to the cluster of this kubeconfig. They are tainted with berth.dev/simulated, and removed at the end.',
    },
    {
      name: 'prefix',
      placeholder: 'NAME',
      description: 'Joined nodes are NAME-1, NAME-2 and so on. Default: berth-sim.',
    },
  ],
  examples: [
    { command: 'kubectl berth simulate', description: 'A cluster of three nodes' },
    { command: 'kubectl berth simulate --nodes 1000 --pods 5000', description: 'A large cluster' },
    {
      command: 'kubectl berth simulate --from-cluster ~/.kube/config --record cluster.json',
      description: 'A copy of the cluster that you work with, and a file of it for --snapshot and whatif',
    },
    {
      command: 'kubectl berth simulate --snapshot cluster.json --timeline audit.log --speed 60',
      description: 'The recorded cluster, and an hour of an audit log in a minute',
    },
    {
      command: 'kubectl berth simulate --join ~/.kube/config --device example.com/dongle=4',
      description:
        'Three simulated nodes with four dongles each in the cluster that you work with; pods need a toleration of berth.dev/simulated',
    },
  ],
  notes: ['Prints "ready" when the cluster serves requests or the nodes have joined.'],
  async run(line, context) {
    const { terminal, stop, connectTransport } = context
    const joined = line.text('join')
    const file = line.text('kubeconfig')
    requireApart(line, 'kubeconfig', ['join'])
    requireApart(line, 'join', ['from-cluster', 'snapshot', 'timeline'])
    if (line.number('speed') !== undefined && line.text('timeline') === undefined)
      throw new UsageError('--speed needs --timeline', HELP)
    const named = line.text('dir') ?? (joined === undefined && file === undefined ? DEFAULT_DIR : undefined)
    // gRPC takes the first folder of a relative socket path for a host.
    const dir = named === undefined ? undefined : resolve(named)
    const kubeconfig = file ?? join(dir ?? '', 'kubeconfig')
    await requireInputsKept(line, kubeconfig)
    const snapshot = await startingObjects(line, context)
    const timeline = line.text('timeline')
    const nodes = line.number('nodes') ?? (snapshot === undefined ? 3 : 0)
    const common = { nodes, devices: devicesOf(line), ...(dir !== undefined && { dir }) }
    // Compiling the sources takes most of the start. The cache is the user's own: files in the temporary directory would
    // look left behind.
    const { XDG_CACHE_HOME: cacheDir = join(homedir(), '.cache') } = process.env
    enableCompileCache(join(cacheDir, 'berth', 'compiled'))
    const { simulate } = await import('@berth/simulator')
    const auditLog = line.text('audit-log')
    const prefix = line.text('prefix')
    await simulate(
      joined === undefined
        ? {
            kind: 'run',
            ...common,
            kubeconfig,
            pods: line.number('pods') ?? 0,
            port: line.number('port') ?? 0,
            schedulesPods: !line.has('no-default-scheduler'),
            rbac: line.has('rbac'),
            ...(auditLog !== undefined && { auditLog }),
            ...(snapshot !== undefined && { snapshot }),
            ...(timeline !== undefined && {
              timeline: { lines: readLines(terminal, timeline), speed: line.number('speed') ?? 1 },
            }),
          }
        : { kind: 'join', ...common, kubeconfig: joined, ...(prefix !== undefined && { prefix }) },
      {
        clock: terminal.clock,
        random: terminal.random,
        stop,
        connect: (joinedKubeconfig) => connectTransport(joinedKubeconfig, line.text('context')),
        write(text) {
          if (text === 'ready\n' && joined === undefined) terminal.out(`export KUBECONFIG=${shellWord(kubeconfig)}\n`)
          terminal.out(text)
        },
      },
    )
  },
}

function requireApart(line: CommandLine, flag: string, others: readonly string[]): void {
  if (line.text(flag) === undefined) return
  const other = others.find((name) => line.text(name) !== undefined)
  if (other !== undefined) throw new UsageError(`--${flag} and --${other} exclude each other`, HELP)
}

/** Requires that no output is one of the inputs: the kubeconfig of a real cluster would be lost. */
async function requireInputsKept(line: CommandLine, kubeconfig: string): Promise<void> {
  const inputs = new Map<string, string>()
  for (const flag of ['from-cluster', 'snapshot', 'timeline']) {
    const file = line.text(flag)
    if (file !== undefined && file !== '-') inputs.set(await identityOf(file), flag)
  }
  const outputs = [
    ['kubeconfig', line.text('join') === undefined ? kubeconfig : undefined],
    ['record', line.text('record')],
    ['audit-log', line.text('audit-log')],
  ] as const
  for (const [flag, file] of outputs) {
    const input = file === undefined ? undefined : inputs.get(await identityOf(file))
    if (input !== undefined) throw new UsageError(`--${flag} would overwrite the file of --${input}: ${file}`, HELP)
  }
}

async function identityOf(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch {
    return resolve(file)
  }
}

/** Reads `--device example.com/dongle=4`, as often as it is given. */
function devicesOf(line: CommandLine): Readonly<Record<string, number>> {
  return Object.fromEntries(
    line.texts('device').map((text) => {
      const [name = '', amount = ''] = text.split('=')
      const problem = validateExtendedResourceName(name)
      if (problem !== undefined) throw new UsageError(`--device ${text}: ${problem}`, HELP)
      if (!/^\d+$/.test(amount) || Number(amount) > MAX_DEVICES)
        throw new UsageError(`--device ${text}: expected a whole number from 0 to ${MAX_DEVICES} after "="`, HELP)
      return [name, Number(amount)]
    }),
  )
}

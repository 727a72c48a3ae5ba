import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommandLine } from '@berth/process/command'
import { validateExtendedResourceName } from '@berth/types'
import { shellWord } from '@berth/text/shell-command'
import type { Command } from '../cli/command.ts'
import { UsageError } from '../errors.ts'

const HELP = 'Run: kubectl berth simulate --help'
const DEFAULT_DIR = 'berth-simulation'
const MAX_DEVICES = 10_000

/** `kubectl berth simulate`, also `npm run simulate`. */
export const simulateCommand: Command = {
  name: 'simulate',
  summary:
    'Runs a simulated cluster on this machine until Ctrl-C. It needs no container engine and no hardware. With --join, adds simulated nodes to a running cluster instead.',
  usage: ['[--nodes N] [--pods N] [--dir DIR] [--kubeconfig FILE]', '--join KUBECONFIG [--nodes N] [--prefix NAME]'],
  usesCluster: false,
  flags: [
    {
      name: 'nodes',
      placeholder: 'N',
      range: { min: 0, max: 100_000 },
      description: 'Number of nodes. Default: 3.',
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
      command: 'kubectl berth simulate --join ~/.kube/config --device example.com/dongle=4',
      description:
        'Three simulated nodes with four dongles each in the cluster that you work with; pods need a toleration of berth.dev/simulated',
    },
  ],
  notes: ['Prints "ready" when the cluster serves requests or the nodes have joined.'],
  async run(line, { terminal, stop, connectTransport }) {
    const joined = line.text('join')
    const file = line.text('kubeconfig')
    if (joined !== undefined && file !== undefined)
      throw new UsageError('--kubeconfig and --join exclude each other', HELP)
    const named = line.text('dir') ?? (joined === undefined && file === undefined ? DEFAULT_DIR : undefined)
    // gRPC takes the first folder of a relative socket path for a host.
    const dir = named === undefined ? undefined : resolve(named)
    const common = { nodes: line.number('nodes') ?? 3, devices: devicesOf(line), ...(dir !== undefined && { dir }) }
    const kubeconfig = file ?? join(dir ?? '', 'kubeconfig')
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
          }
        : { kind: 'join', ...common, kubeconfig: joined, ...(prefix !== undefined && { prefix }) },
      {
        clock: terminal.clock,
        random: terminal.random,
        stop,
        connect: connectTransport,
        write(text) {
          if (text === 'ready\n' && joined === undefined) terminal.out(`export KUBECONFIG=${shellWord(kubeconfig)}\n`)
          terminal.out(text)
        },
      },
    )
  },
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

import { errorText } from '@berth/text/error-text'
import { validateExtendedResourceName } from '@berth/resources'
import { parseArgs } from 'node:util'

/** What `npm run simulate` was asked for. */
export type SimulateRequest =
  | {
      readonly kind: 'run'
      readonly nodes: number
      readonly pods: number
      readonly kubeconfig: string
      readonly dir?: string
      readonly port: number
      /** Pods of `default-scheduler` are placed wherever there is room. */
      readonly schedulesPods: boolean
      readonly devices: Readonly<Record<string, number>>
      /** Roles and bindings decide who may do what. */
      readonly rbac?: boolean
      /** File that gets one line of JSON for every request. */
      readonly auditLog?: string
    }
  | {
      readonly kind: 'join'
      readonly nodes: number
      /** The kubeconfig of the cluster to join. */
      readonly kubeconfig: string
      readonly prefix?: string
      readonly dir?: string
      /** Number of devices that every node has, by resource name. */
      readonly devices: Readonly<Record<string, number>>
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'usage'; readonly text: string }

/** How the command is used. */
const HELP = `Runs a simulated Kubernetes cluster until it is told to stop (SIGTERM, SIGINT);
with --join, adds simulated nodes to a cluster that runs already.

Usage: npm run simulate -- --kubeconfig FILE [--nodes N] [--pods P] [--dir DIR]
       [--port N] [--device NAME=N]... [--default-scheduler] [--rbac]
       [--audit-log FILE]
       npm run simulate -- --join KUBECONFIG [--nodes N] [--prefix NAME]
       [--dir DIR] [--device NAME=N]...

  --kubeconfig FILE    where to write the kubeconfig of the admin
  --join KUBECONFIG    the cluster to join; its nodes are left as they are, the
                       simulated ones are removed at the end
  --nodes N            number of nodes (default 3)
  --pods P             number of pods that run from the start (default 0)
  --dir DIR            where the kubelets keep their sockets: device-plugins,
                       plugins_registry and pod-resources below DIR/<node>
  --port N             port of the API server on 127.0.0.1 (default: any free)
  --device NAME=N      every node has N devices of this extended resource
  --prefix NAME        joined nodes are NAME-1, NAME-2, ... (default berth-sim)
  --default-scheduler  place pods of default-scheduler wherever there is room
  --rbac               roles and bindings decide who may do what; otherwise
                       every known user may do everything
  --audit-log FILE     append every request and its answer, as lines of JSON
                       (audit.k8s.io/v1, level Request)

Prints "ready" when the cluster serves, or the nodes have joined.

Examples:
  # Three nodes with sockets for device plugins
  npm run simulate -- --nodes 3 --kubeconfig ./kubeconfig --dir ./simulation
  # Three virtual nodes with four dongles each in the cluster you work with.
  # Pods reach them when they tolerate the taint berth.dev/simulated.
  npm run simulate -- --join ~/.kube/config --device example.com/dongle=4
`

/** Reads the command line. */
export function parseSimulateArguments(argv: readonly string[]): SimulateRequest {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        nodes: { type: 'string', default: '3' },
        pods: { type: 'string', default: '0' },
        kubeconfig: { type: 'string' },
        dir: { type: 'string' },
        port: { type: 'string', default: '0' },
        join: { type: 'string' },
        prefix: { type: 'string' },
        device: { type: 'string', multiple: true, default: [] },
        'default-scheduler': { type: 'boolean', default: false },
        rbac: { type: 'boolean', default: false },
        'audit-log': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help === true) return { kind: 'help', text: HELP }
    const { kubeconfig, dir, join, prefix, 'audit-log': auditLog } = values
    const nodes = wholeNumber('nodes', values.nodes, 100_000)
    const devices = parseDevices(values.device)
    const places = dir === undefined ? {} : { dir }
    if (join !== undefined) {
      if (kubeconfig !== undefined) return usage('--kubeconfig and --join exclude each other')
      return { kind: 'join', nodes, kubeconfig: join, devices, ...places, ...(prefix === undefined ? {} : { prefix }) }
    }
    if (kubeconfig === undefined || kubeconfig === '') return usage('--kubeconfig FILE is missing')
    return {
      kind: 'run',
      nodes,
      pods: wholeNumber('pods', values.pods, 1_000_000),
      port: wholeNumber('port', values.port, 65_535),
      kubeconfig,
      devices,
      schedulesPods: values['default-scheduler'],
      ...(values.rbac ? { rbac: true } : {}),
      ...(auditLog === undefined ? {} : { auditLog }),
      ...places,
    }
  } catch (error) {
    return usage(errorText(error))
  }
}

/**
 * Reads `example.com/dongle=4`, as often as it is given.
 *
 * @throws RangeError where a name is no extended resource, or its number is none
 */
export function parseDevices(texts: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name = '', amount = ''] = text.split('=')
      const why = validateExtendedResourceName(name)
      if (why !== undefined) throw new RangeError(`--device ${text}: ${why}`)
      return [name, wholeNumber(`device ${name}`, amount, 10_000)]
    }),
  )
}

function usage(problem: string): SimulateRequest {
  return { kind: 'usage', text: `${problem.replace(/\.$/, '')}. Try: npm run simulate -- --help\n` }
}

function wholeNumber(name: string, text: string, limit: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= limit) return value
  throw new RangeError(`--${name} must be a whole number from 0 to ${limit}, not ${JSON.stringify(text)}`)
}

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
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'usage'; readonly text: string }

/** How the command is used. */
const HELP = `Runs a simulated Kubernetes cluster until it is told to stop (SIGTERM, SIGINT).

Usage: npm run simulate -- --kubeconfig FILE [--nodes N] [--pods P] [--dir DIR]
       [--port N]

  --kubeconfig FILE  where to write the kubeconfig of the admin
  --nodes N          number of nodes (default 3)
  --pods P           number of pods that run from the start (default 0)
  --dir DIR          where the kubelets keep their sockets: device-plugins,
                     plugins_registry and pod-resources below DIR/<node>
  --port N           port of the API server on 127.0.0.1 (default: any free one)

Prints "ready" when the cluster serves.

Example:
  # Three nodes with sockets for device plugins
  npm run simulate -- --nodes 3 --kubeconfig ./kubeconfig --dir ./simulation
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
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help === true) return { kind: 'help', text: HELP }
    const { kubeconfig, dir } = values
    if (kubeconfig === undefined || kubeconfig === '') return usage('--kubeconfig FILE is missing')
    return {
      kind: 'run',
      nodes: wholeNumber('nodes', values.nodes, 100_000),
      pods: wholeNumber('pods', values.pods, 1_000_000),
      port: wholeNumber('port', values.port, 65_535),
      kubeconfig,
      ...(dir === undefined ? {} : { dir }),
    }
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error))
  }
}

function usage(problem: string): SimulateRequest {
  return { kind: 'usage', text: `${problem.replace(/\.$/, '')}. Try: npm run simulate -- --help\n` }
}

function wholeNumber(name: string, text: string, limit: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value <= limit) return value
  throw new RangeError(`--${name} must be a whole number from 0 to ${limit}, not ${JSON.stringify(text)}`)
}

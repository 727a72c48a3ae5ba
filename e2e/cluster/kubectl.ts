import type { KubernetesList, Node, Pod } from '@berth/types'
import { eventually } from '@berth/tools/story/eventually'
import { must, runCommand, type CommandResult } from './run-command.ts'

/** The real kubectl on the cluster under test. */
export interface Kubectl {
  readonly kubeconfig: string
  run(...args: readonly string[]): Promise<string>
  /** Does not throw on a failure. */
  attempt(...args: readonly string[]): Promise<CommandResult>
  apply(manifest: unknown): Promise<void>
  node(name: string): Promise<Node>
  pod(name: string): Promise<Pod>
  /** Names of the nodes that are not control planes, sorted. */
  workers(): Promise<readonly string[]>
  /** Notes of a pod's events with that reason. */
  eventNotes(pod: string, reason: string): Promise<readonly string[]>
  until<T>(what: string, look: () => Promise<T | undefined>, timeoutMs?: number): Promise<T>
}

/** The kubeconfig that `e2e/run.ts` handed over. */
export function kubectlUnderTest(): Kubectl {
  const kubeconfig = process.env['BERTH_E2E_KUBECONFIG']
  if (kubeconfig === undefined) throw new Error('BERTH_E2E_KUBECONFIG is not set; run: npm run e2e')
  const full = (args: readonly string[]): readonly string[] => ['--kubeconfig', kubeconfig, ...args]
  const run = (...args: readonly string[]): Promise<string> => must('kubectl', full(args))
  const json = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await run(...args, '-o', 'json')) as T
  return {
    kubeconfig,
    run,
    attempt: (...args) => runCommand('kubectl', full(args)),
    async apply(manifest) {
      await must('kubectl', full(['apply', '-f', '-']), { input: JSON.stringify(manifest) })
    },
    node: (name) => json<Node>('get', 'node', name),
    pod: (name) => json<Pod>('get', 'pod', name),
    async workers() {
      const { items } = await json<KubernetesList<Node>>('get', 'nodes', '-l', '!node-role.kubernetes.io/control-plane')
      return items.map(({ metadata }) => metadata.name ?? '').toSorted()
    },
    async eventNotes(pod, reason) {
      interface CoreEvent {
        readonly message?: string
      }
      const selector = `involvedObject.name=${pod},reason=${reason}`
      const { items } = await json<KubernetesList<CoreEvent>>('get', 'events', '--field-selector', selector)
      return items.map(({ message = '' }) => message)
    },
    until: (what, look, timeoutMs = 60_000) =>
      eventually(look, { what, timeoutMs, intervalMs: 300, signal: new AbortController().signal }),
  }
}

/** An image that every node of the cluster has: it runs until it is stopped. */
export const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10.2'

/** A pod of one container that asks for `requests`, and as much as its limits. */
export function pausePod(
  name: string,
  requests: Readonly<Record<string, string>>,
  spec: Readonly<Record<string, unknown>> = {},
): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: PAUSE_IMAGE, resources: { requests, limits: requests } }],
      ...spec,
    },
  }
}

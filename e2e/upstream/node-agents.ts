import { stringify } from 'yaml'
import { runOrThrow } from '../cluster/run-command.ts'
import { PAUSE_IMAGE } from '../cluster/test-cluster.ts'

/**
 * Many specs first wait for the agents that upstream's test clusters run on each node, and go on without them after one
 * minute. The name of these pods contains the names that the specs look for.
 */
const NAME = 'berth-e2e-fluentd-elasticsearch-node-problem-detector'

/** Runs a pod on each worker that specs take for the agents of upstream's test clusters. Disposing removes them. */
export async function installNodeAgents(kubectl: string, kubeconfig: string): Promise<AsyncDisposable> {
  const labels = { app: NAME }
  const daemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: NAME, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'pause', image: PAUSE_IMAGE }] } },
    },
  }
  const run = (...args: readonly string[]): Promise<string> =>
    runOrThrow(kubectl, ['--kubeconfig', kubeconfig, ...args], { input: stringify(daemonSet), timeoutMs: 200_000 })
  await run('apply', '-f', '-')
  await run('rollout', 'status', `daemonset/${NAME}`, '-n', 'kube-system', '--timeout=180s')
  return {
    async [Symbol.asyncDispose]() {
      await run('delete', '-f', '-', '--ignore-not-found')
    },
  }
}

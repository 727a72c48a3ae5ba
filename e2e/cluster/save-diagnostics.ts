import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './run-command.ts'
import type { TestEnvironment } from './test-environment.ts'

/** The directory for the diagnostics of a run. */
export const diagnosticsFolder: string = join(import.meta.dirname, '..', '..', '.berth', 'e2e-bundle')

const registryListing =
  'ls -lRn /var/lib/kubelet/plugins_registry /var/lib/kubelet/device-plugins; cat /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint'

/**
 * Saves the current state of the cluster: pods, logs, events, objects, nodes, Helm's releases and, in kind, the kubelets'
 * logs and plugin directories. Does not throw: the files record what could not be read.
 *
 * @returns The directory, one for each name.
 */
export async function saveDiagnostics(environment: TestEnvironment, name: string): Promise<string> {
  const folder = join(diagnosticsFolder, name.replaceAll(/[^\w.-]+/g, '-').slice(0, 100))
  await mkdir(folder, { recursive: true })
  const keep = async (file: string, program: string, ...args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await runCommand(program, args, { timeoutMs: 60_000 })
    const failure = status === 0 ? '' : `\n# ${program} ${args.join(' ')}: exit ${status}\n${stderr}`
    await writeFile(join(folder, file), `${stdout}${failure}`)
    return stdout
  }
  const kubectl = (file: string, ...args: readonly string[]): Promise<string> =>
    keep(file, 'kubectl', '--kubeconfig', environment.kubeconfig, ...args)
  const objects = 'pods,deployments,daemonsets,jobs,configmaps,services,poddisruptionbudgets,leases'
  const [pods] = await Promise.all([
    kubectl('pods.txt', 'get', 'pods', '-A', '-o', 'wide', '--no-headers'),
    kubectl('pods-described.txt', 'describe', 'pods', '-A'),
    kubectl('events.txt', 'get', 'events', '-A', '--sort-by=.metadata.creationTimestamp'),
    kubectl('nodes.yaml', 'get', 'nodes', '-o', 'yaml'),
    kubectl('objects.yaml', 'get', objects, '-A', '-o', 'yaml'),
    keep('helm.txt', environment.helm, '--kubeconfig', environment.kubeconfig, 'list', '-A'),
  ])
  for (const line of pods.split('\n')) {
    const [namespace = '', pod = ''] = line.trim().split(/\s+/)
    if (pod === '' || namespace === 'kube-system') continue
    const args = ['logs', '-n', namespace, pod, '--all-containers', '--prefix', '--tail=500']
    await kubectl(`${namespace}.${pod}.log`, ...args)
    await kubectl(`${namespace}.${pod}.previous.log`, ...args, '--previous')
  }
  for (const node of environment.nodeContainers) {
    await keep(`${node}.plugins.txt`, environment.engine, 'exec', node, 'sh', '-c', registryListing)
    await keep(
      `${node}.kubelet.log`,
      environment.engine,
      'exec',
      node,
      'journalctl',
      '-u',
      'kubelet',
      '--since',
      '-10min',
      '--no-pager',
    )
  }
  return folder
}

import { join } from 'node:path'
import type { Node } from '@berth/types'
import type { Step } from '../step.ts'

/** Three nodes in one process. */
export const clusterStep: Step = {
  title: 'A cluster of three nodes, in one process',
  async run(world) {
    const { narrator, processes, root, dir, kubeconfig } = world
    narrator.say(
      'No container engine, no hardware: an API server and three kubelets, simulated with the real semantics.',
    )
    const clusterDir = join(dir, 'c')
    const simulator = processes.start({
      name: 'embedded cluster',
      args: [
        '-C',
        '@berth/source',
        join(root, 'apps/kubectl-berth/src/main.ts'),
        'simulate',
        '--nodes',
        '3',
        '--kubeconfig',
        kubeconfig,
        '--dir',
        clusterDir,
      ],
      logPath: world.logPath('cluster'),
    })
    await simulator.line(/^ready$/m, { timeoutMs: 60_000 })
    const nodes = await world.until('three nodes to be Ready', async () => {
      const all = await world.readBack().nodes()
      return all.length === 3 && all.every(isReady) ? all : undefined
    })
    narrator.command('kubectl get nodes')
    const version = (node: Node): string => node.status?.nodeInfo?.['kubeletVersion'] ?? ''
    for (const node of nodes) narrator.seen(`${node.metadata.name}  Ready  ${version(node)}`)
  },
}

function isReady(node: Node): boolean {
  return (node.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')
}

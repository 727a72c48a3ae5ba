import { join } from 'node:path'
import type { Node } from '@berth/types'
import type { Step } from '../step.ts'

/** Starts the embedded cluster with three nodes in one process. */
export const clusterStep: Step = {
  title: 'Start a cluster of three nodes in one process',
  async run(story) {
    const { narrator, processes, root, dir, kubeconfig } = story
    narrator.explain(
      'Needs no container engine and no hardware: the API server and three kubelets are simulated with the real semantics.',
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
        // Berth's scheduler places these pods.
        '--no-default-scheduler',
      ],
      logPath: story.logPath('cluster'),
    })
    await simulator.line(/^ready$/m, { timeoutMs: 60_000 })
    const nodes = await story.until('three nodes to be Ready', async () => {
      const all = await story.readBack().nodes()
      return all.length === 3 && all.every(isReady) ? all : undefined
    })
    narrator.command('kubectl get nodes')
    const version = (node: Node): string => node.status?.nodeInfo?.['kubeletVersion'] ?? ''
    for (const node of nodes) narrator.observed(`${node.metadata.name}  Ready  ${version(node)}`)
  },
}

function isReady(node: Node): boolean {
  return (node.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')
}

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectWithKubeconfig } from '@berth/e2e/cluster/connect-with-kubeconfig'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'

/** Pods to bind, spread over the nodes node-1, node-2 and so on. */
export interface BoundPods {
  readonly nodes: number
  readonly count: number
  readonly perSecond: number
}

/** Creates and binds pods at a rate. Resolves to the number of those that were bound. */
export async function bindPods(kubeconfig: string, { nodes, count, perSecond }: BoundPods): Promise<number> {
  await using cluster = connectWithKubeconfig(kubeconfig)
  const run = randomUUID().slice(0, 8)
  const bindOne = async (i: number): Promise<boolean> => {
    const requests = { cpu: '10m', memory: '16Mi', 'example.com/dongle': '1' }
    const pod = await cluster.client.create<Pod>(resourceRefs.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `load-${run}-${i}`, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'busybox', resources: { requests, limits: requests } }] },
    })
    // A stride that divides no usual number of nodes reaches nodes all over the map.
    return (await cluster.client.bind(pod, `node-${1 + ((i * 37) % nodes)}`)).kind === 'bound'
  }
  const startMs = performance.now()
  const bound: Promise<boolean>[] = []
  for (let i = 0; i < count; i++) {
    await sleep(Math.max(0, startMs + (1_000 * i) / perSecond - performance.now()))
    bound.push(bindOne(i))
  }
  return (await Promise.all(bound)).filter(Boolean).length
}

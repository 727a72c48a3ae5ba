import type { Pod } from '@berth/types'
import { type ApiObject, type ApiServer, createObjectWriter } from '@berth/embedded-api-server'
import { addressBytes, nodeAddress, runningStatus } from '@berth/embedded-kubelet'

/** Number of pods to create before other tasks of the process may run. */
const BATCH = 100

/**
 * Creates `count` running pods, spread evenly over the nodes; none without nodes. They have the status that the kubelet
 * writes, so that it takes them over.
 */
export async function loadPods({ context }: ApiServer, nodeNames: readonly string[], count: number): Promise<void> {
  const writer = createObjectWriter(context, 'berth-simulator')
  const nodes = nodeNames.map((nodeName) => ({
    nodeName,
    bytes: addressBytes(nodeName),
    hostIP: nodeAddress(nodeName),
  }))
  for (let i = 0; i < count && nodes.length > 0; i++) {
    const { nodeName = '', bytes = [0, 0], hostIP = '' } = nodes[i % nodes.length] ?? {}
    const podIP = `10.${bytes[0]}.${bytes[1]}.${2 + (Math.floor(i / nodes.length) % 250)}`
    const runtime = { nowMs: context.clock.now(), hostIP, podIP, restarts: 0, devices: () => [] }
    writer.create('/pods', podOf(`load-${i + 1}`, nodeName), (pod) => ({
      ...(pod['status'] as object),
      ...runningStatus(pod as unknown as Pod, runtime),
    }))
    if (i % BATCH === BATCH - 1) await new Promise((resolve) => setImmediate(resolve))
  }
}

function podOf(name: string, nodeName: string): ApiObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'load' } },
    spec: {
      nodeName,
      containers: [
        {
          name: 'main',
          image: 'registry.k8s.io/pause:3.10',
          resources: { requests: { cpu: '10m', memory: '16Mi' } },
        },
      ],
    },
  }
}

import type { Pod } from '@berth/types'
import { type ApiObject, type ApiServer, createObjectWriter } from '@berth/embedded-api-server'
import { addressBytes, nodeAddress, runningStatus } from '@berth/embedded-kubelet'

/** Pods made before other tasks of the process get their turn. */
const BATCH = 100

/**
 * Creates `count` pods that run already, spread evenly over the nodes; none where there are no nodes. Their status is
 * that which the kubelet of their node would write, so that it finds them running.
 */
export async function loadPods({ context }: ApiServer, nodeNames: readonly string[], count: number): Promise<void> {
  const client = createObjectWriter(context, 'berth-simulator')
  const places = nodeNames.map((nodeName) => ({
    nodeName,
    bytes: addressBytes(nodeName),
    hostIP: nodeAddress(nodeName),
  }))
  for (let i = 0; i < count && places.length > 0; i++) {
    const { nodeName = '', bytes = [0, 0], hostIP = '' } = places[i % places.length] ?? {}
    const podIP = `10.${bytes[0]}.${bytes[1]}.${2 + (Math.floor(i / places.length) % 250)}`
    const place = { nowMs: context.clock.now(), hostIP, podIP, restarts: 0, devices: () => [] }
    client.create('/pods', podOf(`load-${i + 1}`, nodeName), (pod) => ({
      ...(pod['status'] as object),
      ...runningStatus(pod as unknown as Pod, place),
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

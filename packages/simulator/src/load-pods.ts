import type { ApiHandler } from '@berth/types'

/** Creates `count` pods that run already, spread evenly over the nodes; none where there are no nodes. */
export async function loadPods(handle: ApiHandler, nodeNames: readonly string[], count: number): Promise<void> {
  const encoder = new TextEncoder()
  for (let i = 0; i < count && nodeNames.length > 0; i++) {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `load-${i + 1}`, labels: { app: 'load' } },
      spec: {
        nodeName: nodeNames[i % nodeNames.length],
        containers: [
          {
            name: 'main',
            image: 'registry.k8s.io/pause:3.10',
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
          },
        ],
      },
    }
    const response = await handle({
      method: 'POST',
      path: '/api/v1/namespaces/default/pods',
      headers: { 'content-type': 'application/json', 'user-agent': 'berth-simulator' },
      body: encoder.encode(JSON.stringify(pod)),
    })
    if (response.status !== 201) throw new Error(`create pod load-${i + 1}: status ${response.status}`)
  }
}

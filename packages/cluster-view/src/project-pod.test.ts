import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { projectPod } from './project-pod.ts'
import { notShared } from './shared-values.ts'

const metadata = {
  name: 'web',
  namespace: 'team',
  uid: 'u',
  labels: { app: 'web' },
  annotations: { small: 'kept', large: 'x'.repeat(1_025), ['__proto__']: 'foreign' },
  managedFields: [{}],
}

describe('projectPod', () => {
  test('shares the texts of conditions among pods', () => {
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      message: '0/5 nodes are available',
      lastProbeTime: null,
    } as const
    const shared = { ...notShared, text: (value: string) => `shared ${value}` }
    const pod = { metadata: { name: 'web' }, spec: { containers: [] }, status: { conditions: [condition] } }
    expect(projectPod(pod, shared).status?.conditions).toEqual([
      {
        type: 'shared PodScheduled',
        status: 'shared False',
        message: 'shared 0/5 nodes are available',
        lastProbeTime: null,
      },
    ])
  })

  test('drops fields that no decision reads, and keeps unknown fields', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        nodeName: 'n1',
        futureField: { must: 'be seen' },
        containers: [
          {
            name: 'c',
            image: 'i',
            command: ['sh'],
            env: [{ name: 'A' }],
            volumeMounts: [],
            ports: [{ containerPort: 1 }],
            resources: { requests: { cpu: '1' } },
            futureField: 1,
          },
        ],
        initContainers: [{ name: 'i', args: ['x'], restartPolicy: 'Always' }],
        ephemeralContainers: [{ name: 'e', env: [] }],
      },
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'c', image: 'i', imageID: 'sha', containerID: 'id', allocatedResources: { cpu: '1' } },
        ],
        initContainerStatuses: [{ name: 'i', lastState: {}, ready: true }],
      },
    } as unknown as Pod
    expect(projectPod(pod)).toEqual({
      metadata: {
        name: 'web',
        namespace: 'team',
        uid: 'u',
        labels: { app: 'web' },
        annotations: { small: 'kept', ['__proto__']: 'foreign' },
      },
      spec: {
        nodeName: 'n1',
        futureField: { must: 'be seen' },
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ containerPort: 1 }],
            resources: { requests: { cpu: '1' } },
            futureField: 1,
          },
        ],
        initContainers: [{ name: 'i', restartPolicy: 'Always' }],
        ephemeralContainers: [{ name: 'e' }],
      },
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' } }],
        initContainerStatuses: [{ name: 'i', ready: true }],
      },
    })
  })

  test('keeps a pod without optional fields unchanged', () => {
    const pod: Pod = { metadata: { name: 'p' }, spec: { containers: [] } }
    expect(projectPod(pod)).toEqual(pod)
  })

  test('throws if a request is not a quantity', () => {
    const pod: Pod = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', resources: { requests: { cpu: 'much' } } }] },
    }
    expect(() => projectPod(pod)).toThrow('much')
  })
})

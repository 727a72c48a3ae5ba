import { createHash } from 'node:crypto'
import { toStoredObject } from '@berth/e2e/real-api-server/large-cluster'
import type { KubernetesObject } from '@berth/types'

const WRITTEN = '2026-01-01T00:00:00Z'
/** The kubelet reports the 50 largest images. */
const IMAGES = 50

/**
 * Generates nodes as kubelets report them, with images, conditions and managedFields, in the form in which etcd stores
 * them.
 *
 * @yields The key below `/registry/` and the object.
 */
export function* kubeletNodes(count: number): Generator<readonly [string, unknown]> {
  for (let i = 0; i < count; i++) yield [`minions/${nodeName(i)}`, toStoredObject('Node', kubeletNode(i))]
}

/** Returns the name of a node: `node-00007` for 7. */
export function nodeName(i: number): string {
  return `node-${String(i).padStart(5, '0')}`
}

/** Returns a node of more than 10 KB of JSON. */
function kubeletNode(i: number): KubernetesObject {
  const name = nodeName(i)
  const labels = {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/instance-type': 'large',
    'topology.kubernetes.io/region': 'region-1',
    'topology.kubernetes.io/zone': `region-1-${'abc'.charAt(i % 3)}`,
  }
  const annotations = {
    'node.alpha.kubernetes.io/ttl': '0',
    'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
  }
  const amounts = {
    cpu: '64',
    'ephemeral-storage': '458367292Ki',
    'hugepages-1Gi': '0',
    'hugepages-2Mi': '0',
    memory: '263829204Ki',
    pods: '110',
  }
  const conditions = [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ]
  const range = `10.${i >> 8}.${i & 255}.0/24`
  return {
    metadata: { name, labels, annotations, managedFields: managedFields(labels, annotations) },
    spec: { podCIDR: range, podCIDRs: [range], providerID: `example:///region-1/${name}` },
    status: {
      capacity: amounts,
      allocatable: { ...amounts, memory: '263726804Ki' },
      conditions,
      addresses: [
        { type: 'InternalIP', address: `10.200.${i >> 8}.${i & 255}` },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: digest(`boot ${name}`).slice(0, 36),
        containerRuntimeVersion: 'containerd://2.3.4',
        kernelVersion: '6.12.0',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.3',
        machineID: digest(`machine ${name}`).slice(0, 32),
        operatingSystem: 'linux',
        osImage: 'Debian GNU/Linux 13 (trixie)',
        systemUUID: digest(`system ${name}`).slice(0, 36),
      },
      images: Array.from({ length: IMAGES }, (_, image) => ({
        names: [
          `registry.example.com/team-${image % 9}/application-${image}@sha256:${digest(`image ${image}`)}`,
          `registry.example.com/team-${image % 9}/application-${image}:v1.${image}.0`,
        ],
        sizeBytes: 40_000_000 + image,
      })),
    },
  } as KubernetesObject
}

function condition(type: string, status: string, reason: string, message: string): object {
  return { type, status, reason, message, lastHeartbeatTime: WRITTEN, lastTransitionTime: WRITTEN }
}

function managedFields(labels: object, annotations: object): readonly object[] {
  const entry = (manager: string, fieldsV1: object, subresource?: string): object => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: WRITTEN,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource !== undefined && { subresource }),
  })
  const conditionFields = ['DiskPressure', 'MemoryPressure', 'PIDPressure', 'Ready'].map((type) => [
    `k:{"type":"${type}"}`,
    { 'f:lastHeartbeatTime': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:reason': {}, 'f:status': {} },
  ])
  return [
    entry('kubelet', {
      'f:metadata': { 'f:annotations': fields(annotations), 'f:labels': { '.': {}, ...fields(labels) } },
    }),
    entry('kube-controller-manager', {
      'f:spec': { 'f:podCIDR': {}, 'f:podCIDRs': { '.': {}, 'v:"10.0.0.0/24"': {} } },
    }),
    entry(
      'kubelet',
      {
        'f:status': {
          'f:allocatable': { 'f:memory': {} },
          'f:conditions': Object.fromEntries(conditionFields) as object,
          'f:images': {},
        },
      },
      'status',
    ),
  ]
}

function fields(map: object): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.keys(map).map((key) => [`f:${key}`, {}]))
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

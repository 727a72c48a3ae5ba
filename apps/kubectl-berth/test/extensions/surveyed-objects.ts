import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject, OwnerReference, Pod } from '@berth/types'
import { generate } from 'selfsigned'
import { factRefs, type ListedFacts } from '../../src/facts/fact-kinds.ts'
import type { TestCluster } from '../test-cluster.ts'

/** Creates an object of a kind that facts are read from. */
export function addObject(
  cluster: TestCluster,
  fact: keyof ListedFacts,
  name: string,
  fields: object = {},
  metadata: object = {},
): Promise<KubernetesObject> {
  const resource: ResourceRef = factRefs[fact]
  const group = resource.group === '' ? '' : `${resource.group}/`
  return cluster.create(resource, {
    apiVersion: `${group}${resource.version}`,
    kind: resource.kind,
    metadata: { name, ...(resource.namespaced && { namespace: 'default' }), ...metadata },
    ...fields,
  })
}

/** Writes the status of an object of a kind that facts are read from. */
export async function setStatusOf(
  cluster: TestCluster,
  fact: keyof ListedFacts,
  target: { readonly name: string; readonly namespace?: string },
  status: object,
  fieldManager = 'test',
): Promise<void> {
  await cluster.client.patch(factRefs[fact], target, { status }, { type: 'merge', subresource: 'status', fieldManager })
}

/** Adds a node that reports conditions and info, whose amounts a program wrote. */
export async function addReportingNode(
  cluster: TestCluster,
  name: string,
  {
    amounts = {},
    manager = 'kubelet',
    isReady = true,
    message = '',
    spec = {},
    labels = {},
    ...status
  }: {
    readonly amounts?: Readonly<Record<string, string>>
    readonly manager?: string
    readonly isReady?: boolean
    readonly message?: string
    readonly spec?: object
    readonly labels?: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  } = {},
): Promise<void> {
  // The API server records who writes which field of objects that have a field with an owner from the start.
  await cluster.create(resourceRefs.nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
  } as never)
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', reason: 'Kubelet', message }]
  const base = { capacity: { cpu: '4', pods: '110' }, allocatable: { cpu: '4', pods: '110' }, conditions, ...status }
  await setStatusOf(cluster, 'nodes', { name }, base, 'node-registration')
  if (Object.keys(amounts).length > 0)
    await setStatusOf(cluster, 'nodes', { name }, { capacity: amounts, allocatable: amounts }, manager)
}

/** Adds a pod of a workload on a node. */
export async function addProgramPod(
  cluster: TestCluster,
  name: string,
  {
    namespace = 'kube-system',
    owner,
    hostPaths = [],
    isReady = true,
    labels = {},
    ...spec
  }: {
    readonly namespace?: string
    /** `DaemonSet/plugin`. */
    readonly owner?: string
    readonly hostPaths?: readonly string[]
    readonly isReady?: boolean
    readonly labels?: Readonly<Record<string, string>>
  } & Partial<Pod['spec']> = {},
): Promise<Pod> {
  const [kind = '', ownerName = ''] = owner?.split('/') ?? []
  const ownerReferences: readonly OwnerReference[] =
    owner === undefined
      ? []
      : [{ apiVersion: 'apps/v1', kind, name: ownerName, uid: `uid-${ownerName}`, controller: true }]
  const pod = await cluster.addPod(
    name,
    {},
    {
      metadata: { namespace, labels, ownerReferences },
      volumes: hostPaths.map((path, index) => ({ name: `host-${index}`, hostPath: { path } })),
      nodeName: 'node-a',
      ...spec,
    },
  )
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
  await setStatusOf(cluster, 'pods', { namespace, name }, { phase: 'Running', conditions })
  return pod
}

/** Adds a kube-scheduler to the namespace default, whose configuration is in a ConfigMap. */
export async function addConfiguredScheduler(
  cluster: TestCluster,
  name: string,
  { configMap, ...more }: { readonly configMap: string } & Parameters<typeof addProgramPod>[2],
): Promise<void> {
  await addProgramPod(cluster, name, {
    namespace: 'default',
    containers: [
      {
        name: 'kube-scheduler',
        image: 'kube-scheduler:v1.36.3',
        command: ['kube-scheduler', '--config=/etc/scheduler/scheduler.yaml'],
        volumeMounts: [{ name: 'config', mountPath: '/etc/scheduler' }],
      } as never,
    ],
    volumes: [{ name: 'config', configMap: { name: configMap } }],
    ...more,
  })
}

/** Adds the ConfigMap of {@link addConfiguredScheduler}. */
export async function addSchedulerConfiguration(
  cluster: TestCluster,
  name: string,
  configuration: object,
): Promise<void> {
  await cluster.create(resourceRefs.configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
    data: { 'scheduler.yaml': JSON.stringify(configuration) },
  } as never)
}

/** Creates the certificate of a CA that is valid between two times; PEM. */
export async function authorityPem(notBeforeDate: Date, notAfterDate: Date): Promise<string> {
  const { cert } = await generate([{ name: 'commonName', value: 'test' }], {
    keySize: 2048,
    algorithm: 'sha256',
    notBeforeDate,
    notAfterDate,
    extensions: [{ name: 'basicConstraints', cA: true }],
  })
  return cert
}

import type { Pod, PodSpec } from '@berth/types'
import { EVERYWHERE, PROVISIONER, SOMEWHERE } from '../local-path-provisioner/install.ts'
import { createObject } from '../cluster/create-object.ts'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'
import { onNode } from './kubelet.ts'

const SELECTED_NODE = 'volume.kubernetes.io/selected-node'
const FOLDER = '/var/lib/berth-e2e-volumes'
const capacity = { storage: '1Mi' }

/** Creates a storage class whose claims wait for their first consumer, and returns its name. */
export async function createClass(testCluster: TestCluster, provisioner: string, nodePath?: string): Promise<string> {
  const name = testCluster.uniqueName('first-consumer')
  await createObject(testCluster, 'StorageClass', name, {
    apiVersion: 'storage.k8s.io/v1',
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
    ...(nodePath !== undefined && { parameters: { nodePath } }),
  })
  return name
}

const createLocalClass = (testCluster: TestCluster): Promise<string> =>
  createClass(testCluster, 'kubernetes.io/no-provisioner')

/** Creates a local volume on a node and returns its name. */
async function createVolume(
  testCluster: TestCluster,
  stem: string,
  storageClassName: string,
  node: string,
): Promise<string> {
  const name = testCluster.uniqueName(stem)
  const path = `${FOLDER}/${name}`
  await onNode(node, `mkdir -p ${path}`)
  testCluster.addCleanup(async () => void (await onNode(node, `rm -rf ${path}`)))
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }]
  await createObject(testCluster, 'PersistentVolume', name, {
    apiVersion: 'v1',
    spec: {
      capacity,
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName,
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  })
  return name
}

/** Creates a claim and returns its name. */
export async function createClaim(testCluster: TestCluster, stem: string, storageClassName: string): Promise<string> {
  const name = testCluster.uniqueName(stem)
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: capacity } }
  await createObject(testCluster, 'PersistentVolumeClaim', name, { apiVersion: 'v1', spec })
  return name
}

/** Returns a field of an object by its JSON path. Empty if the object lacks it. */
const fieldOf = (testCluster: TestCluster, kind: string, name: string, path: string): Promise<string> =>
  testCluster.kubectl('get', kind, name, '-o', `jsonpath=${path}`)

const volumeOf = (testCluster: TestCluster, claim: string): Promise<string> =>
  fieldOf(testCluster, 'persistentvolumeclaim', claim, '{.spec.volumeName}')

export const selectedNodeOf = (testCluster: TestCluster, claim: string): Promise<string> =>
  fieldOf(
    testCluster,
    'persistentvolumeclaim',
    claim,
    `{.metadata.annotations.${SELECTED_NODE.replaceAll('.', String.raw`\.`)}}`,
  )

/** Returns the pod with the claims mounted in its containers. */
export function withClaims(pod: Pod, claims: readonly string[]): Pod {
  const volumes = claims.map((claimName, i) => ({ name: `volume-${i}`, persistentVolumeClaim: { claimName } }))
  const volumeMounts = volumes.map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` }))
  const containers = (pod.spec?.containers ?? []).map((container) => ({ ...container, volumeMounts }))
  return { ...pod, spec: { ...pod.spec, containers, volumes } }
}

/** Creates a pod that mounts the claims, and returns its name. */
async function createConsumer(
  testCluster: TestCluster,
  stem: string,
  claims: readonly string[],
  spec: Partial<PodSpec>,
): Promise<string> {
  const name = testCluster.uniqueName(stem)
  await testCluster.createPod(withClaims(pausePod(name, {}, spec), claims))
  return name
}

/** Returns a strong preference for nodes with this label. */
function preference(key: string): NonNullable<PodSpec['affinity']> {
  const matchExpressions = [{ key, operator: 'Exists' as const }]
  return {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: { matchExpressions } }],
    },
  }
}

/** Checks of claims that wait for their first consumer, with any scheduler. They need the local-path-provisioner. */
export const firstConsumerChecks = (schedulerName: string): readonly Check[] => [
  {
    name: 'a claim is bound to the local volume on the node of its pod',
    component: 'scheduler',
    failureText: 'consumer',
    async run(testCluster) {
      const [first = '', second = ''] = testCluster.workers
      const storageClass = await createLocalClass(testCluster)
      await createVolume(testCluster, 'volume-1', storageClass, first)
      const expected = await createVolume(testCluster, 'volume-2', storageClass, second)
      const claim = await createClaim(testCluster, 'claim', storageClass)
      const nodeSelector = { 'kubernetes.io/hostname': second }
      const pod = await createConsumer(testCluster, 'consumer', [claim], { schedulerName, nodeSelector })
      await testCluster.untilRunning(pod)
      const volume = await volumeOf(testCluster, claim)
      expectThat(volume === expected, `${claim} is bound to ${volume}, and ${expected} is on ${second}`)
    },
  },
  {
    name: 'a pod with two claims runs on the only node with two local volumes',
    component: 'scheduler',
    failureText: 'consumer',
    async run(testCluster) {
      const [first = '', second = ''] = testCluster.workers
      const storageClass = await createLocalClass(testCluster)
      await createVolume(testCluster, 'volume-1', storageClass, first)
      for (const stem of ['volume-2', 'volume-3']) await createVolume(testCluster, stem, storageClass, second)
      const claims = [
        await createClaim(testCluster, 'claim-1', storageClass),
        await createClaim(testCluster, 'claim-2', storageClass),
      ]
      const pod = await createConsumer(testCluster, 'consumer', claims, { schedulerName })
      const { spec } = await testCluster.untilRunning(pod)
      expectThat(spec?.nodeName === second, `${pod} runs on ${spec?.nodeName}, and only ${second} has two volumes`)
    },
  },
  {
    name: 'a pod waits until a local volume for its claim exists',
    component: 'scheduler',
    failureText: 'an event FailedScheduling',
    async run(testCluster) {
      const [first = ''] = testCluster.workers
      const storageClass = await createLocalClass(testCluster)
      const claim = await createClaim(testCluster, 'claim', storageClass)
      const pod = await createConsumer(testCluster, 'consumer', [claim], { schedulerName })
      const { reporter } = await testCluster.untilEvent(
        pod,
        'FailedScheduling',
        /didn't find available persistent volumes to bind/,
      )
      expectThat(reporter === schedulerName, `${reporter} refused it`)
      await createVolume(testCluster, 'volume', storageClass, first)
      const { spec } = await testCluster.untilRunning(pod)
      expectThat(spec?.nodeName === first, `${pod} runs on ${spec?.nodeName}, and the volume is on ${first}`)
    },
  },
  {
    name: 'a volume is provisioned on the node that was selected for the pod',
    component: 'scheduler',
    failureText: 'consumer',
    async run(testCluster) {
      const storageClass = await createClass(testCluster, PROVISIONER, EVERYWHERE)
      const claim = await createClaim(testCluster, 'claim', storageClass)
      const pod = await createConsumer(testCluster, 'consumer', [claim], { schedulerName })
      const { spec } = await testCluster.untilRunning(pod)
      const selected = await selectedNodeOf(testCluster, claim)
      expectThat(selected === spec?.nodeName, `${pod} runs on ${spec?.nodeName}, and ${selected} was selected`)
      const volume = await volumeOf(testCluster, claim)
      const terms = '{.spec.nodeAffinity.required.nodeSelectorTerms[*].matchExpressions[*].values[*]}'
      const place = await fieldOf(testCluster, 'persistentvolume', volume, terms)
      expectThat(place === selected, `${volume} is on ${place}, and ${selected} was selected`)
    },
  },
  {
    name: 'a pod moves to another node when the provisioner gives up on the selected node',
    component: 'scheduler',
    failureText: 'to be selected',
    async run(testCluster) {
      const [first = '', second = ''] = testCluster.workers
      const label = `example.com/${testCluster.uniqueName('preferred')}`
      const labelNode = (node: string, change: string): Promise<string> =>
        testCluster.kubectl('label', 'node', node, change)
      testCluster.addCleanup(async () => {
        for (const node of [first, second]) await labelNode(node, `${label}-`)
      })
      await labelNode(first, `${label}=`)
      const storageClass = await createClass(testCluster, PROVISIONER, SOMEWHERE)
      const claim = await createClaim(testCluster, 'claim', storageClass)
      const affinity = preference(label)
      const pod = await createConsumer(testCluster, 'consumer', [claim], { schedulerName, affinity })
      await testCluster.until(`${first} to be selected for ${claim}`, async () =>
        (await selectedNodeOf(testCluster, claim)) === first ? true : undefined,
      )
      // The provisioner may not use this folder on the first worker.
      await testCluster.untilEvent(claim, 'ProvisioningFailed')
      const waiting = await fieldOf(testCluster, 'pod', pod, '{.spec.nodeName}')
      expectThat(waiting === '', `${pod} was bound to ${waiting} before its volume was provisioned`)
      await labelNode(first, `${label}-`)
      await labelNode(second, `${label}=`)
      // What an external provisioner does each time when another node may have room. A scheduler that has not seen the labels yet
      // selects the first worker again.
      await testCluster.until(`${second} to be selected for ${claim}`, async () => {
        const selected = await selectedNodeOf(testCluster, claim)
        if (selected === first)
          await testCluster.kubectl('annotate', 'persistentvolumeclaim', claim, `${SELECTED_NODE}-`)
        return selected === second ? true : undefined
      })
      const { spec } = await testCluster.untilRunning(pod)
      expectThat(spec?.nodeName === second, `${pod} runs on ${spec?.nodeName}, where its volume cannot be`)
    },
  },
]

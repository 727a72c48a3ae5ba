import { resourceRefs } from '@berth/k8s-client'
import { startControllers } from '@berth/simulator'
import type { LabelSelector, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@berth/types'
import { startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'

const HOSTNAME = 'kubernetes.io/hostname'
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node'

/** A test cluster with the nodes node-a and node-b, and the controllers of the embedded cluster. */
export interface VolumeCluster extends TestCluster {
  /** Creates a class whose volumes are bound when a pod is placed. */
  createClass(name: string, more?: Partial<StorageClass>): Promise<void>
  /** Creates a volume that only one node can reach. */
  createVolume(name: string, nodeName: string, options?: VolumeOptions): Promise<void>
  createClaim(name: string, options?: ClaimOptions): Promise<void>
  /** Creates a pod that uses the claims. */
  createPodWith(name: string, ...claimNames: readonly string[]): Promise<void>
  volume(name: string): Promise<PersistentVolume>
  claim(name: string): Promise<PersistentVolumeClaim>
  nodeOf(name: string): Promise<string | undefined>
  /** Creates the volume that the claim waits for, as a provisioner does. */
  provision(claimName: string): Promise<void>
  /** Gives up on the volume that the claim waits for, as a provisioner does. */
  failProvisioning(claimName: string): Promise<void>
}

export interface VolumeOptions {
  readonly storage?: string
  readonly className?: string
  readonly claim?: PersistentVolumeClaim
}

export interface ClaimOptions {
  readonly storage?: string
  readonly className?: string
  readonly selector?: LabelSelector
  readonly accessModes?: readonly string[]
  /** The pod of an ephemeral volume. */
  readonly owner?: Pod
}

/** Starts a cluster in virtual time. A cluster that joins another one has no controllers and creates no nodes. */
export async function startVolumeCluster(options: TestClusterOptions = {}): Promise<VolumeCluster> {
  const cluster = await startTestCluster(options)
  const isFirst = options.joins === undefined
  const controllers = isFirst ? startControllers(cluster.api) : undefined
  const { client } = cluster.admin
  const named = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name })
  const claim = (name: string): Promise<PersistentVolumeClaim> =>
    client.get<PersistentVolumeClaim>(resourceRefs.persistentVolumeClaims, named(name))
  const createVolume = async (
    name: string,
    nodeName: string,
    { storage = '10Gi', className = 'local', claim: owner }: VolumeOptions = {},
  ): Promise<void> => {
    const claimRef = owner && {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      name: owner.metadata.name ?? '',
      namespace: 'default',
      uid: owner.metadata.uid ?? '',
    }
    await client.create<PersistentVolume>(resourceRefs.persistentVolumes, {
      metadata: { name },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        storageClassName: className,
        local: { path: `/mnt/${name}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values: [nodeName] }] }],
          },
        },
        ...(claimRef !== undefined && { claimRef }),
      },
    })
  }
  if (isFirst) {
    for (const name of ['node-a', 'node-b']) await cluster.createNode(name, {}, { labels: { [HOSTNAME]: name } })
    await cluster.settle()
  }
  return {
    ...cluster,
    async createClass(name, more = {}) {
      await client.create<StorageClass>(resourceRefs.storageClasses, {
        metadata: { name },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
        ...more,
      })
    },
    createVolume,
    async createClaim(name, options = {}) {
      const { storage = '1Gi', className = 'local', selector, accessModes = ['ReadWriteOnce'], owner } = options
      const ownerReferences = owner && [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          name: owner.metadata.name ?? '',
          uid: owner.metadata.uid ?? '',
          controller: true,
        },
      ]
      await client.create<PersistentVolumeClaim>(resourceRefs.persistentVolumeClaims, {
        metadata: { ...named(name), ...(ownerReferences && { ownerReferences }) },
        spec: {
          accessModes,
          storageClassName: className,
          resources: { requests: { storage } },
          ...(selector !== undefined && { selector }),
        },
      })
    },
    async createPodWith(name, ...claimNames) {
      const volumes = claimNames.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))
      await cluster.createPod(name, { spec: { volumes } })
    },
    volume: (name) => client.get<PersistentVolume>(resourceRefs.persistentVolumes, { name }),
    claim,
    nodeOf: async (name) => (await client.get<Pod>(resourceRefs.pods, named(name))).spec.nodeName,
    async provision(claimName) {
      const owner = await claim(claimName)
      const nodeName = owner.metadata.annotations?.[SELECTED_NODE]
      if (nodeName === undefined) throw new Error(`claim ${claimName} has no selected node`)
      const { storageClassName: className = '' } = owner.spec
      await createVolume(`pvc-${claimName}`, nodeName, { className, claim: owner })
    },
    async failProvisioning(claimName) {
      await client.patch(
        resourceRefs.persistentVolumeClaims,
        named(claimName),
        { metadata: { annotations: { [SELECTED_NODE]: null } } },
        { type: 'merge' },
      )
    },
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]()
      await controllers?.[Symbol.asyncDispose]()
    },
  }
}

import { type ApiClient, resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { Pod, PodSpec } from '@berth/types'

const ref = (group: string, plural: string, kind: string, namespaced: boolean): ResourceRef => ({
  group,
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const storageClasses = ref('storage.k8s.io', 'storageclasses', 'StorageClass', false)
const volumes = ref('', 'persistentvolumes', 'PersistentVolume', false)
const claims = ref('', 'persistentvolumeclaims', 'PersistentVolumeClaim', true)

/** Where {@link causeKubeSchedulerWrites} creates its objects. */
export interface KubeSchedulerWrites {
  readonly client: ApiClient
  readonly namespace: string
  readonly schedulerName: string
  /** A resource whose only unit a pod of lower priority uses. */
  readonly resource: string
  readonly priorityClassName: string
}

/** Creates a pod of a scheduler, with one container. */
function createPod(
  { client, namespace, schedulerName }: Pick<KubeSchedulerWrites, 'client' | 'namespace' | 'schedulerName'>,
  name: string,
  { limits, ...spec }: Partial<PodSpec> & { readonly limits?: Readonly<Record<string, string>> },
): Promise<Pod> {
  const containers = [{ name: 'main', image: 'none', resources: limits === undefined ? {} : { limits } }]
  return client.create<Pod>(resourceRefs.pods, {
    metadata: { namespace, name },
    spec: { schedulerName, terminationGracePeriodSeconds: 0, containers, ...spec },
  })
}

/**
 * Creates a pod for which a scheduler reserves a volume, and one for which it selects the node of a volume. Both wait for the volume
 * controller, which does not run.
 *
 * @param options.prefix - Start of the names of all objects.
 * @returns the names of the pods.
 */
export async function causeVolumeWrites(
  options: Pick<KubeSchedulerWrites, 'client' | 'namespace' | 'schedulerName'> & { readonly prefix: string },
): Promise<readonly string[]> {
  const { client, namespace, prefix } = options
  const [existing, provisioned] = [`${prefix}existing`, `${prefix}provisioned`]
  const create = (type: ResourceRef, object: object): Promise<unknown> => client.create(type, object)
  const accessModes = ['ReadWriteOnce']
  const storage = { storage: '1Mi' }
  for (const [storageClassName, provisioner] of [
    [existing, 'kubernetes.io/no-provisioner'],
    [provisioned, 'example.com/provisioner'],
  ]) {
    const volumeBindingMode = 'WaitForFirstConsumer'
    await create(storageClasses, { metadata: { name: storageClassName }, provisioner, volumeBindingMode })
  }
  const spec = { capacity: storage, accessModes, storageClassName: existing, hostPath: { path: '/x' } }
  const disk = `${prefix}disk`
  await create(volumes, { metadata: { name: disk }, spec })
  const available = { status: { phase: 'Available' } }
  await client.patch(volumes, { name: disk }, available, { type: 'merge', subresource: 'status' })
  for (const name of [existing, provisioned]) {
    const claim = { accessModes, storageClassName: name, resources: { requests: storage } }
    await create(claims, { metadata: { namespace, name }, spec: claim })
    await createPod(options, name, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] })
  }
  return [existing, provisioned]
}

/**
 * Creates pods for which kube-scheduler deletes a victim, reserves a volume and selects the node of a volume.
 *
 * @returns the name of the pod that needs a victim.
 */
export async function causeKubeSchedulerWrites(options: KubeSchedulerWrites): Promise<string> {
  const { resource, priorityClassName } = options
  await causeVolumeWrites({ ...options, prefix: '' })
  await createPod(options, 'preemptor', { priorityClassName, limits: { [resource]: '1' } })
  return 'preemptor'
}

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

/**
 * Creates pods for which kube-scheduler deletes a victim, reserves a volume and selects the node of a volume. The last two wait for the
 * volume controller, which does not run.
 *
 * @returns the name of the pod that needs a victim.
 */
export async function causeKubeSchedulerWrites(options: KubeSchedulerWrites): Promise<string> {
  const { client, namespace, schedulerName, resource, priorityClassName } = options
  const createPod = (name: string, spec: Partial<PodSpec>, limits: Readonly<Record<string, string>>): Promise<Pod> => {
    const containers = [{ name: 'main', image: 'none', resources: { limits } }]
    const metadata = { namespace, name }
    return client.create<Pod>(resourceRefs.pods, {
      metadata,
      spec: { schedulerName, terminationGracePeriodSeconds: 0, containers, ...spec },
    })
  }
  const create = (type: ResourceRef, object: object): Promise<unknown> => client.create(type, object)
  const accessModes = ['ReadWriteOnce']
  const storage = { storage: '1Mi' }
  for (const [storageClassName, provisioner] of [
    ['existing', 'kubernetes.io/no-provisioner'],
    ['provisioned', 'example.com/provisioner'],
  ]) {
    const volumeBindingMode = 'WaitForFirstConsumer'
    await create(storageClasses, { metadata: { name: storageClassName }, provisioner, volumeBindingMode })
  }
  const spec = { capacity: storage, accessModes, storageClassName: 'existing', hostPath: { path: '/x' } }
  await create(volumes, { metadata: { name: 'disk' }, spec })
  const available = { status: { phase: 'Available' } }
  await client.patch(volumes, { name: 'disk' }, available, { type: 'merge', subresource: 'status' })
  for (const name of ['existing', 'provisioned']) {
    const claim = { accessModes, storageClassName: name, resources: { requests: storage } }
    await create(claims, { metadata: { namespace, name }, spec: claim })
    await createPod(name, { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] }, {})
  }
  await createPod('preemptor', { priorityClassName }, { [resource]: '1' })
  return 'preemptor'
}
